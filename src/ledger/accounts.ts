import { type EntryProblem, type LedgerEntry, readEntry, type UpstreamRecord } from "../outbox/entry.ts";
import type { RefreshRecord } from "../outbox/refresh-record.ts";
import { GENESIS } from "../spine/fault/generation.ts";
import { ledgerOperationsOf, hotCallOf } from "../spine/telemetry/event-accounts.ts";
import type { EventName } from "../spine/telemetry/event-vocabulary.ts";
import {
  type HotCall,
  type HotPaths,
  type HotProblem,
  NO_HOT_PATHS,
  recordHotCalls,
} from "../spine/telemetry/hot-paths.ts";
import { type LedgerProblem, openLedger, type OperationalLedger } from "../spine/telemetry/ledger.ts";
import { applyOperations, type LedgerOperation } from "../spine/telemetry/operation.ts";

/** Everything that is counted. Values: what has not changed is the same object afterwards, and need not be written. */
export interface Accounts {
  readonly gateway: OperationalLedger;
  /** The gateway's tools by how often and how slowly they answered. */
  readonly hot: HotPaths;
  /** By the configured server's name. */
  readonly servers: ReadonlyMap<string, OperationalLedger>;
}

export const NO_ACCOUNTS: Accounts = {
  gateway: openLedger(GENESIS),
  hot: NO_HOT_PATHS,
  servers: new Map(),
};

/** An event as it is kept: one line, and what it is looked for by. */
export interface KeptEvent {
  readonly name: EventName;
  readonly atMs: number;
  readonly line: string;
}

export interface Fold {
  readonly accounts: Accounts;
  /** In the entries' order. */
  readonly events: readonly KeptEvent[];
  /** The last of each configuration: one object tells them all, in their order, so that no clock has to be believed. */
  readonly refreshes: ReadonlyMap<string, RefreshRecord>;
  /** Entries that another version wrote, or nobody of ours: nothing of them counts. */
  readonly unreadable: readonly EntryProblem[];
  /** What could not be counted of entries that were read. */
  readonly refused: readonly (LedgerProblem | HotProblem)["reason"][];
}

/** Counts entries in their order. One that cannot be read, or not counted whole, stops nothing behind it. */
export function foldEntries(before: Accounts, texts: readonly string[]): Fold {
  const servers = new Map(before.servers);
  const refreshes = new Map<string, RefreshRecord>();
  const events: KeptEvent[] = [];
  const calls: HotCall[] = [];
  const unreadable: EntryProblem[] = [];
  const refused: Fold["refused"][number][] = [];
  let { gateway } = before;

  const apply = (ledger: OperationalLedger, operations: readonly LedgerOperation[]): OperationalLedger => {
    const applied = applyOperations(ledger, operations);
    for (const { problem } of applied.refused) refused.push(problem.reason);
    return applied.ledger;
  };
  const count = ({ event, upstreams, refresh }: LedgerEntry): void => {
    events.push({ name: event.event, atMs: event.timestamp, line: JSON.stringify(event) });
    gateway = apply(gateway, ledgerOperationsOf(event));
    const call = hotCallOf(event);
    if (call !== undefined) calls.push(call);
    for (const record of upstreams) {
      if (record.operations.length === 0) continue;
      const ledger = servers.get(record.server) ?? openLedger(GENESIS);
      servers.set(record.server, withRecord(ledger, record, apply));
    }
    if (refresh !== undefined) refreshes.set(refresh.config, refresh);
  };
  for (const text of texts) {
    const entry = readEntry(text);
    if (entry.ok) count(entry.value);
    else unreadable.push(entry.reason);
  }
  const hot = withCalls(before.hot, calls, refused);
  return { accounts: { gateway, hot, servers }, events, refreshes, unreadable, refused };
}

type Apply = (ledger: OperationalLedger, operations: readonly LedgerOperation[]) => OperationalLedger;

/**
 * What happened to one target of a server. A later target takes over first. An earlier one's calls count, and say nothing
 * of how the one in use fares: neither do its faults, nor is a row of failures ended by it.
 */
function withRecord(
  ledger: OperationalLedger,
  { generation, operations }: UpstreamRecord,
  apply: Apply,
): OperationalLedger {
  if (generation > ledger.generation) {
    return apply(apply(ledger, [{ record: "replace_worker", generation }]), operations);
  }
  if (generation === ledger.generation) return apply(ledger, operations);
  const calls = operations.filter(({ record }) => record !== "recovery_fault" && record !== "replace_worker");
  return { ...apply(ledger, calls), consecutiveFailures: ledger.consecutiveFailures };
}

function withCalls(hot: HotPaths, calls: readonly HotCall[], refused: Fold["refused"][number][]): HotPaths {
  if (calls.length === 0) return hot;
  const all = recordHotCalls(hot, calls);
  if (all.ok) return all.value;
  // One that cannot be counted must not keep back the others.
  let counted = hot;
  for (const call of calls) {
    const one = recordHotCalls(counted, [call]);
    if (one.ok) counted = one.value;
    else refused.push(one.reason.reason);
  }
  return counted;
}
