import {
  ENTRY_MAX_CHARS,
  ENTRY_UPSTREAMS_MAX_COUNT,
  RECORD_FINDINGS_MAX_COUNT,
  RECORD_FINDINGS_TOTAL_MAX_COUNT,
  RECORD_IDS_MAX_COUNT,
  RECORD_REASON_MAX_CHARS,
} from "../../limits.ts";
import {
  type EntryProblem,
  type LedgerEntry,
  type UpstreamRecord,
  writeEntry,
  writtenChars,
} from "../../outbox/entry.ts";
import type { CandidateRecord, DiffRecord, RefreshRecord } from "../../outbox/refresh-record.ts";
import { accountName } from "../../outbox/account-name.ts";
import type { Result } from "../../result.ts";
import { createFault } from "../../spine/fault/fault.ts";
import { GENESIS } from "../../spine/fault/generation.ts";
import { EVENT_VERSION, type GatewayEvent } from "../../spine/telemetry/events.ts";
import type { LedgerOperation } from "../../spine/telemetry/operation.ts";
import { boundDiff, type CatalogDiff } from "../drift/diff.ts";
import type { ListingCall } from "./list-targets.ts";
import type { CandidateReport, MoveName, RefreshReason, ServerReport } from "./refresh-contract.ts";
import type { RefreshOutcome } from "./publish-found.ts";

/** One run, as the ledger is told of it. Times are epoch milliseconds. */
export interface RefreshRun {
  /** Unique for ever. */
  readonly key: string;
  /** The hash of the configuration's catalog settings. */
  readonly config: string;
  readonly trigger: RefreshReason | MoveName;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly intervalSeconds: number;
  readonly outcome: RefreshOutcome;
}

/** How much of a run is told. */
interface Room {
  /** Servers' accounts. */
  readonly upstreams: number;
  /** Servers' records. */
  readonly servers: number;
  /** Characters of each reason and fault's detail. */
  readonly words: number;
  readonly ids: number;
  readonly findings: number;
}

const ALL: Room = {
  upstreams: ENTRY_UPSTREAMS_MAX_COUNT,
  servers: ENTRY_UPSTREAMS_MAX_COUNT,
  words: RECORD_REASON_MAX_CHARS,
  ids: RECORD_IDS_MAX_COUNT,
  findings: RECORD_FINDINGS_TOTAL_MAX_COUNT,
};
/** What is but shown gives way first, the servers' accounts last, the event never. */
const FIRST_TO_GIVE_WAY = ["findings", "ids", "words", "servers", "upstreams"] as const;

const LISTING = "tools/list";

/**
 * The text of a run's entry: always of a legal size, whatever the configuration and its servers are, and with as much as fits.
 * Of `ENTRY_UPSTREAMS_MAX_COUNT` servers all accounts and records do: what may be missing is words about them.
 */
export function refreshEntry(run: RefreshRun): Result<string, EntryProblem> {
  return writeEntry(entryOf(run, roomFor(run)));
}

/** Each kind in its turn is left out as far as it must be, the next only where nothing of it would not do. */
function roomFor(run: RefreshRun): Room {
  const fits = (room: Room) => writtenChars(entryOf(run, room)) <= ENTRY_MAX_CHARS;
  let room = ALL;
  if (fits(room)) return room;
  for (const kind of FIRST_TO_GIVE_WAY) {
    const without = { ...room, [kind]: 0 };
    if (fits(without)) {
      return { ...room, [kind]: largest(room[kind], (count) => fits({ ...room, [kind]: count })) };
    }
    room = without;
  }
  return room;
}

/** The largest number below one that does not fit which does; 0 does. */
function largest(tooLarge: number, fits: (count: number) => boolean): number {
  let [least, most] = [0, tooLarge];
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle;
  }
  return least;
}

function entryOf(run: RefreshRun, room: Room): LedgerEntry {
  const calls = run.outcome.calls.slice(0, room.upstreams);
  return {
    key: run.key,
    event: eventOf(run),
    upstreams: calls.map((call) => upstreamOf(call, room.words)),
    refresh: recordOf(run, room),
  };
}

function upstreamOf(
  { server, generation = GENESIS, latencyMs, fault }: ListingCall,
  words: number,
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
            fault: createFault({ ...fault, generation, detail: cut(fault.detail, words) }),
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
    ...(facts?.kinds?.resource === undefined ? {} : { resource_count: facts.kinds.resource }),
    ...(facts?.kinds?.prompt === undefined ? {} : { prompt_count: facts.kinds.prompt }),
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
  const { pointer, changed, facts, failure, pin, servers } = run.outcome;
  const omitted = Math.max(0, servers.length - room.servers);
  return {
    config: run.config,
    generation: pointer?.generation ?? 0,
    hash: facts?.fingerprint ?? null,
    tools: facts?.tools ?? 0,
    ...countedKinds(facts?.kinds?.resource, facts?.kinds?.prompt),
    refreshed_at_ms: run.endedAtMs,
    interval_s: run.intervalSeconds,
    changed,
    ...(failure === undefined ? {} : { failure: cut(failure, RECORD_REASON_MAX_CHARS) }),
    servers: serversOf(servers.slice(0, room.servers), room),
    ...(omitted === 0 ? {} : { omitted_servers: omitted }),
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
  return reports.map(({ name, status, tools, resources, prompts, skipped, findings, reason, ...targets }) => {
    const shown = findings.slice(0, Math.min(left, RECORD_FINDINGS_MAX_COUNT));
    left -= shown.length;
    return {
      name: accountName(name),
      status,
      tools,
      ...countedKinds(resources, prompts),
      skipped: skipped.length,
      findings: shown.map(({ tool, code }) => ({ tool: cut(tool, 160), code: cut(code, 64) })),
      finding_count: findings.length,
      ...reasonOf(reason, room.words),
      ...targetsOf(targets, room.words),
    };
  });
}

function countedKinds(
  resources: number | undefined,
  prompts: number | undefined,
): Pick<RefreshRecord, "resources" | "prompts"> {
  return {
    ...(resources === undefined ? {} : { resources }),
    ...(prompts === undefined ? {} : { prompts }),
  };
}

function reasonOf(reason: string | undefined, words: number): { readonly reason?: string } {
  return reason === undefined || words === 0 ? {} : { reason: cut(reason, words) };
}

/** The differing ids are the refresh report's: in a status the comparison says enough. */
function targetsOf(
  {
    target,
    generation,
    rollout,
    candidate,
  }: Pick<ServerReport, "target" | "generation" | "rollout" | "candidate">,
  words: number,
): Pick<RefreshRecord["servers"][number], "target" | "generation" | "rollout" | "candidate"> {
  return {
    ...(target === undefined ? {} : { target }),
    ...(generation === undefined ? {} : { generation }),
    ...(rollout === undefined ? {} : { rollout }),
    ...(candidate === undefined ? {} : { candidate: candidateOf(candidate, words) }),
  };
}

function candidateOf(candidate: CandidateReport, words: number): CandidateRecord {
  if (candidate.status === "rejected") {
    return { status: "rejected", ...reasonOf(candidate.reason, words) };
  }
  const { comparison, tools } = candidate;
  return { status: "listed", comparison, tools };
}

/** A text within so many UTF-16 units, whole code points. */
function cut(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
}
