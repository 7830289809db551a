import * as fc from "fast-check";
import { type Accounts, foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import type { LedgerView } from "../../src/ledger/ledger-contract.ts";
import { operatorReport, type OperatorReport } from "../../src/ledger/status.ts";
import { accountName } from "../../src/outbox/account-name.ts";
import { hottest, otherHotCalls, slowest } from "../../src/spine/telemetry/hot-paths.ts";
import { writeLedger } from "../../src/spine/telemetry/ledger-json.ts";
import {
  answered,
  anyGatewayEvent,
  entry,
  hostileServerName,
  listed,
  NOON_MS,
  refreshed,
  unreachable,
} from "./entries.ts";

/** What the object answers for these accounts, at noon and a second. */
export function viewOf(accounts: Accounts, change: Partial<LedgerView> = {}): LedgerView {
  const other = otherHotCalls(accounts.hot);
  return {
    version: 1,
    now_ms: NOON_MS + 1000,
    uptime_ms: 5000,
    heard_at_ms: NOON_MS,
    gateway: writeLedger(accounts.gateway),
    servers: Array.from(accounts.servers, ([name, ledger]) => ({ name, ledger: writeLedger(ledger) })),
    tools: { hottest: hottest(accounts.hot), slowest: slowest(accounts.hot), ...(other && { other }) },
    refresh: null,
    events: { kept: 2, oldestMs: NOON_MS - 5, newestMs: NOON_MS, counts: { "browse.completed": 2 } },
    ledger: { sources: 1, dropped: 0, lost_at_ms: null, unreadable: 0, refused: 0, restarted: 0 },
    ...change,
  };
}

export function reportOf(
  servers: readonly (string | { readonly name: string; readonly disabled: boolean })[],
  view: LedgerView,
  clean: (text: string) => string = (text) => text,
): OperatorReport {
  return operatorReport({
    version: "0.1.0",
    servers: servers.map((server) =>
      typeof server === "string" ? { name: server, disabled: false } : server,
    ),
    view,
    keptLimits: { max_artifacts: 10_000, max_bytes: 1_073_741_824 },
    clean,
  });
}

/** Any gateway that has been told of anything, servers with hostile names among its own. */
export const anyReport: fc.Arbitrary<{
  readonly names: readonly string[];
  readonly view: LedgerView;
  readonly report: OperatorReport;
}> = fc
  .tuple(
    fc.uniqueArray(fc.oneof(hostileServerName, fc.string({ unit: "binary", minLength: 1 })), {
      maxLength: 45,
    }),
    fc.array(anyGatewayEvent, { maxLength: 15 }),
    fc.boolean(),
    fc.constantFrom("ok" as const, "stale" as const, "failed" as const),
    fc.string({ unit: "binary", maxLength: 256 }),
  )
  .map(([names, events, hasRefresh, status, reason]) => {
    const texts = names.map((name, index) =>
      entry(events[index] ?? BROWSE, [
        index % 3 === 0 ? unreachable(accountName(name), reason) : answered(accountName(name)),
      ]),
    );
    const { accounts } = foldEntries(NO_ACCOUNTS, [...texts, ...events.map((event) => entry(event))]);
    const servers = names.map((name) => listed(accountName(name), { status, reason }));
    const view = viewOf(accounts, hasRefresh ? { refresh: refreshed({ servers, failure: reason }) } : {});
    return { names, view, report: reportOf(names, view) };
  });

const BROWSE = {
  version: 1,
  event: "browse.completed",
  timestamp: NOON_MS,
  success: true,
  duration_ms: 1,
  session_id: null,
  tool_id: null,
  namespace: null,
  attributes: { card_count: 0 },
} as const;
