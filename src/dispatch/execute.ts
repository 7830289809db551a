import type { GatewayFailure } from "../errors.ts";
import { isRecord } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ExecutionKnowledge } from "../spine/replay/knowledge.ts";
import type { CallOrigin } from "../surface.ts";
import type { FirstAnswer } from "./admission.ts";
import { askOf, type Admitted, judgeAdmission } from "./admit.ts";
import type { CacheQuestion } from "./cache/question.ts";
import { cacheable, recall, remember } from "./cached.ts";
import { type CallAccount, openAccount } from "./call-account.ts";
import { dryRun, type DryRunReport } from "./dry-run.ts";
import { hydrate, type Hydrated } from "./hydrate.ts";
import { asMeant, type JudgedCall } from "./meant.ts";
import { permit } from "./permit.ts";
import type {
  CallNotes,
  DispatchCatalog,
  DispatchTool,
  ExecutePorts,
  JournalReport,
  KeptArtifact,
  PresentedAnswer,
  Unavailable,
  Upstream,
} from "./ports.ts";
import { UNKNOWN_TOOLS_CONTRACT } from "./replay.ts";
import { send, type Sent } from "./send.ts";
import { settle } from "./settle.ts";
import { repairArguments } from "./tolerant.ts";
import { standingOf, type ToolStanding } from "./tool-standing.ts";
import { validate } from "./validate.ts";
import type { Verb } from "./verb.ts";

/** One call as the model asked for it. */
export interface ExecuteOperation {
  readonly verb: Verb;
  /** A canonical id or a listed name, or whatever else `find` of the ports knows. */
  readonly toolId: string;
  /** How failures name it. */
  readonly path: string;
  /** An object, or where arguments are repaired the text of one. */
  readonly args: unknown;
  readonly dryRun: boolean;
  readonly origin: CallOrigin;
  /**
   * The answer is the server's result itself. Under one name such a call is another than one whose result is shown: the
   * first answer of the one would be no answer to the other.
   */
  readonly wholeAnswer?: true;
}

export type Executed<Answer> =
  | { readonly kind: "failed"; readonly failure: GatewayFailure }
  | { readonly kind: "report"; readonly report: DryRunReport }
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The call was made before, under the same name: this is what it answered. */
  | { readonly kind: "repeated"; readonly toolId: string; readonly first: FirstAnswer };

/** A call that may be made. */
interface Ready<Tool> extends JudgedCall<Tool> {
  readonly verb: Verb;
  readonly notes: CallNotes;
  readonly upstream: Upstream;
  /** Where its answer is kept, and the one that is kept there. */
  readonly place: CacheQuestion | undefined;
  readonly cached: Sent | undefined;
  readonly admitted: Admitted;
  /** Under which it stands in the journal; `null` where it does not. */
  readonly attempt: string | null;
}

type Prepared<Tool> =
  | { readonly stale: false; readonly ready: Ready<Tool> }
  | {
      readonly stale: false;
      readonly ready?: undefined;
      readonly hydrated: Hydrated<Tool>;
      readonly first: FirstAnswer;
    }
  | { readonly stale: true; readonly newestGeneration: number };

/**
 * The execute pipeline: hydrate, policy, tolerant arguments, validate, admit, dry run, cache, send, present, settle. Up to
 * `admit` nothing has happened that could not be asked again; from `send` on the call outlives its caller, so that its
 * result and its session are not lost. Every way out of it settles, once.
 */
