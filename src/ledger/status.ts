import { LOSS_DEGRADES_SECONDS, REFRESH_OVERDUE_INTERVALS_COUNT } from "../limits.ts";
import { accountName } from "../outbox/account-name.ts";
import type { CandidateRecord, DiffRecord, PinRecord, RefreshRecord } from "../outbox/refresh-record.ts";
import type { TargetName } from "../server-target.ts";
import type { Fault } from "../spine/fault/fault.ts";
import type { HealthSnapshot } from "../spine/health/snapshot.ts";
import { NO_CALLS } from "../spine/telemetry/counters.ts";
import type { HotFigures, HotLine } from "../spine/telemetry/hot-paths.ts";
import type { OperationalLedger } from "../spine/telemetry/ledger.ts";
import type { TelemetrySnapshot } from "../spine/telemetry/snapshot.ts";
import type { KeptFigures, LedgerFigures, LedgerView } from "./ledger-contract.ts";
import { healthOf, ledgerOf, telemetryOf } from "./upstream-health.ts";

export const OVERALL_STATUSES = ["ok", "degraded", "failing"] as const;
export const SERVER_STATUSES = ["ok", "stale", "failed", "unknown", "disabled"] as const;

/** What the operator is shown, as it is on the wire. Times are ISO 8601. */
export interface OperatorStatus {
  readonly status: (typeof OVERALL_STATUSES)[number];
  /** Why it is no better, one line each. */
  readonly reasons: readonly string[];
  readonly version: string;
  /** The newest word from any object; null: there was none. */
  readonly as_of: string | null;
  /** Null: no refresh of this configuration has been told. */
  readonly catalog: CatalogStatus | null;
  readonly servers: readonly ServerStatus[];
  readonly telemetry: TelemetrySnapshot;
  readonly tools: {
    readonly hottest: readonly ToolFigures[];
    readonly slowest: readonly ToolFigures[];
    readonly other?: HotFigures;
  };
  readonly events: {
    readonly kept: number;
    readonly oldest: string | null;
    readonly newest: string | null;
    readonly counts: Readonly<Record<string, number>>;
  };
  /** What is kept of results: of all principals, and what one of them may keep. */
  readonly kept: KeptFigures & KeptLimits;
  readonly ledger: Omit<LedgerFigures, "lost_at_ms"> & {
    /** When something was last dropped, unreadable or refused, or an account began anew. */
    readonly lost_at: string | null;
  };
}

/** As the asking Worker's configuration has it. */
export interface KeptLimits {
  readonly max_artifacts: number;
  readonly max_bytes: number;
}

export interface CatalogStatus {
  /** 0: none has ever been published. */
  readonly generation: number;
  readonly hash: string | null;
  readonly tools: number;
  /** Absent where there are none. */
  readonly resources?: number;
  readonly prompts?: number;
  readonly refreshed_at: string | null;
  readonly age_s: number;
  /** Why the last refresh could publish nothing: the catalog is that of an earlier one. */
  readonly failure?: string;
  /** Servers whose tools are those of an earlier listing. */
  readonly stale: readonly string[];
  readonly findings: number;
  readonly pin?: PinRecord;
  /** The last change, and the generation that it led to; null where it was not published. */
  readonly diff?: DiffRecord & { readonly generation: number | null };
  /** Servers that are too many to be told of one by one. */
  readonly omitted_servers?: number;
}

export interface ServerStatus {
  readonly name: string;
  /** Of its last listing; `unknown`: none was told. */
  readonly status: (typeof SERVER_STATUSES)[number];
  readonly tools: number;
  /** Absent where it has none. */
  readonly resources?: number;
  readonly prompts?: number;
  readonly skipped: number;
  /** The first of them; `finding_count` counts all. */
  readonly findings: readonly { readonly tool: string; readonly code: string }[];
  readonly finding_count: number;
  readonly reason?: string;
  /** Where its calls go. */
  readonly target: TargetName;
  /** Its other target, where it has one. */
  readonly candidate?: CandidateRecord;
  /** Of tools alone and of all time: `health` is of listings too, and a good one ends its row of failures. */
  readonly calls: { readonly requests: number; readonly errors: number };
  readonly health: HealthSnapshot;
}

export interface ToolFigures extends HotFigures {
  readonly tool: string;
}

export interface StatusSources {
  readonly version: string;
  /** The configured servers of the asking Worker, in the configuration's order. */
  readonly servers: readonly { readonly name: string; readonly disabled: boolean }[];
  readonly view: LedgerView;
  readonly keptLimits: KeptLimits;
  /** Takes secrets out of a text: a server may have called a tool by its own credential. */
  readonly clean: (text: string) => string;
}

/** The status, and the accounts that its figures and the metrics come from. */
export interface OperatorReport {
  readonly status: OperatorStatus;
  readonly gateway: OperationalLedger;
  /** As many as `status.servers`, in their order. */
  readonly servers: readonly { readonly status: ServerStatus; readonly ledger: OperationalLedger }[];
}

