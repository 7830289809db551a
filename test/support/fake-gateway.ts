import { deriveKeyRings } from "../../src/access/keys.ts";
import type { Catalog, CatalogPort } from "../../src/catalog/catalog.ts";
import { type Config, formatProblems, parseConfig } from "../../src/config.ts";
import type { KeptSession } from "../../src/dispatch/admission.ts";
import type { Upstream, UpstreamCall, UpstreamReport } from "../../src/dispatch/ports.ts";
import type { UpstreamFailure } from "../../src/errors.ts";
import type { ArtifactRecord } from "../../src/firewall/artifacts/artifact.ts";
import { controlPorts } from "../../src/gateway/controls.ts";
import type { GatewayPorts, WaitingCall } from "../../src/gateway/ports.ts";
import type { Admission, AdmitAsk, RequestContext } from "../../src/gateway/request-context.ts";
import { RunningCalls } from "../../src/gateway/running-calls.ts";
import { gatewaySurface } from "../../src/gateway/surface.ts";
import type { ToolAnswer } from "../../src/surface.ts";
import { isRecord, memberOf } from "../../src/json.ts";
import type { SettleReport } from "../../src/principal/admit-contract.ts";
import { arrange, type BrowseState, stateFor, withSeen } from "../../src/principal/browse-state.ts";
import { type LedgerEntry, readEntry } from "../../src/outbox/entry.ts";
import { fail, ok, type Result } from "../../src/result.ts";
import type { LargeSinks } from "../../src/large-result.ts";
import { UPSTREAM_BUFFERS_MAX_BYTES } from "../../src/limits.ts";
import { createBufferBudget } from "../../src/upstream/buffer-budget.ts";
import { createValidatorCache } from "../../src/schema/validator-cache.ts";
import { redactorPorts } from "../../src/gateway/redactors.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { fakeCatalogs } from "./fake-catalog.ts";
import { memoryArtifacts } from "./memory-artifacts.ts";

const rings = await deriveKeyRings({ LOOMGATE_KEY: "a key of the tests, long enough to be taken" });
if (!rings.ok) throw new Error(rings.reason.reason);
const artifactKeys = rings.value.artifact;

export interface FakeCall {
  readonly server: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly session: KeptSession | undefined;
  /** All of it, as the upstream is asked. */
  readonly request: UpstreamCall;
}

/** A word to an upstream that nobody waits for a request any more. */
interface FakeCancel {
  readonly server: string;
  readonly requestId: string;
  readonly reason: string | undefined;
  readonly session: KeptSession | undefined;
}

export interface FakeGatewayOptions {
  readonly catalog?: Catalog;
  readonly catalogs?: CatalogPort;
  readonly cacheStable?: boolean;
  readonly secrets?: readonly string[];
  readonly answer?: (
    call: FakeCall,
  ) =>
    | Result<Record<string, unknown>, UpstreamFailure>
    | Promise<Result<Record<string, unknown>, UpstreamFailure>>;
  /** The result of an answer that was too large to hold, whose payloads went into the sinks. */
  readonly stream?: (sinks: LargeSinks) => Promise<Record<string, unknown>>;
  /** What the upstream wanted of its client meanwhile. */
  readonly wanted?: UpstreamReport["wanted"];
  /** The session that the upstream leaves behind a call. */
  readonly session?: (call: FakeCall) => KeptSession | null;
  readonly noServer?: boolean;
  /** The upstream answers by itself. */
  readonly isLocal?: true;
  /** What `loomgate.jsonc` says. */
  readonly config?: object;
  /** The desk where approvals are put does not answer. */
  readonly noDesk?: boolean;
}

export function configOf(json: object): Config {
  const parsed = parseConfig(JSON.stringify(json));
  if (!parsed.ok) throw new Error(formatProblems(parsed.reason));
  return parsed.value;
}

const OPENED: KeptSession = { sessionId: "s-1", protocolVersion: "2025-11-25" };

