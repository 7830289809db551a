import { readEventQuery } from "../ledger/event-query.ts";
import { ledgerPort } from "../ledger/ledgers-store.ts";
import { UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { scrubberFor } from "./scrubber.ts";

/**
 * `GET /admin/events?since=&after=&kind=&limit=`: the newest events, the oldest of them first, a JSON object a line.
 * `Loomgate-Cursor` is the `after` that goes on behind this answer, now or once there is more; `Link` names the next page
 * where there is one already. `Loomgate-Missed` is there where events after `after` are no longer kept, and counts them, of
 * whatever kind and time they were. 400 for a query that cannot be read; 503 where the ledger's object gives no answer.
 */
export async function readEvents(c: HttpContext): Promise<Response> {
  const scrubber = scrubberFor(c.get("config"), c.env);
  const query = readEventQuery((name) => c.req.queries(name) ?? []);
  if (!query.ok) {
    return c.json({ error: "invalid", problems: query.reason.map((problem) => scrubber.text(problem)) }, 400);
  }
  const page = await ledgerPort(c.env.LEDGER).events(query.value);
  if (!page.ok) {
    logFor(c)(page.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const { lines, cursor, more, missed = 0 } = page.value;
  return c.body(lines.map((line) => `${scrubber.text(line)}\n`).join(""), 200, {
    "Content-Type": "application/jsonl",
    "Loomgate-Cursor": String(cursor),
    ...(missed > 0 ? { "Loomgate-Missed": String(missed) } : {}),
    ...(more ? { Link: `<${nextPage(c, cursor)}>; rel="next"` } : {}),
  });
}

function nextPage(c: HttpContext, cursor: number): string {
  const query = new URLSearchParams({ after: String(cursor) });
  for (const name of ["since", "kind", "limit"]) {
    const value = c.req.query(name);
    if (value !== undefined) query.set(name, value);
  }
  return `/admin/events?${query.toString()}`;
}
