import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import { admit } from "./admit.ts";
import { dryRun, type DryRunReport } from "./dry-run.ts";
import { hydrate, type Hydrated } from "./hydrate.ts";
import type {
  DispatchCatalog,
  DispatchTool,
  ExecutePorts,
  KeptSession,
  PresentedAnswer,
  Unavailable,
  Upstream,
} from "./ports.ts";
import { REPLAY } from "./replay.ts";
import { send } from "./send.ts";
import { settle } from "./settle.ts";
import { validate } from "./validate.ts";

/** One call as the model asked for it. */
export interface ExecuteOperation {
  /** A canonical id or a listed name. */
  readonly toolId: string;
  /** How failures name it. */
  readonly path: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

export type Executed<Answer> =
  | { readonly kind: "failed"; readonly failure: GatewayFailure }
  | { readonly kind: "report"; readonly report: DryRunReport }
  | { readonly kind: "answer"; readonly answer: Answer };

/** A call that may be made. */
interface Ready<Tool> {
  readonly hydrated: Hydrated<Tool>;
  readonly upstream: Upstream;
  readonly session: KeptSession | undefined;
}

type Prepared<Tool> =
  | { readonly stale: false; readonly ready: Ready<Tool> }
  | { readonly stale: true; readonly newestGeneration: number };

/**
 * The execute pipeline: hydrate, validate, admit, dry run, send, settle. Up to `admit` nothing has happened that could not
 * be asked again; from `send` on the call outlives its caller, so that its result and its session are not lost.
 */
export async function execute<Tool extends DispatchTool, Answer>(
  operation: ExecuteOperation,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Executed<Answer>> {
  let prepared = await prepare(operation, await ports.catalogs.current(), ports);
  if (prepared.ok && prepared.value.stale) {
    // The principal was answered from a newer catalog before: it must not meet an older one now.
    const newer = await ports.catalogs.atLeast(prepared.value.newestGeneration);
    prepared = await prepare(operation, newer, ports);
  }
  if (!prepared.ok) return { kind: "failed", failure: prepared.reason };
  if (prepared.value.stale) return { kind: "failed", failure: stillStale(operation.path) };
  const { ready } = prepared.value;
  if (operation.dryRun) {
    settle(ready.hydrated, null, [], ports);
    return { kind: "report", report: dryRun(ready.hydrated.tool, ready.hydrated.definition) };
  }
  const work = complete(operation, ready, ports);
  ports.waitUntil(work);
  return work;
}

/** Everything before the call: what is asked of the caller, of the catalog and of the principal's object. */
async function prepare<Tool extends DispatchTool, Answer>(
  { toolId, path, args, dryRun }: ExecuteOperation,
  loaded: Result<DispatchCatalog<Tool>, Unavailable>,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Result<Prepared<Tool>, GatewayFailure>> {
  const hydrated = await hydrate(toolId, path, loaded, ports);
  if (!hydrated.ok) return hydrated;
  const { tool, definition, catalog } = hydrated.value;
  const valid = validate(args, tool.id, definition, ports.validators);
  if (!valid.ok) return valid;
  const upstream = ports.upstream(tool);
  if (!upstream.ok) return fail(notAddressable(tool.id, upstream.reason));
  const keys = dryRun ? [] : [upstream.value.sessionKey];
  const admitted = await admit(tool, catalog.version, keys, ports);
  if (!admitted.ok) return admitted;
  if (admitted.value.stale) return ok(admitted.value);
  const { session } = admitted.value;
  return ok({ stale: false, ready: { hydrated: hydrated.value, upstream: upstream.value, session } });
}

/** The call itself and all that follows it. Never throws: it may run behind the answer, where nobody would see it. */
async function complete<Tool extends DispatchTool, Answer>(
  { args }: ExecuteOperation,
  { hydrated, upstream, session }: Ready<Tool>,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Executed<Answer>> {
  const sent = await send(hydrated, args, upstream, session, ports);
  const presented = sent.result.ok ? await present(hydrated.tool, sent.result.value, ports) : sent.result;
  const kept = presented.ok ? presented.value.kept : [];
  settle(hydrated, { key: upstream.sessionKey, resumed: session, session: sent.session }, kept, ports);
  return presented.ok
    ? { kind: "answer", answer: presented.value.answer }
    : { kind: "failed", failure: presented.reason };
}

async function present<Tool extends DispatchTool, Answer>(
  tool: Tool,
  result: Readonly<Record<string, unknown>>,
  ports: ExecutePorts<Tool, Answer>,
): Promise<Result<PresentedAnswer<Answer>, GatewayFailure>> {
  try {
    const presented = await ports.present(tool, result);
    return presented.ok ? presented : fail(unusable("malformed_result", tool.id, presented.reason));
  } catch (error) {
    return fail(unusable("internal", tool.id, String(error)));
  }
}

/** The tool has run; only its answer is of no use. */
function unusable(reason: "malformed_result" | "internal", path: string, detail: string): GatewayFailure {
  return { reason, path, outcome: "completed", detail };
}

function notAddressable(path: string, detail: string): GatewayFailure {
  const failure = { reason: "unreachable", outcome: "not_dispatched", detail } as const;
  const message = "the upstream server is not configured completely";
  return { reason: "upstream", path, failure, message, didYouMean: [] };
}

function stillStale(path: string): GatewayFailure {
  const detail = "the newer catalog could not be loaded";
  return { reason: "not_ready", path, what: "catalog", replay: REPLAY, detail };
}
