import {
  ENTRY_UPSTREAMS_MAX_COUNT,
  RECORD_FINDINGS_MAX_COUNT,
  RECORD_FINDINGS_TOTAL_MAX_COUNT,
  RECORD_IDS_MAX_COUNT,
} from "../../limits.ts";
import { type EntryProblem, type LedgerEntry, type UpstreamRecord, writeEntry } from "../../outbox/entry.ts";
import type { CandidateRecord, DiffRecord, RefreshRecord } from "../../outbox/refresh-record.ts";
import { accountName } from "../../outbox/account-name.ts";
import { fail, type Result } from "../../result.ts";
import { createFault } from "../../spine/fault/fault.ts";
import { GENESIS } from "../../spine/fault/generation.ts";
import { EVENT_VERSION, type GatewayEvent } from "../../spine/telemetry/events.ts";
import type { LedgerOperation } from "../../spine/telemetry/operation.ts";
import { boundDiff, type CatalogDiff } from "../drift/diff.ts";
import type { ListingCall } from "./list-targets.ts";
import type { CandidateReport, RefreshReason, ServerReport } from "./refresh-contract.ts";
import type { RefreshOutcome } from "./publish-found.ts";

/** One run, as the ledger is told of it. Times are epoch milliseconds. */
export interface RefreshRun {
  /** Unique for ever. */
  readonly key: string;
  /** The hash of the configuration's catalog settings. */
  readonly config: string;
  readonly trigger: RefreshReason;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly intervalSeconds: number;
  readonly outcome: RefreshOutcome;
}

/** How much of a run is told. */
interface Room {
  readonly upstreams: number;
  readonly details: boolean;
  readonly servers: number;
  readonly findings: number;
  readonly ids: number;
}

const ALL: Room = {
  upstreams: ENTRY_UPSTREAMS_MAX_COUNT,
  details: true,
  servers: ENTRY_UPSTREAMS_MAX_COUNT,
  findings: RECORD_FINDINGS_TOTAL_MAX_COUNT,
  ids: RECORD_IDS_MAX_COUNT,
};
/** Tried in turn until one fits: what is but shown gives way first, the servers' accounts last, the event never. */
const ROOMS: readonly Room[] = [
  ALL,
  { ...ALL, findings: 50, ids: 20 },
  { ...ALL, findings: 10, ids: 5 },
  { ...ALL, details: false, findings: 0, ids: 0 },
  { ...ALL, details: false, servers: 64, findings: 0, ids: 0 },
  { ...ALL, details: false, servers: 0, findings: 0, ids: 0 },
  { upstreams: 64, details: false, servers: 0, findings: 0, ids: 0 },
];

const LISTING = "tools/list";

/** The text of a run's entry: always of a legal size, whatever the configuration and its servers are. */
export function refreshEntry(run: RefreshRun): Result<string, EntryProblem> {
  let written: Result<string, EntryProblem> = fail("too_large");
  for (const room of ROOMS) {
    written = writeEntry(entryOf(run, room));
    if (written.ok || written.reason !== "too_large") return written;
  }
  return written;
}

function entryOf(run: RefreshRun, room: Room): LedgerEntry {
  const calls = run.outcome.calls.slice(0, room.upstreams);
  return {
    key: run.key,
    event: eventOf(run),
    upstreams: calls.map((call) => upstreamOf(call, room.details)),
    refresh: recordOf(run, room),
  };
}

function upstreamOf(
  { server, generation = GENESIS, latencyMs, fault }: ListingCall,
  details: boolean,
): UpstreamRecord {
  const request: LedgerOperation = { record: "request", method: LISTING };
  const latency_ms = latencyMs;
  const ended: readonly LedgerOperation[] =
    fault === undefined
      ? [{ record: "success", method: LISTING, latency_ms }]
      : [
          {
            record: "recovery_fault",
            method: LISTING,
            fault: createFault({ ...fault, generation, ...(details ? {} : { detail: "" }) }),
          },
          { record: "error", method: LISTING, latency_ms, error: fault.code },
        ];
  return { server: accountName(server), generation, operations: [request, ...ended] };
}