/** The whole gateway over fakes that count what is asked of them. */
export function fakeGateway(options: FakeGatewayOptions) {
  const calls: FakeCall[] = [];
  const cancels: FakeCancel[] = [];
  const log: string[] = [];
  const clock = { nowMs: Date.parse("2026-11-27T00:00:00Z") };
  const artifacts = memoryArtifacts(() => clock.nowMs);
  const buffers = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => clock.nowMs);
  const waiting: WaitingCall[] = [];
  const config = configOf(options.config ?? {});
  let ids = 0;
  const upstream = (server: string): Result<Upstream, string> =>
    options.noServer === true
      ? fail("the environment variable X is not set")
      : ok({
          ...(options.isLocal === true ? { isLocal: true } : {}),
          sessionKey: `key of ${server}`,
          timeoutMs: 30_000,
          call: async (request) => {
            const { params, session, sinks } = request;
            const [named, args] = [params["name"] ?? params["uri"], params["arguments"]];
            const name = typeof named === "string" ? named : "";
            const call = { server, name, args: isRecord(args) ? args : {}, session, request };
            calls.push(call);
            const large = sinks === undefined ? undefined : options.stream?.(sinks);
            const answer = await (large?.then(ok) ??
              options.answer?.(call) ??
              ok({ content: [{ type: "text", text: "fine" }] }));
            return {
              answer,
              session: options.session === undefined ? OPENED : options.session(call),
              ...(options.wanted === undefined ? {} : { wanted: options.wanted }),
            };
          },
          cancel: async (requestId, reason, session) => {
            cancels.push({ server, requestId, reason, session });
          },
        });
  const ports: GatewayPorts = {
    catalogs:
      options.catalogs ??
      fakeCatalogs(
        options.catalog === undefined
          ? fail({ reason: "catalog_unavailable", detail: "none" })
          : ok(options.catalog),
      ),
    validators: createValidatorCache(),
    running: new RunningCalls(),
    artifacts,
    buffers,
    artifactKeys,
    upstream,
    scrubber: createScrubber(options.secrets ?? []),
    ...redactorPorts(config),
    settings: { topK: 10, cacheStable: options.cacheStable ?? false },
    ...controlPorts(config),
    approvals: {
      record: async (call) => {
        waiting.push(call);
        return options.noDesk === true ? fail("D1 did not answer") : ok(undefined);
      },
    },
    newId: () => `id-${(ids += 1)}`,
    now: () => clock.nowMs,
    random: () => 0,
    sleep: async (delayMs) => {
      clock.nowMs += delayMs;
    },
    log: (detail) => {
      log.push(detail);
    },
  };
  return { surface: gatewaySurface(ports), ports, buffers, artifacts, calls, cancels, log, clock, waiting };
}

/** What `admit` says of a call that needs a person, until one has consented. */
export const approvalRequired = (ask: AdmitAsk): Admission | undefined =>
  ask.approval
    ? {
        version: 1,
        admitted: false,
        reason: "approval_required",
        approvalId: "a-1",
        expiresAtMs: Date.parse("2026-11-27T01:00:00Z"),
        created: true,
        rowsWritten: 1,
      }
    : undefined;

