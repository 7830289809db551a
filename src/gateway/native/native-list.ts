import type { Catalog, CatalogTool, OtherKind } from "../../catalog/catalog.ts";
import type { GatewayFailure } from "../../errors.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import type { ListedForm } from "../../identity/listed-form.ts";
import { memberOf } from "../../json.ts";
import { LIST_PAGE_MAX_COUNT, NATIVE_PAGE_MAX_CHARS } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { RpcProblem } from "../../surface.ts";
import { withAdmittedCatalog } from "../admitted-catalog.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";
import { listCursor, type PagedList, readListCursor } from "../proxy/list-cursor.ts";
import { invalidParams } from "../proxy/rpc-problem.ts";
import type { NativeRequest } from "./native-request.ts";
import { nativeProblem } from "./native-problem.ts";
import { promptName } from "./prompt-names.ts";
import { type UriNames, uriNames } from "./uri-names.ts";

type Entry = Readonly<Record<string, unknown>>;
type Definition = Readonly<Record<string, unknown>>;

/** One of MCP's lists beside that of tools: whose it is, and how an entry is made of a definition. */
interface NativeList {
  readonly method: string;
  readonly list: PagedList;
  readonly kind: OtherKind;
  /** The result's member. */
  readonly member: string;
  /** Whether it may be one, before its definition is read. */
  readonly mayHave: (tool: CatalogTool) => boolean;
  /** `undefined` for what is none after all. */
  readonly entry: (tool: CatalogTool, definition: Definition, names: Names) => Entry | undefined;
}

interface Names {
  readonly uris: UriNames;
  readonly prompts: ListedForm;
}

/** MCP 2025-11-25, "Listing Resources", "Resource Templates", "Listing Prompts". */
export const NATIVE_LISTS: readonly NativeList[] = [
  {
    method: "resources/list",
    list: "resources",
    kind: "resource",
    member: "resources",
    mayHave: ({ card }) => !card.has_schema,
    // A template without a variable is a resource that can be read by its text.
    entry: ({ server, upstreamName }, definition, { uris }) =>
      isTemplate(definition)
        ? hasBrace(upstreamName)
          ? undefined
          : withMember(definition, "uriTemplate", uris.uri(server, upstreamName), "uri")
        : withMember(definition, "uri", uris.uri(server, upstreamName)),
  },
  {
    method: "resources/templates/list",
    list: "templates",
    kind: "resource",
    member: "resourceTemplates",
    // What cannot be read as a template takes no arguments, and is listed as it is.
    mayHave: ({ card, upstreamName }) => card.has_schema || hasBrace(upstreamName),
    entry: ({ server, upstreamName, card }, definition, { uris }) => {
      if (!isTemplate(definition)) return undefined;
      const text = card.has_schema ? uris.template(server, upstreamName) : uris.uri(server, upstreamName);
      return withMember(definition, "uriTemplate", text);
    },
  },
  {
    method: "prompts/list",
    list: "prompts",
    kind: "prompt",
    member: "prompts",
    mayHave: () => true,
    entry: (tool, definition, { prompts }) => withMember(definition, "name", promptName(prompts, tool)),
  },
];

/**
 * A page of one list: what exists for the caller, in the order of ids, each entry as its server gave it but for the name or the
 * URI that it goes by here. Behind a cursor it goes on as the list of tools does.
 */
export async function nativeList(
  of: NativeList,
  { params, context, ports, names: form }: Omit<NativeRequest, "origin">,
): Promise<Result<Entry, RpcProblem>> {
  const cursor = memberOf(params, "cursor");
  const after = typeof cursor === "string" ? readListCursor(of.list, cursor) : undefined;
  if (cursor !== undefined && after === undefined) return fail(invalidParams("Invalid cursor"));
  const page = await withAdmittedCatalog<Page>(
    {
      path: "",
      metaTool: of.method,
      make: (catalog) => pageOf(of, catalog.of(of.kind), after, form, context, ports),
      ask: (_page, { version }) => ({ catalogVersion: version }),
    },
    context,
    ports,
  );
  if (!page.ok) return fail(nativeProblem(page.reason, ports));
  const { entries, last } = page.value.made;
  return ok({
    [of.member]: entries,
    ...(last === undefined ? {} : { nextCursor: listCursor(of.list, last) }),
  });
}

interface Page {
  readonly entries: readonly Entry[];
  /** Behind which there is more. */
  readonly last?: string;
}

async function pageOf(
  { mayHave, entry }: NativeList,
  catalog: Catalog | undefined,
  start: string | undefined,
  form: ListedForm,
  { sees }: CallContext,
  { scrubber, servers }: GatewayPorts,
): Promise<Result<Page, GatewayFailure>> {
  const entries: Entry[] = [];
  if (catalog === undefined) return ok({ entries });
  // Of prompts no URI is asked for, so that nothing is looked up.
  const names = { uris: uriNamesOnce(() => uriNames(catalog, sees, servers)), prompts: form };
  let after = start;
  let chars = 0;
  for (;;) {
    const { tools, more } = catalog.page(after, LIST_PAGE_MAX_COUNT, sees);
    for (const tool of tools) {
      if (mayHave(tool)) {
        const read = await catalog.definition(tool);
        if (!read.ok)
          return fail({ reason: "not_ready", path: tool.id, what: "catalog", detail: read.reason.detail });
        const made = entry(tool, read.value.written ?? read.value.definition, names);
        if (made !== undefined) {
          const clean = scrubber.record(made);
          chars += exactJsonText(clean).length;
          const isFull = entries.length >= LIST_PAGE_MAX_COUNT || chars > NATIVE_PAGE_MAX_CHARS;
          if (isFull && entries.length > 0 && after !== undefined) return ok({ entries, last: after });
          entries.push(clean);
        }
      }
      after = tool.id;
    }
    if (!more || tools.length === 0) return ok({ entries });
  }
}

function uriNamesOnce(make: () => UriNames): UriNames {
  let made: UriNames | undefined;
  const names = (): UriNames => (made ??= make());
  return {
    uri: (server, uri) => names().uri(server, uri),
    template: (server, text) => names().template(server, text),
  };
}

function isTemplate(definition: Definition): boolean {
  return typeof memberOf(definition, "uriTemplate") === "string";
}

function hasBrace(text: string): boolean {
  return text.includes("{");
}

/** A definition with one member in another form, in its place. */
function withMember(definition: Definition, member: string, text: string, name = member): Entry {
  return Object.fromEntries(
    Object.entries(definition).map(([key, value]) => (key === member ? [name, text] : [key, value])),
  );
}