function eventOf({ trigger, startedAtMs, endedAtMs, outcome }: RefreshRun): GatewayEvent {
  const { servers, pointer, facts, diff, changed, failureCode } = outcome;
  const sum = (count: (server: ServerReport) => number) =>
    servers.reduce((total, server) => total + count(server), 0);
  const told = {
    version: EVENT_VERSION,
    timestamp: endedAtMs,
    success: failureCode === undefined,
    duration_ms: Math.max(0, endedAtMs - startedAtMs),
    session_id: null,
    tool_id: null,
    namespace: null,
  } as const;
  const attributes = {
    server_count: servers.length,
    tool_count: facts?.tools ?? 0,
    skipped_count: sum(({ skipped }) => skipped.length),
    stale_count: sum(({ status }) => (status === "stale" ? 1 : 0)),
    finding_count: sum(({ findings }) => findings.length),
    generation: pointer?.generation ?? 0,
    trigger,
    ...(failureCode === undefined ? {} : { error_code: failureCode }),
  };
  if (outcome.first) return { ...told, event: "catalog.loaded", attributes };
  return { ...told, event: "catalog.refresh", attributes: { ...attributes, changed, ...countsOf(diff) } };
}

function countsOf(diff: CatalogDiff | undefined) {
  if (diff === undefined) return {};
  return {
    added_count: diff.added.length,
    removed_count: diff.removed.length,
    changed_count: diff.changed.length,
  };
}

function recordOf(run: RefreshRun, room: Room): RefreshRecord {
  const { pointer, changed, facts, failure, pin } = run.outcome;
  return {
    config: run.config,
    generation: pointer?.generation ?? 0,
    hash: facts?.fingerprint ?? null,
    tools: facts?.tools ?? 0,
    refreshed_at_ms: run.endedAtMs,
    interval_s: run.intervalSeconds,
    changed,
    ...(failure === undefined ? {} : { failure: cut(failure, 256) }),
    servers: serversOf(run.outcome.servers.slice(0, room.servers), room),
    ...driftOf(run.outcome, room.ids),
    ...(pin === undefined ? {} : { pin }),
  };
}

/** A refused diff led to no generation; it is told until there is another. */
function driftOf(
  { diff, failureCode, facts }: RefreshOutcome,
  ids: number,
): Pick<RefreshRecord, "diff" | "diff_generation"> {
  if (failureCode === "pin_mismatch" && diff !== undefined) return { diff: boundDiff(diff, ids) };
  if (facts?.drift === undefined) return {};
  return { diff: rebound(facts.drift.diff, ids), diff_generation: facts.drift.generation };
}

function rebound({ omitted: before = 0, ...diff }: DiffRecord, ids: number): DiffRecord {
  const { omitted: more = 0, ...bound } = boundDiff(diff, ids);
  return before + more === 0 ? bound : { ...bound, omitted: before + more };
}

function serversOf(reports: readonly ServerReport[], room: Room): RefreshRecord["servers"] {
  let left = room.findings;
  return reports.map(({ name, status, tools, skipped, findings, reason, ...targets }) => {
    const shown = findings.slice(0, Math.min(left, RECORD_FINDINGS_MAX_COUNT));
    left -= shown.length;
    return {
      name: accountName(name),
      status,
      tools,
      skipped: skipped.length,
      findings: shown.map(({ tool, code }) => ({ tool: cut(tool, 160), code: cut(code, 64) })),
      finding_count: findings.length,
      ...(reason === undefined || !room.details ? {} : { reason: cut(reason, 256) }),
      ...targetsOf(targets, room.details),
    };
  });
}

/** The differing ids are the refresh report's: in a status the comparison says enough. */
function targetsOf(
  {
    target,
    generation,
    rollout,
    candidate,
  }: Pick<ServerReport, "target" | "generation" | "rollout" | "candidate">,
  details: boolean,
): Pick<RefreshRecord["servers"][number], "target" | "generation" | "rollout" | "candidate"> {
  return {
    ...(target === undefined ? {} : { target }),
    ...(generation === undefined ? {} : { generation }),
    ...(rollout === undefined ? {} : { rollout }),
    ...(candidate === undefined ? {} : { candidate: candidateOf(candidate, details) }),
  };
}

function candidateOf(candidate: CandidateReport, details: boolean): CandidateRecord {
  if (candidate.status === "rejected") {
    return { status: "rejected", ...(details ? { reason: cut(candidate.reason, 256) } : {}) };
  }
  const { comparison, tools } = candidate;
  return { status: "listed", comparison, tools };
}

/** A text within so many UTF-16 units, whole code points. */
function cut(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
}
