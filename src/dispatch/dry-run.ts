import type { ErrorCode } from "../errors.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { isRecord, memberOf } from "../json.ts";
import { DRY_RUN_ANNOTATIONS_MAX_COUNT, DRY_RUN_ANNOTATION_MAX_CHARS } from "../limits.ts";
import type { EarlierCall } from "./admission.ts";
import type { Admitted } from "./admit.ts";
import type { Hydrated } from "./hydrate.ts";
import type { DispatchTool } from "./ports.ts";
import type { ToolStanding } from "./tool-standing.ts";

/** What a call would meet (seed 000 §4.5; CONTRACTS "Dry run"), its keys in this order. */
export interface DryRunReport {
  readonly dry_run: true;
  readonly tool_id: string;
  readonly upstream_name: string;
  readonly args_valid: true;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly checks: readonly DryRunCheck[];
  readonly replay: ReplayContract;
}

export interface DryRunCheck {
  /** `journal` only of a call that its caller has named. */
  readonly name: "schema_validation" | "rate_limit" | "policy" | "journal";
  readonly status: "pass" | "fail";
  /** The error that the call itself would be answered with. */
  readonly code?: ErrorCode;
  /** The call was made before under its name: it would not run, and get its first answer. */
  readonly answered?: true;
}

/** Reports on a call that was found good and is not made. A control that is not configured passes. */
export function dryRun(
  { tool, definition: { definition } }: Pick<Hydrated<DispatchTool>, "tool" | "definition">,
  { standing, admitted }: { readonly standing: ToolStanding; readonly admitted: Admitted },
): DryRunReport {
  return {
    dry_run: true,
    tool_id: tool.id,
    upstream_name: tool.upstreamName,
    args_valid: true,
    annotations: { ...declared(memberOf(definition, "annotations")), verified: false },
    checks: [
      check("schema_validation", undefined),
      check("rate_limit", admitted.exceeded === null ? undefined : "RATE_LIMITED"),
      check("policy", consentMissing(admitted.approval)),
      ...(admitted.earlier === undefined ? [] : [journalCheck(admitted.earlier)]),
    ],
    replay: standing.replay,
  };
}

function check(name: DryRunCheck["name"], code: ErrorCode | undefined): DryRunCheck {
  return code === undefined ? { name, status: "pass" } : { name, status: "fail", code };
}

function journalCheck(earlier: EarlierCall): DryRunCheck {
  switch (earlier) {
    case "none":
      return check("journal", undefined);
    case "answered":
      return { ...check("journal", undefined), answered: true };
    case "in_flight":
      return check("journal", "RATE_LIMITED");
    case "outcome_unknown":
      return check("journal", "UPSTREAM_ERROR");
    case "key_conflict":
      return check("journal", "ARGS_INVALID");
  }
}

function consentMissing(approval: Admitted["approval"]): ErrorCode | undefined {
  if (approval === "required") return "AUTH_REQUIRED";
  return approval === "refused" ? "POLICY_DENIED" : undefined;
}

/** The hints as the server declares them, as far as they are hints: short scalars. */
function declared(annotations: unknown): Record<string, unknown> {
  if (!isRecord(annotations)) return {};
  const hints = Object.entries(annotations).filter(
    ([name, value]) =>
      name !== "verified" &&
      name.length <= DRY_RUN_ANNOTATION_MAX_CHARS &&
      (typeof value === "boolean" ||
        typeof value === "number" ||
        (typeof value === "string" && value.length <= DRY_RUN_ANNOTATION_MAX_CHARS)),
  );
  return Object.fromEntries(hints.slice(0, DRY_RUN_ANNOTATIONS_MAX_COUNT));
}