/** Everything that an operator is told, from one view of the ledger. */
export function operatorReport({ version, servers, view, keptLimits, clean }: StatusSources): OperatorReport {
  const ledgers = new Map(view.servers.map(({ name, ledger }) => [name, ledger]));
  const records = new Map(view.refresh?.servers.map((record) => [record.name, record]));
  const told = servers.map(({ name, disabled }) => {
    const ledger = ledgerOf(ledgers.get(accountName(name)));
    const record = records.get(accountName(name));
    const health = withoutSecrets(healthOf(ledger, view.uptime_ms, record?.rollout), clean);
    const counted = { calls: callsOf(ledger), health };
    return { status: serverStatus(clean(name), disabled, record, counted, clean), ledger };
  });
  const statuses = told.map(({ status }) => status);
  const catalog = view.refresh === null ? null : catalogStatus(view.refresh, view.now_ms, clean);
  const gateway = ledgerOf(view.gateway);
  const telemetry = withoutSecrets(telemetryOf(gateway, gatewayStanding(catalog), view.uptime_ms), clean);
  const { lost_at_ms: lostAtMs, ...ledger } = view.ledger;
  const judged = judge(view, catalog, statuses);
  const status: OperatorStatus = {
    ...judged,
    version,
    as_of: isoOf(view.heard_at_ms),
    catalog,
    servers: statuses,
    telemetry,
    tools: {
      hottest: view.tools.hottest.map((line) => toolFigures(line, clean)),
      slowest: view.tools.slowest.map((line) => toolFigures(line, clean)),
      ...(view.tools.other === undefined ? {} : { other: view.tools.other }),
    },
    events: {
      kept: view.events.kept,
      oldest: isoOf(view.events.oldestMs),
      newest: isoOf(view.events.newestMs),
      counts: view.events.counts,
    },
    kept: { ...(view.kept ?? NOTHING_KEPT), ...keptLimits },
    ledger: { ...ledger, lost_at: isoOf(lostAtMs) },
  };
  return { status, gateway, servers: told };
}

const NOTHING_KEPT: KeptFigures = {
  principals: 0,
  artifacts: 0,
  bytes: 0,
  most_artifacts: 0,
  most_bytes: 0,
};

type ServerRecord = RefreshRecord["servers"][number];

function serverStatus(
  name: string,
  disabled: boolean,
  record: ServerRecord | undefined,
  counted: Pick<ServerStatus, "calls" | "health">,
  clean: (text: string) => string,
): ServerStatus {
  return {
    name,
    status: disabled ? "disabled" : (record?.status ?? "unknown"),
    tools: record?.tools ?? 0,
    ...otherKinds(record),
    skipped: record?.skipped ?? 0,
    findings: (record?.findings ?? []).map(({ tool, code }) => ({ tool: clean(tool), code: clean(code) })),
    finding_count: record?.finding_count ?? 0,
    ...(record?.reason === undefined ? {} : { reason: clean(record.reason) }),
    target: record?.target ?? "configured",
    ...(record?.candidate === undefined ? {} : { candidate: cleanCandidate(record.candidate, clean) }),
    ...counted,
  };
}

function otherKinds(
  record: Pick<RefreshRecord, "resources" | "prompts"> | undefined,
): Pick<ServerStatus, "resources" | "prompts"> {
  const { resources, prompts } = record ?? {};
  return {
    ...(resources === undefined ? {} : { resources }),
    ...(prompts === undefined ? {} : { prompts }),
  };
}

function callsOf({ methods }: OperationalLedger): ServerStatus["calls"] {
  const { request_count: requests, error_count: errors } = methods.get("tools/call")?.counters ?? NO_CALLS;
  return { requests, errors };
}

function cleanCandidate(candidate: CandidateRecord, clean: (text: string) => string): CandidateRecord {
  const { reason } = candidate;
  return reason === undefined ? candidate : { ...candidate, reason: clean(reason) };
}

function catalogStatus(record: RefreshRecord, nowMs: number, clean: (text: string) => string): CatalogStatus {
  const { servers, diff, pin, failure } = record;
  return {
    generation: record.generation,
    hash: record.hash,
    tools: record.tools,
    ...otherKinds(record),
    refreshed_at: isoOf(record.refreshed_at_ms),
    age_s: ageSeconds(record.refreshed_at_ms, nowMs),
    ...(failure === undefined ? {} : { failure: clean(failure) }),
    stale: servers.filter(({ status }) => status === "stale").map(({ name }) => clean(name)),
    findings: servers.reduce((sum, { finding_count }) => sum + finding_count, 0),
    ...(pin === undefined ? {} : { pin }),
    ...(diff === undefined
      ? {}
      : { diff: { generation: record.diff_generation ?? null, ...cleanDiff(diff, clean) } }),
    ...(record.omitted_servers === undefined ? {} : { omitted_servers: record.omitted_servers }),
  };
}