/** One principal with one session, as its object keeps it; `admit` and `settle` are counted, and what calls tell is read. */
export function fakeCaller(
  overrides: {
    readonly principal?: string;
    readonly sees?: (id: string) => boolean;
    /** What `admit` says instead of letting the call in, if anything. */
    readonly answer?: (ask: AdmitAsk) => Admission | undefined;
    readonly newestGeneration?: number;
    /** How much of each call's result may be kept. */
    readonly allowance?: { readonly bytes: number; readonly count: number };
    /** The generation that the session was told of before, at every look of it. */
    readonly changedFrom?: number;
    /** Every call that is noted was taken back meanwhile. */
    readonly cancelled?: boolean;
    /** `settle` comes late, or never. */
    readonly losesSettle?: boolean;
  } = {},
) {
  const asks: AdmitAsk[] = [];
  const notes: Parameters<RequestContext["noteFlight"]>[0][] = [];
  /** What was settled besides how calls ended. */
  const reports: Omit<SettleReport, "version" | "told">[] = [];
  /** The attempts whose room is free again. */
  const settled: string[] = [];
  /** How calls ended, as the principal's object reads it. */
  const told: LedgerEntry[] = [];
  let settles = 0;
  const background: Promise<unknown>[] = [];
  const sessions = new Map<string, { key: string; sessionId: string; protocolVersion: string }>();
  const rows = new Map<string, ArtifactRecord>();
  let browsed: BrowseState | null = null;
  const context: RequestContext = {
    principal: overrides.principal ?? "ada",
    sessionKey: "session",
    sees: Object.assign(overrides.sees ?? (() => true), {
      key: overrides.sees === undefined ? null : "some",
    }),
    admit: async (ask) => {
      asks.push(ask);
      const answered = overrides.answer?.(ask);
      if (answered !== undefined) return answered;
      const newest = overrides.newestGeneration ?? ask.catalogVersion?.generation ?? null;
      const stale = newest !== null && ask.catalogVersion ? newest > ask.catalogVersion.generation : false;
      let arrangement = null;
      if (ask.browse && ask.catalogVersion && !stale) {
        const arranged = arrange(stateFor(browsed, ask.catalogVersion), ask.browse.cards, null);
        browsed = arranged.state;
        arrangement = arranged.arrangement;
      }
      return {
        version: 1,
        admitted: true,
        newestGeneration: newest,
        stale,
        arrangement,
        upstreamSessions: (ask.upstreams ?? []).flatMap((key) => sessions.get(key) ?? []),
        ...(ask.approval ? { approval: "granted" as const } : {}),
        ...(ask.browses === true && overrides.changedFrom !== undefined
          ? { changedFrom: overrides.changedFrom }
          : {}),
        ...(overrides.allowance ? { artifactAllowance: overrides.allowance } : {}),
        ...(ask.artifacts ? { artifacts: ask.artifacts.flatMap((handle) => rows.get(handle) ?? []) } : {}),
        rowsWritten: 0,
      };
    },
    noteFlight: async (note) => {
      notes.push(note);
      return overrides.cancelled === true;
    },
    settle: ({ told: texts, attempt, ...report }) => {
      if (typeof attempt === "string") settled.push(attempt);
      settles += 1;
      for (const text of texts ?? []) {
        const entry = readEntry(text);
        if (!entry.ok) throw new Error(`an entry is ${entry.reason}: ${text}`);
        told.push(entry.value);
      }
      if (Object.keys(report).length === 0) return;
      reports.push(report);
      if (overrides.losesSettle === true) return;
      for (const lost of report.lost ?? []) sessions.delete(lost.key);
      for (const opened of report.opened ?? []) sessions.set(opened.key, opened);
      for (const { storedAs, ...row } of report.artifacts ?? []) {
        rows.set(row.handle, { ...row, storedAs: storedAs ?? undefined });
      }
      if (report.seen) {
        browsed = withSeen(stateFor(browsed, report.seen.catalogVersion), report.seen.cards);
      }
    },
    waitUntil: (work) => {
      background.push(work);
    },
  };
  return { context, asks, notes, reports, settled, told, settles: () => settles, background, rows, sessions };
}

/** The text of one part of an answer. */
export function textOf(answer: ToolAnswer | undefined, part = 0): string {
  const text = memberOf(answer?.content[part], "text");
  if (typeof text !== "string") throw new Error(`part ${part} is no text: ${JSON.stringify(answer)}`);
  return text;
}

export function jsonOf(answer: ToolAnswer | undefined): Record<string, unknown> {
  return recordOf(JSON.parse(textOf(answer)));
}

export function envelopeOf(answer: ToolAnswer | undefined): Record<string, unknown> {
  return recordOf(memberOf(answer?.["_meta"], "loomgate/envelope"));
}

/** A member that has to be a list. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const list: unknown = memberOf(value, key);
  if (!Array.isArray(list)) throw new Error(`${key} is no list`);
  return list;
}

/** A value that has to be an object. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw new Error("not an object");
  return value;
}
