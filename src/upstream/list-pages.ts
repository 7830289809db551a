import { UPSTREAM_LIST_MAX_BYTES, UPSTREAM_LIST_MAX_ITEMS, UPSTREAM_LIST_MAX_PAGES } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import type { RequestFault } from "./era.ts";
import type { WireFault } from "./wire-fault.ts";

/** Sends one list request and gives its result. */
export type PageRequest = (
  method: string,
  params: Record<string, unknown>,
) => Promise<Result<Record<string, unknown>, RequestFault>>;

/**
 * What `read` makes of all entries of a list under `key`, page after page, unjudged and in order. Each page is read before the
 * next one is asked for and then let go, so that one page at a time is in memory. An absent, null or empty `nextCursor` ends
 * the list; a repeated one is a fault, since it would go round for ever, and so is passing a bound on pages or entries.
 */
export async function listPages<Entry>(
  method: string,
  key: string,
  request: PageRequest,
  read: (entry: unknown) => Entry,
): Promise<Result<Entry[], RequestFault>> {
  const entries: Entry[] = [];
  const cursors = new Set<string>();
  // A function of its own: a page in a variable of the loop would live on until the next one has come.
  const readPage = async (params: Record<string, unknown>): Promise<Result<string | null, RequestFault>> => {
    const page = await request(method, params);
    if (!page.ok) return page;
    const { [key]: found, nextCursor: cursor = null } = page.value;
    if (!Array.isArray(found)) return illegal(`${method}: ${key} is not a list`);
    if (entries.length + found.length > UPSTREAM_LIST_MAX_ITEMS)
      return excessive(`${method}: more than ${UPSTREAM_LIST_MAX_ITEMS} entries`);
    for (const entry of found) entries.push(read(entry));
    if (cursor === null || cursor === "") return ok(null);
    return typeof cursor === "string" ? ok(cursor) : illegal(`${method}: a cursor is not a string`);
  };
  let params: Record<string, unknown> = {};
  for (let pages = 1; pages <= UPSTREAM_LIST_MAX_PAGES; pages += 1) {
    const next = await readPage(params);
    if (!next.ok) return next;
    const cursor = next.value;
    if (cursor === null) return ok(entries);
    if (cursors.has(cursor)) return illegal(`${method}: a cursor came twice`);
    cursors.add(cursor);
    params = { cursor };
  }
  return excessive(`${method}: more than ${UPSTREAM_LIST_MAX_PAGES} pages`);
}

/** Counts the bytes of a whole listing; past the bound it gives the fault that ends the reading. */
export function listByteCounter(): (bytes: number) => WireFault | undefined {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total <= UPSTREAM_LIST_MAX_BYTES) return undefined;
    return {
      kind: "too_large",
      drained: false,
      detail: `a listing of more than ${UPSTREAM_LIST_MAX_BYTES} bytes`,
    };
  };
}

function illegal(detail: string): Result<never, RequestFault> {
  return fail({ sent: true, fault: { kind: "protocol", answered: true, detail } });
}

function excessive(detail: string): Result<never, RequestFault> {
  return fail({ sent: true, fault: { kind: "too_large", drained: true, detail } });
}