function cleanDiff(diff: DiffRecord, clean: (text: string) => string): DiffRecord {
  return {
    added: diff.added.map((id) => clean(id)),
    removed: diff.removed.map((id) => clean(id)),
    changed: diff.changed.map(({ id, change }) => ({ id: clean(id), change })),
    replaced: diff.replaced.map(({ id, was }) => ({ id: clean(id), was: clean(was) })),
    ...(diff.omitted === undefined ? {} : { omitted: diff.omitted }),
  };
}

/** The gateway itself answers, or nobody would ask; it serves once it has a catalog. */
function gatewayStanding(catalog: CatalogStatus | null): Parameters<typeof telemetryOf>[1] {
  if (catalog === null) return { lifecycle: "cold", handshake: "absent" };
  return catalog.generation === 0
    ? { lifecycle: "starting", handshake: "failed" }
    : { lifecycle: "ready", handshake: "ready" };
}

/** The worst that is found, and everything that is: what is wrong with the whole before what is wrong with a server. */
function judge(
  view: LedgerView,
  catalog: CatalogStatus | null,
  servers: readonly ServerStatus[],
): Pick<OperatorStatus, "status" | "reasons"> {
  const failing: string[] = [];
  const degraded: string[] = [];
  if (catalog === null) failing.push("no refresh of this configuration has been told");
  else if (catalog.generation === 0)
    failing.push(`no catalog has been published${behind(catalog.failure, ": ")}`);
  const enabled = servers.filter(({ status }) => status !== "disabled");
  if (enabled.length > 0 && enabled.every(({ status }) => status !== "ok")) failing.push("no server is ok");
  if (catalog !== null && catalog.generation > 0 && catalog.failure !== undefined) {
    degraded.push(`the catalog is frozen at generation ${catalog.generation}: ${catalog.failure}`);
  }
  if (catalog?.pin?.matches === false) degraded.push(pinReason(catalog.pin, catalog.generation));
  const { dropped, unreadable, refused, restarted, lost_at_ms: lostAtMs } = view.ledger;
  if (lostAtMs !== null && ageSeconds(lostAtMs, view.now_ms) < LOSS_DEGRADES_SECONDS) {
    const lost = `${dropped} dropped, ${unreadable} unreadable, ${refused} refused, ${restarted} begun anew`;
    degraded.push(`not everything is counted: ${lost}, the last at ${isoOf(lostAtMs)}`);
  }
  if (catalog !== null && view.refresh !== null) {
    const { interval_s: interval } = view.refresh;
    if (interval > 0 && catalog.age_s > interval * REFRESH_OVERDUE_INTERVALS_COUNT) {
      degraded.push(`the last refresh was ${catalog.age_s} s ago; one is due every ${interval} s`);
    }
  }
  const omitted = catalog?.omitted_servers ?? 0;
  if (omitted > 0)
    degraded.push(`${omitted} server(s) are too many to be told of: POST /admin/refresh has all`);
  for (const { name, status, reason, target, candidate, health } of enabled) {
    if (status === "stale" || status === "failed") {
      degraded.push(`${name}: ${status}${behind(reason)}`);
    }
    // Once the candidate serves, what became of the old target is no matter.
    if (candidate?.status === "rejected" && target === "configured") {
      degraded.push(`${name}: its candidate was rejected${behind(candidate.reason)}`);
    }
    if (health.state === "recovering") {
      const last = health.last_fault === undefined ? "" : `, the last ${health.last_fault.code}`;
      degraded.push(`${name}: ${health.consecutive_failures} failure(s) since a success${last}`);
    }
  }
  const status = failing.length > 0 ? "failing" : degraded.length > 0 ? "degraded" : "ok";
  return { status, reasons: [...failing, ...degraded] };
}

function behind(reason: string | undefined, sign = ", "): string {
  return reason === undefined ? "" : `${sign}${reason}`;
}

function pinReason({ mode, expected, actual }: PinRecord, generation: number): string {
  if (actual === null) return "the catalog could not be compared with the pin: a required server is missing";
  if (mode === "warn") {
    return `the catalog is not the pinned one (warn): ${expected} is pinned, ${actual} was found`;
  }
  const served = generation === 0 ? "and nothing is served" : "and served on";
  return `the servers offer another catalog than the pinned one (strict): ${expected} is pinned ${served}, ${actual} was found`;
}

function toolFigures({ key, ...figures }: HotLine, clean: (text: string) => string): ToolFigures {
  return { tool: clean(key), ...figures };
}

function withoutSecrets<Payload extends { readonly last_fault?: Fault }>(
  payload: Payload,
  clean: (text: string) => string,
): Payload {
  const { last_fault: fault } = payload;
  if (fault === undefined) return payload;
  return { ...payload, last_fault: { ...fault, detail: clean(fault.detail) } };
}

/** A time beyond the calendar is none. */
function isoOf(ms: number | null): string | null {
  if (ms === null) return null;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function ageSeconds(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - thenMs) / 1000));
}
