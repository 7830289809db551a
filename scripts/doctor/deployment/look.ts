import { CATALOG_PAGE_MAX_COUNT } from "../../../src/limits.ts";
import type { Scrubber } from "../../../src/scrub/scrub.ts";
import { CATALOG_PAGES_MAX_COUNT, CATALOG_TIMEOUTS_MAX_COUNT, REFRESH_TIMEOUT_MS } from "../bounds.ts";
import { nextOf } from "../judge/catalog.ts";
import { metadataAddress } from "../judge/access.ts";
import { serves, isSafeFor } from "../judge/health.ts";
import { ask, type AskBounds, ASK_BOUNDS, type Question } from "./ask.ts";
import { type ClientSeen, tryClient } from "./client.ts";
import type { Seen } from "./seen.ts";

/** A deployment, and what the person may show there. */
export interface Deployment {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly operatorBearer: string | undefined;
  readonly clientBearer: string | undefined;
}

/** The operator's routes as they answered. */
export interface OperatorSeen {
  readonly refresh?: Seen;
  readonly status: Seen;
  readonly tokens: Seen;
  readonly approvals: Seen;
  readonly metrics: Seen;
  /** The pages, in order, as far as they could be followed. */
  readonly catalog: readonly Seen[];
}

/** Everything that was seen. What is absent was not asked, since what came before it did not allow it. */
export interface Observations {
  readonly origin: string;
  readonly health: Seen;
  readonly noBearer?: Seen;
  /** Of the address that the challenge names, where that is on the same origin. */
  readonly metadata?: Seen;
  readonly strangeOrigin?: Seen;
  readonly operator?: OperatorSeen;
  readonly client?: ClientSeen;
}

/** A name that RFC 2606 keeps free, so no page of anybody's. */
const STRANGE_ORIGIN = "https://doctor.invalid";

/** Asks a deployment what there is to ask. Nothing changes by it but what `refresh` wants. */
export async function look(
  { origin, operatorBearer, clientBearer }: Deployment,
  scrubber: Scrubber,
  {
    refresh = false,
    bounds = ASK_BOUNDS,
  }: { readonly refresh?: boolean; readonly bounds?: AskBounds | undefined } = {},
): Promise<Observations> {
  const asks = (path: string, question: Question = {}): Promise<Seen> =>
    ask(`${origin}${path}`, question, scrubber, bounds);
  const health = await asks("/health");
  // Whoever answers otherwise is somebody else, or can answer nothing more; no bearer is shown there.
  if (!serves(health)) return { origin, health };
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  const [noBearer, strangeOrigin] = await Promise.all([
    asks("/mcp", post),
    asks("/mcp", { ...post, headers: { ...post.headers, Origin: STRANGE_ORIGIN } }),
  ]);
  const address = metadataAddress(noBearer, origin);
  const metadata = address === undefined ? undefined : await ask(address, {}, scrubber, bounds);
  const open = { origin, health, noBearer, strangeOrigin, ...(metadata === undefined ? {} : { metadata }) };
  if (!isSafeFor(origin)) return open;
  const operator =
    operatorBearer === undefined
      ? undefined
      : await lookAsOperator(origin, operatorBearer, scrubber, { refresh, bounds });
  const client =
    clientBearer === undefined ? undefined : await tryClient(`${origin}/mcp`, clientBearer, scrubber, bounds);
  return {
    ...open,
    ...(operator === undefined ? {} : { operator }),
    ...(client === undefined ? {} : { client }),
  };
}

async function lookAsOperator(
  origin: string,
  bearer: string,
  scrubber: Scrubber,
  { refresh, bounds }: { readonly refresh: boolean; readonly bounds: AskBounds },
): Promise<OperatorSeen> {
  const headers = { Authorization: `Bearer ${bearer}` };
  const get = (path: string): Promise<Seen> => ask(`${origin}${path}`, { headers }, scrubber, bounds);
  const refreshed = refresh
    ? await ask(`${origin}/admin/refresh`, { method: "POST", headers }, scrubber, {
        ...bounds,
        timeoutMs: Math.max(bounds.timeoutMs, REFRESH_TIMEOUT_MS),
      })
    : undefined;
  const [status, tokens, approvals, metrics, catalog] = await Promise.all([
    get("/admin/status?render=json"),
    get("/admin/tokens"),
    get("/admin/approvals"),
    get("/metrics"),
    catalogPages(get, Date.now() + CATALOG_TIMEOUTS_MAX_COUNT * bounds.timeoutMs),
  ]);
  const seen = { status, tokens, approvals, metrics, catalog };
  return refreshed === undefined ? seen : { ...seen, refresh: refreshed };
}

/** Page by page, and none is begun after `endMs`: each of them alone may take its time. */
async function catalogPages(get: (path: string) => Promise<Seen>, endMs: number): Promise<readonly Seen[]> {
  const pages: Seen[] = [];
  const query = new URLSearchParams({ limit: String(CATALOG_PAGE_MAX_COUNT) });
  do {
    const page = await get(`/admin/catalog?${query.toString()}`);
    pages.push(page);
    const next = nextOf(page);
    if (next === undefined) break;
    query.set("after", next);
  } while (pages.length < CATALOG_PAGES_MAX_COUNT && Date.now() < endMs);
  return pages;
}