export async function execute<Tool extends DispatchTool, Answer>(
  operation: ExecuteOperation,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Executed<Answer>> {
  // One attempt, whichever catalog it is judged by: what it commits, it commits once.
  const attempt = ports.newId();
  let account = openAccount<Tool>(attempt, operation.dryRun);
  let prepared = await prepare(operation, account, await ports.catalogs.current(), ports);
  if (prepared.ok && prepared.value.stale) {
    // The principal was answered from a newer catalog before: it must not meet an older one now.
    const newer = await ports.catalogs.atLeast(prepared.value.newestGeneration);
    account = openAccount(attempt, operation.dryRun);
    prepared = await prepare(operation, account, newer, ports);
  }
  if (!prepared.ok) return settle({ kind: "failed", failure: prepared.reason }, account, {}, ports);
  if (prepared.value.stale) {
    return settle({ kind: "failed", failure: stillStale(operation.path) }, account, {}, ports);
  }
  if (prepared.value.ready === undefined) {
    const { hydrated, first } = prepared.value;
    return settle({ kind: "repeated", toolId: hydrated.tool.id, first }, account, { hydrated }, ports);
  }
  const { ready } = prepared.value;
  const { hydrated } = ready;
  if (operation.dryRun) {
    return settle({ kind: "report", report: dryRun(hydrated, ready) }, account, { hydrated }, ports);
  }
  const work = complete(ready, account, ports);
  ports.waitUntil(work);
  return work;
}

/** Everything before the call: what is asked of the caller, of the catalog, of the rules and of the principal's object. */
async function prepare<Tool extends DispatchTool, Answer>(
  { verb, toolId, path, args: asked, dryRun, origin, wholeAnswer }: ExecuteOperation,
  account: CallAccount<Tool>,
  loaded: Result<DispatchCatalog<Tool>, Unavailable>,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Result<Prepared<Tool>, GatewayFailure>> {
  const { controls, principal } = ports;
  const asHydrated = await hydrate(verb, toolId, path, loaded, ports);
  if (!asHydrated.ok) return asHydrated;
  const found = asHydrated.value;
  const asFound = standingOf(verb, found.tool, found.definition, controls);
  account.tool = found.tool;
  account.generation = found.catalog.version.generation;
  account.replay = asFound.replay;

  const { permitted, ruleIndex } = permit(controls.gateway.policy, verb.metaTool, asFound.facts, principal);
  account.ruleIndex = ruleIndex;
  if (!permitted.ok) return permitted;
  account.needsConsent = permitted.value.rule !== null;

  const given = givenTo(found, asked);
  if (!given.ok) return given;
  const { args: repaired, repairs } = controls.gateway.tolerant_args
    ? repairArguments(given.value, found.schema)
    : { args: given.value, repairs: [] };
  account.repairs = repairs.length;
  account.argCount = isRecord(repaired) ? Object.keys(repaired).length : null;
  const valid = validate(repaired, verb.kind, found, ports);
  if (!valid.ok) return valid;
  account.argsValid = true;

  const asFoundCall = { hydrated: found, standing: asFound, permitted: permitted.value, args: valid.value };
  const meant = await asMeant(verb, path, asFoundCall, account, ports);
  if (!meant.ok) return meant;
  const { hydrated, standing, args } = meant.value;
  const { tool, definition, catalog } = hydrated;
  const upstream = ports.upstream(tool);
  if (!upstream.ok) return fail(notAddressable(tool.id, standing, upstream.reason));
  const call = {
    verb,
    tool,
    definition,
    catalogVersion: catalog.version,
    permitted: meant.value.permitted,
    args,
  };
  const { sessionKey, timeoutMs } = upstream.value;
  const { attempt } = account;
  const { artifactQuota } = ports;
  // Looked for beforehand, since of a call that is not sent nothing need be noted; it is given out once the call is let in.
  const place = dryRun ? undefined : cacheable(verb, hydrated, args, standing, ports);
  const cached = recall(place, ports);
  const isAnswered = cached !== undefined || upstream.value.isLocal === true;
  const asking = {
    attempt,
    origin,
    replay: standing.replay,
    timeoutMs,
    dryRun,
    sessionKey,
    artifactQuota,
    wholeAnswer,
    isAnswered,
  };
  const ask = askOf(call, asking, controls);
  const judged = await judgeAdmission(ask, await ports.admit(ask), call, standing.replay, ports);
  if (!judged.ok) return judged;
  if (judged.value.stale) return ok(judged.value);
  if (judged.value.first !== undefined) {
    return ok({ stale: false, hydrated, first: judged.value.first });
  }
  const { admitted } = judged.value;
  const { allowance } = admitted;
  const ready = {
    verb,
    ...meant.value,
    notes: {
      repairs,
      cacheHit: false,
      attempts: 0,
      replay: standing.replay,
      ...(allowance === undefined ? {} : { allowance }),
    },
    upstream: upstream.value,
    place,
    cached,
    admitted,
    attempt: ask.journal === undefined ? null : attempt,
  };
  return ok({ stale: false, ready });
}

/** The call itself and all that follows it. Never throws: it may run behind the answer, where nobody would see it. */
async function complete<Tool extends DispatchTool, Answer>(
  ready: Ready<Tool>,
  account: CallAccount<Tool>,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Executed<Answer>> {
  const { verb, hydrated, args, upstream, place, cached, admitted, standing } = ready;
  const { session } = admitted;
  const sentAtMs = ports.now();
  const sending = sendingPorts(verb, args, ports);
  const sent: Sent =
    cached ?? (await send(hydrated, args, account.attempt, upstream, session, standing.replay, sending));
  // A clock may be stepped back.
  account.upstreamMs = Math.max(0, ports.now() - sentAtMs);
  account.attempts = sent.attempts;
  account.overcome = sent.overcome;
  account.cacheHit = cached !== undefined;
  const notes = {
    ...ready.notes,
    cacheHit: account.cacheHit,
    attempts: sent.attempts,
    ...(sent.wanted === undefined ? {} : { wanted: sent.wanted }),
  };
  const presented = sent.result.ok
    ? await present(hydrated.tool, sent.result.value, notes, ports)
    : fail(ofKind(verb, sent.result.reason));
  if (cached === undefined && sent.result.ok && presented.ok) remember(place, sent.result.value, ports);
  // An answer out of the cache asked no upstream, and says nothing of its session.
  const after =
    cached === undefined ? { key: upstream.sessionKey, resumed: session, session: sent.session } : null;
  account.figures = presented.ok ? presented.value.figures : null;
  const executed: Executed<Answer> = presented.ok
    ? { kind: "answer", answer: presented.value.answer }
    : { kind: "failed", failure: presented.reason };
  const first = await writtenDown(ready, executed, sent.knowledge, ports);
  const kept = [...(presented.ok ? presented.value.kept : []), ...first.kept];
  return settle(executed, account, { hydrated, upstream: after, kept, journal: first.report }, ports);
}

/** What the journal is told of a call that stands in it, and what had to be kept for that. */
async function writtenDown<Tool extends DispatchTool, Answer>(
  { attempt, hydrated }: Ready<Tool>,
  executed: Executed<Answer>,
  knowledge: ExecutionKnowledge,
  ports: ExecutePorts<Tool, Answer>,
): Promise<{ readonly report: JournalReport | null; readonly kept: readonly KeptArtifact[] }> {
  if (attempt === null) return { report: null, kept: [] };
  switch (knowledge) {
    case "not_dispatched":
      return { report: { attempt, outcome: knowledge, answer: null }, kept: [] };
    case "in_flight":
    case "outcome_unknown":
      return { report: { attempt, outcome: "outcome_unknown", answer: null }, kept: [] };
    case "completed": {
      const { answer, kept } = await ports.keepAnswer(hydrated.tool, executed);
      const failed = executed.kind === "failed" ? ({ failed: true } as const) : {};
      return { report: { attempt, outcome: knowledge, answer, ...failed }, kept };
    }
  }
}

async function present<Tool extends DispatchTool, Answer>(
  tool: Tool,
  result: Readonly<Record<string, unknown>>,
  notes: CallNotes,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Result<PresentedAnswer<Answer>, GatewayFailure>> {
  try {
    const presented = await ports.present(tool, result, notes);
    return presented.ok ? presented : fail(unusable("malformed_result", tool.id, presented.reason));
  } catch (error) {
    return fail(unusable("internal", tool.id, String(error)));
  }
}

/** What the arguments of the call are: those that were given, or those that an address says already. */
function givenTo<Tool extends DispatchTool>(
  { tool, addressed }: Hydrated<Tool>,
  asked: unknown,
): Result<unknown, GatewayFailure> {
  if (addressed === undefined) return ok(asked);
  if (isRecord(asked) && Object.keys(asked).length === 0) return ok(addressed);
  const message = "an address that is filled in takes no arguments besides";
  const errors = [{ path: "", keyword: "additionalProperties" }];
  return fail({ reason: "arguments", path: tool.id, message, errors, schema: {} });
}

/** That a template gives nothing for some values says nothing of the catalog, which need not be refreshed for it. */
function sendingPorts<Tool extends DispatchTool, Answer>(
  { kind }: Verb,
  args: Readonly<Record<string, unknown>>,
  ports: ExecutePorts<Tool, Answer>,
): ExecutePorts<Tool, Answer> {
  if (kind !== "resource" || Object.keys(args).length === 0) return ports;
  const { catalogs } = ports;
  const quiet = {
    current: () => catalogs.current(),
    atLeast: (generation: number) => catalogs.atLeast(generation),
    newest: () => catalogs.newest(),
    refreshSoon: () => undefined,
  };
  return { ...ports, catalogs: quiet };
}

/** A server that does not know what the catalog has is told in the words of its kind. */
function ofKind({ kind }: Verb, failure: GatewayFailure): GatewayFailure {
  return failure.reason === "upstream" && kind !== "tool" ? { ...failure, kind } : failure;
}

/** The tool has run; only its answer is of no use. */
function unusable(reason: "malformed_result" | "internal", path: string, detail: string): GatewayFailure {
  return { reason, path, outcome: "completed", detail };
}

function notAddressable(path: string, { replay }: ToolStanding, detail: string): GatewayFailure {
  const failure = { reason: "unreachable", outcome: "not_dispatched", detail } as const;
  return { reason: "upstream", path, failure, replay, didYouMean: [] };
}

function stillStale(path: string): GatewayFailure {
  const detail = "the newer catalog could not be loaded";
  return { reason: "not_ready", path, what: "catalog", replay: UNKNOWN_TOOLS_CONTRACT, detail };
}
