import { SEES_EVERYTHING } from "../access/visibility.ts";
import type { Catalog, OtherKind } from "../catalog/catalog.ts";
import { CATALOG_PAGE_MAX_COUNT } from "../limits.ts";
import { UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { catalogReader } from "./catalog-port.ts";
import { logFor } from "./log.ts";
import { scrubberFor } from "./scrubber.ts";

/**
 * `POST /admin/refresh`: lists every server anew, and says how each fared and what changed. Generation 0: there has never
 * been a catalog. `hash` is what `gateway.pin` names, of the catalog that is served.
 */
export async function refreshCatalog(c: HttpContext): Promise<Response> {
  const answer = await catalogReader(c).refresh("operator");
  if (!answer.ok) {
    logFor(c)(answer.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const { pointer, changed, servers, problems, failure, hash, diff, kinds, pin } = answer.value;
  if (problems !== undefined) return c.json({ ...UNAVAILABLE, problems }, 503);
  const report = {
    generation: pointer?.generation ?? 0,
    changed,
    hash: hash ?? null,
    servers,
    ...(diff === undefined ? {} : { diff }),
    ...(kinds === undefined ? {} : { kinds }),
    ...(pin === undefined ? {} : { pin }),
    ...(failure === undefined ? {} : { failure }),
  };
  // A server may have given a tool the name of its own credential.
  return c.json(scrubberFor(c.get("config"), c.env).record(report));
}

/**
 * `GET /admin/catalog[?after=<id>&limit=N]`: the newest catalog, its tools by id in pages of at most
 * `CATALOG_PAGE_MAX_COUNT`. `next` is the `after` of the next page, and `hash` what `gateway.pin` names.
 */
export async function readCatalog(c: HttpContext): Promise<Response> {
  const catalog = await catalogReader(c).newest();
  if (!catalog.ok) {
    logFor(c)(catalog.reason.detail);
    const { detail: reason } = catalog.reason;
    return c.json(scrubberFor(c.get("config"), c.env).record({ ...UNAVAILABLE, reason }), 503);
  }
  const limit = pageSize(c.req.query("limit"));
  const asked = c.req.query("after");
  const after = asked === undefined ? undefined : catalog.value.find(asked)?.id;
  if (limit === undefined || (asked !== undefined && after === undefined)) {
    return c.json({ error: "invalid", problems: ["limit is a number from 1; after is a tool's id"] }, 400);
  }
  const { tools, more } = catalog.value.page(after, limit, SEES_EVERYTHING);
  const page = {
    generation: catalog.value.version.generation,
    hash: await catalog.value.fingerprint(),
    namespaces: catalog.value.namespaces(SEES_EVERYTHING),
    ...countsOf(catalog.value),
    tools: tools.map(({ id, server, upstreamName, listedName, line, tokens, stale }) => ({
      id,
      server,
      upstream_name: upstreamName,
      listed_name: listedName,
      line,
      tokens,
      stale,
    })),
    next: more ? (tools.at(-1)?.id ?? null) : null,
  };
  return c.json(scrubberFor(c.get("config"), c.env).record(page));
}

/** How many resources, templates among them, and prompts there are; nothing of what there is not. */
function countsOf(catalog: Catalog) {
  const count = (kind: OtherKind) =>
    catalog
      .of(kind)
      ?.namespaces(SEES_EVERYTHING)
      .reduce((sum, { tools }) => sum + tools, 0);
  const [resources, prompts] = [count("resource"), count("prompt")];
  return {
    ...(resources === undefined ? {} : { resources }),
    ...(prompts === undefined ? {} : { prompts }),
  };
}

function pageSize(text: string | undefined): number | undefined {
  if (text === undefined) return CATALOG_PAGE_MAX_COUNT;
  return /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), CATALOG_PAGE_MAX_COUNT) : undefined;
}
