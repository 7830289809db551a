import { ApprovalIndexStore } from "../access/approval-index-store.ts";
import type { ApprovalDesk } from "../gateway/ports.ts";
import { fail, ok } from "../result.ts";

/** Calls that wait for a person, written down in D1, where `/admin/approvals` lists them. */
export function approvalDesk(db: D1Database): ApprovalDesk {
  return {
    record: async ({ argumentsJson, reason, supersedes, ...call }) => {
      try {
        const row = { ...call, reason: reason ?? null, arguments: argumentsJson };
        await new ApprovalIndexStore(db).record(row, call.requestedAtMs, supersedes);
        return ok(undefined);
      } catch (error) {
        return fail(`the approval could not be written down: ${String(error)}`);
      }
    },
  };
}
