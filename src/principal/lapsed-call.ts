import { kindOfId, type PrimitiveKind } from "../identity/primitive-id.ts";
import { accountName } from "../outbox/account-name.ts";
import type { LedgerEntry, UpstreamRecord } from "../outbox/entry.ts";
import { readFaultCode } from "../spine/fault/fault-code.ts";
import { GENESIS } from "../spine/fault/generation.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { isCatalogId } from "../spine/telemetry/identifiers.ts";

/** How a call of each kind is told, and asked of its upstream. */
const KINDS = {
  tool: { event: "execute.failed", method: "tools/call" },
  resource: { event: "read.failed", method: "resources/read" },
  prompt: { event: "prompt.failed", method: "prompts/get" },
} as const satisfies Readonly<Record<PrimitiveKind, unknown>>;

/** A call whose attempt never reported. */
export interface LapsedCall {
  readonly attempt: string;
  readonly contract: ReplayContract;
  /** `null` where its Worker did not say; likewise the server, by its name or its account's. */
  readonly toolId: string | null;
  readonly server: string | null;
}

/**
 * What the ledger is told of a call whose lease ran out and whose attempt never reported: its isolate is gone, and whether it
 * took effect is not known. How long the upstream took, and how often it was asked, nobody knows. It is an event of when it
 * is told, not of when its lease ended: whoever has read up to then must not miss it.
 */
export function lapsedCall({ attempt, contract, toolId, server }: LapsedCall, nowMs: number): LedgerEntry {
  const tool = isCatalogId(toolId) ? toolId : null;
  const { event, method } = KINDS[tool === null ? "tool" : kindOfId(tool)];
  return {
    key: attempt,
    event: {
      version: 1,
      event,
      timestamp: nowMs,
      success: false,
      duration_ms: 0,
      session_id: null,
      tool_id: tool,
      namespace: tool === null ? null : namespaceOf(tool),
      attributes: {
        error_code: "UPSTREAM_ERROR",
        outcome: "unknown",
        retryable: contract === "convergent",
        replay: contract,
      },
    },
    upstreams: server === null ? [] : accountOf(server, method),
  };
}

function namespaceOf(id: string): string {
  const kindless = id.slice(id.lastIndexOf("::") === -1 ? 0 : id.lastIndexOf("::") + 2);
  return kindless.slice(0, kindless.indexOf(":"));
}

function accountOf(server: string, method: string): UpstreamRecord[] {
  const error = readFaultCode("ambiguous_outcome");
  if (!error.ok) return [];
  return [
    {
      server: accountName(server),
      generation: GENESIS,
      operations: [
        { record: "request", method },
        // An ending without a latency: a time that nobody knows must not count as none.
        { record: "recovery_error", method, error: error.value },
      ],
    },
  ];
}
