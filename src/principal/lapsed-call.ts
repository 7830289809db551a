import { accountName } from "../outbox/account-name.ts";
import type { LedgerEntry, UpstreamRecord } from "../outbox/entry.ts";
import { readFaultCode } from "../spine/fault/fault-code.ts";
import { GENESIS } from "../spine/fault/generation.ts";
import { isCatalogId } from "../spine/telemetry/identifiers.ts";
import type { JournalEntry } from "./journal.ts";

const METHOD = "tools/call";

/**
 * What the ledger is told of a call whose lease ran out and whose attempt never reported: its isolate is gone, and whether it
 * took effect is not known. How long the upstream took, and how often it was asked, nobody knows. It is an event of when it
 * is told, not of when its lease ended: whoever has read up to then must not miss it.
 */
export function lapsedCall({ attempt, contract, toolId, server }: JournalEntry, nowMs: number): LedgerEntry {
  const tool = isCatalogId(toolId) ? toolId : null;
  return {
    key: attempt,
    event: {
      version: 1,
      event: "execute.failed",
      timestamp: nowMs,
      success: false,
      duration_ms: 0,
      session_id: null,
      tool_id: tool,
      namespace: tool === null ? null : tool.slice(0, tool.indexOf(":")),
      attributes: { error_code: "UPSTREAM_ERROR", outcome: "unknown", retryable: false, replay: contract },
    },
    upstreams: server === null ? [] : accountOf(server),
  };
}

function accountOf(server: string): UpstreamRecord[] {
  const error = readFaultCode("ambiguous_outcome");
  if (!error.ok) return [];
  return [
    {
      server: accountName(server),
      generation: GENESIS,
      operations: [
        { record: "request", method: METHOD },
        // An ending without a latency: a time that nobody knows must not count as none.
        { record: "recovery_error", method: METHOD, error: error.value },
      ],
    },
  ];
}
