import type { Catalog, CatalogPort, CatalogTool, OtherKind } from "../../catalog/catalog.ts";
import { execute as dispatch } from "../../dispatch/execute.ts";
import type { DispatchCatalog, DispatchCatalogs, Found } from "../../dispatch/ports.ts";
import { VERB_OF } from "../../dispatch/verb.ts";
import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { RpcProblem } from "../../surface.ts";
import { shownPath } from "../answers.ts";
import type { CallContext } from "../call-context.ts";
import { type CallForm, callPorts } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import { catalogsOf } from "../primitives/kind-catalogs.ts";
import { meaningOf } from "../primitives/template-meaning.ts";
import { unlistedResource } from "../primitives/unlisted-resource.ts";
import { promptForm, resourceForm } from "../primitives/verb-forms.ts";
import { invalidParams } from "../proxy/rpc-problem.ts";
import { findResource } from "./find-resource.ts";
import { likelyProblem } from "./likely-names.ts";
import type { NativeRequest } from "./native-request.ts";
import { findPrompt, promptIdOf } from "./prompt-names.ts";
import { PROMPT_SHAPE, rawResult, READ_SHAPE } from "./raw-result.ts";
import { relinked } from "./relinked.ts";
import { wholeFigures } from "../telling/result-figures.ts";
import { serverNames } from "../server-names.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a client asks to be fetched. */
interface Asked {
  readonly kind: OtherKind;
  /** A URI or a name, as a list gave it. */
  readonly name: string;
  readonly args: unknown;
}

/** `resources/read` (MCP 2025-11-25, "Reading Resources"). */
export async function nativeRead(request: NativeRequest): Promise<Result<Members, RpcProblem>> {
  const uri = memberOf(request.params, "uri");
  if (typeof uri !== "string") return fail(invalidParams("resources/read takes a uri"));
  return nativeFetch({ kind: "resource", name: uri, args: {} }, request);
}

/** `prompts/get` (MCP 2025-11-25, "Getting a Prompt"). */
export async function nativePrompt(request: NativeRequest): Promise<Result<Members, RpcProblem>> {
  const name = memberOf(request.params, "name");
  const args = memberOf(request.params, "arguments") ?? {};
  if (typeof name !== "string") return fail(invalidParams("prompts/get takes a name"));
  if (!isRecord(args)) return fail(invalidParams("arguments of prompts/get are an object"));
  return nativeFetch({ kind: "prompt", name, args }, request);
}

/**
 * The pipeline of `resource_read` and `prompt_get`, rules, limits and telling included, with the server's result itself as the
 * answer: only its links go by the names that this surface's clients know.
 */
async function nativeFetch(
  { kind, name, args }: Asked,
  { context, ports, names, origin }: NativeRequest,
): Promise<Result<Members, RpcProblem>> {
  let answer: Members | undefined;
  let seen: Catalog | undefined;
  const base = kind === "resource" ? resourceForm(context, ports) : promptForm(ports);
  const find = (catalog: NamedCatalog, asked: string): Found<CatalogTool> | undefined => {
    seen = catalog.inner;
    return findNative(kind, catalog.inner, asked, context, ports);
  };
  const form: CallForm = {
    ...base,
    lookup: {
      ...base.lookup,
      catalogs: byNameAlone(catalogsOf(kind, ports.catalogs), kind),
      find,
      ...(kind === "resource"
        ? {
            unlisted: ({ inner }: NamedCatalog, uri: string) => unlistedResource(inner, uri, context, ports),
            meant: ({ inner }: NamedCatalog, tool, definition, args) =>
              meaningOf(inner, tool, definition, args, context.sees, ports.servers),
          }
        : {}),
    },
    isWhole: true,
    present: async (tool, result, notes) => {
      const raw = rawResult(kind === "resource" ? READ_SHAPE : PROMPT_SHAPE, result, tool, notes, ports);
      if (!raw.ok) return raw;
      answer = await relinked(raw.value, tool.server, context, ports);
      return ok({ answer: { content: [] }, kept: [], figures: wholeFigures(answer, "ok") });
    },
  };
  const operation = {
    verb: VERB_OF[kind],
    toolId: name,
    path: shownPath(name),
    args,
    dryRun: false,
    origin,
  };
  const executed = await dispatch(operation, callPorts(form, context, ports, origin));
  if (executed.kind === "failed")
    return fail(likelyProblem(executed.failure, name, seen, names, context, ports));
  if (answer === undefined) throw new Error(`${operation.verb.metaTool} ended as ${executed.kind}`);
  return ok(answer);
}

/** What a client's name for something means in one kind's catalog. */
function findNative(
  kind: OtherKind,
  catalog: Catalog,
  asked: string,
  { sees }: Pick<CallContext, "sees">,
  { servers }: Pick<GatewayPorts, "servers">,
): Found<CatalogTool> | undefined {
  if (kind === "resource") return findResource(catalog, asked, sees, serverNames(servers));
  const tool = findPrompt(catalog, asked, sees);
  return tool && { tool };
}

/** A catalog in which nothing is found by its id: a server's URI may read like one, and must not be taken for it. */
interface NamedCatalog extends DispatchCatalog<CatalogTool> {
  readonly inner: Catalog;
}

function byNameAlone(catalogs: CatalogPort, kind: OtherKind): DispatchCatalogs<CatalogTool> {
  type Loaded = Awaited<ReturnType<CatalogPort["current"]>>;
  const named = (loaded: Loaded): Result<NamedCatalog, { readonly detail: string }> =>
    loaded.ok ? ok(namedCatalog(loaded.value, kind)) : loaded;
  return {
    current: async () => named(await catalogs.current()),
    atLeast: async (generation) => named(await catalogs.atLeast(generation)),
    newest: async () => named(await catalogs.newest()),
    refreshSoon: (reason) => {
      catalogs.refreshSoon(reason);
    },
  };
}

function namedCatalog(inner: Catalog, kind: OtherKind): NamedCatalog {
  return {
    inner,
    version: inner.version,
    find: () => undefined,
    page: (after, count, sees) => inner.page(after, count, sees),
    similar: (asked, count, sees) =>
      inner.similar(kind === "prompt" ? promptIdOf(asked) : asked, count, sees),
    definition: (tool) => inner.definition(tool),
  };
}
