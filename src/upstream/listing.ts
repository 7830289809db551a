import type { UpstreamFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import { classifyFault } from "./classify.ts";
import type { EraConnection, RequestFault } from "./era.ts";
import { listByteCounter, listPages } from "./list-pages.ts";
import { operate } from "./operation.ts";
import { refusesSession, type UpstreamSession } from "./session.ts";
import type { UpstreamIo, UpstreamReport, UpstreamTarget } from "./upstream-io.ts";
import type { WireFault } from "./wire-fault.ts";
import { METHOD_NOT_FOUND } from "../spine/frame/rpc-code.ts";

/** What a server lists; `template`: of resources (MCP, "Resource Templates"). */
export type ListedKind = "tool" | "resource" | "template" | "prompt";

/** Every entry of one kind, as it was read, in order; or why they could not be listed. */
export type KindListing<Entry> = Result<Entry[], UpstreamFailure>;

/**
 * Everything that one server lists, read on one session. Each kind fails for itself; `undefined`: the server says that it
 * has none of that kind.
 */
export interface ServerListing<Entry> {
  readonly tools: KindListing<Entry>;
  readonly resources: KindListing<Entry> | undefined;
  readonly templates: KindListing<Entry> | undefined;
  readonly prompts: KindListing<Entry> | undefined;
  /** Whether it completes arguments (`completion/complete`). */
  readonly completions: boolean;
  /** Only a handshake brings them. */
  readonly instructions?: string;
}

/** Makes of one listed entry what outlives its page. */
export type EntryReader<Entry> = (entry: unknown, kind: ListedKind) => Entry;

const LISTS: Readonly<Record<ListedKind, { readonly method: string; readonly key: string }>> = {
  tool: { method: "tools/list", key: "tools" },
  resource: { method: "resources/list", key: "resources" },
  template: { method: "resources/templates/list", key: "resourceTemplates" },
  prompt: { method: "prompts/list", key: "prompts" },
};

/**
 * Lists everything that a server has, each kind to its last page, tools first. What it does not declare in its handshake is
 * not asked for, tools excepted where it declares nothing else. A kind's failure is `protocol` for a repeated cursor and
 * `too_large` past a bound; the bound on bytes is over the whole listing. The answer fails where no connection came about.
 */
export function listServer<Entry>(
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  io: UpstreamIo,
  read: EntryReader<Entry>,
): Promise<UpstreamReport<ServerListing<Entry>>> {
  const job = async (
    connection: EraConnection,
    resumed: boolean,
  ): Promise<Result<ServerListing<Entry>, RequestFault>> => {
    const { capabilities } = connection.session();
    const declares = (capability: string): boolean => Object.hasOwn(capabilities, capability);
    const offersResources = declares("resources");
    const offersPrompts = declares("prompts");
    const offersTools = declares("tools");
    // Servers that declare nothing at all have been seen to have tools.
    const mayHaveTools = offersTools || !(offersResources || offersPrompts);
    // A kept session that is refused is replaced, and all is asked again; a refusal on a new one is one kind's failure.
    let lost: RequestFault | undefined;
    const listKind = async (kind: ListedKind): Promise<KindListing<Entry> | undefined> => {
      if (lost !== undefined) return undefined;
      const { method, key } = LISTS[kind];
      const listed = await listPages(
        method,
        key,
        (name, params) => connection.request(name, params),
        (entry) => read(entry, kind),
      );
      if (listed.ok) return listed;
      const { fault, sent } = listed.reason;
      if (resumed && refusesSession(fault)) lost = listed.reason;
      // Where tools were declared their absence is a fault: what was listed before must not be taken for gone.
      const isNone = saysNoSuchMethod(fault) && !(kind === "tool" && offersTools);
      return isNone ? undefined : fail(classifyFault(fault, { sent }));
    };
    const tools = mayHaveTools ? await listKind("tool") : undefined;
    const resources = offersResources ? await listKind("resource") : undefined;
    const templates = offersResources ? await listKind("template") : undefined;
    const prompts = offersPrompts ? await listKind("prompt") : undefined;
    if (lost !== undefined) return fail(lost);
    const instructions = connection.instructions();
    return ok({
      tools: tools ?? ok([]),
      resources,
      templates,
      prompts,
      completions: declares("completions"),
      ...(instructions === undefined ? {} : { instructions }),
    });
  };
  return operate(target, session, io, { job, count: listByteCounter() });
}

/** However it is declared: a server that does not know the method lists nothing by it. */
function saysNoSuchMethod(fault: WireFault): boolean {
  if (fault.kind === "rpc") return fault.error.code === METHOD_NOT_FOUND;
  return fault.kind === "status" && fault.rpc?.ours === true && fault.rpc.code === METHOD_NOT_FOUND;
}
