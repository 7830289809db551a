import { isJsonArray } from "../../../json.ts";
import { fail, ok, type Result } from "../../../result.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { listLinks, listUrl, metaOf, type CountMeta, type ServerAnswer } from "../answer.ts";
import { cursorBinding, openCursor } from "../binding.ts";
import { isOrdered, isWholeFeed } from "../covered.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { mergedFeeds, orderProblem } from "../feeds.ts";
import { limitOf, type Parameters, type Parsed } from "../parameters.ts";
import type { Row, ServerPorts, Statement } from "../ports.ts";
import { answerChanges } from "./changes.ts";
import { giveRecords } from "./give.ts";
import { countStatement, pageStatement } from "./page-statement.ts";
import { planFeeds, planList, type ListPlan } from "./plan.ts";
import { comparePositions, positionOf, positionPayload, type Position } from "./position.ts";
import { storedRecord } from "./stored.ts";
import { windowOf, windowStatements, windowWanted, type WindowMeta } from "./window.ts";

/** `GET /v1/streams/{stream}/records`: a page in order, or what changed. */
export async function answerRecords(request: Parsed, ports: ServerPorts): Promise<ServerAnswer> {
  const { parameters } = request;
  const feeds = mergedFeeds(ports.coverage, request.stream, request.connectionId);
  if (!feeds.ok) return feeds;
  const binding = cursorBinding(ports.coverage.holder, request.request);
  const cursor = parameters.one("cursor");
  const opened = cursor === undefined ? ok(null) : await openCursor(ports, binding, cursor);
  if (!opened.ok) return opened;
  const since = parameters.one("changes_since");
  const isChangesCursor = isJsonArray(opened.value) && opened.value[0] === "changes";
  if (since !== undefined || isChangesCursor) {
    return answerChanges(request, feeds.value, { since, cursor: opened.value, binding }, ports);
  }
  const unordered = orderProblem(feeds.value);
  if (unordered !== undefined) return fail(unordered);
  const order = orderOf(feeds.value);
  const after = cursor === undefined ? null : positionIn(opened.value, order, feeds.value);
  if (after === undefined) return fail(problem("invalid_cursor", "This is no cursor of a page of records."));
  const planned = planFeeds(feeds.value, (feed) => planList(ports.coverage, feed, parameters));
  if (!planned.ok) return planned;
  const counted = countWanted(parameters);
  if (!counted.ok) return counted;
  const windowed = windowWanted(parameters);
  if (!windowed.ok) return windowed;

  const { limit, warnings } = limitOf(parameters);
  const question = { after, limit, isCounted: counted.value, isWindowed: windowed.value };
  const page = await readPage(planned.value.plans, question, ports);
  const next =
    page.next === null
      ? null
      : await ports.seal.close(binding, [order, positionPayload(page.next), newestOf(feeds.value)]);
  return ok({
    body: {
      data: page.objects,
      has_more: next !== null,
      object: "list",
      ...(next === null ? {} : { next_cursor: next }),
      url: listUrl(request.request),
      links: listLinks(request.request, next),
      meta: metaOf([...request.warnings, ...warnings, ...planned.value.warnings], page.count, page.window),
    },
  });
}

/** What the records are ordered by: a manifest loaded anew may say something else, and a place in another order is none. */
function orderOf(feeds: readonly CoveredFeed[]): string {
  const orders = feeds.map((feed) => {
    const { cursorField, fields } = feed.stream;
    return isOrdered(feed) ? `${fields.get(cursorField ?? "")?.kind ?? ""} ${cursorField ?? ""}` : "";
  });
  return JSON.stringify([...new Set(orders)].toSorted());
}

function positionIn(payload: unknown, order: string, feeds: readonly CoveredFeed[]): Position | undefined {
  const [ofOrder, position, newest] = isJsonArray(payload) ? payload : [];
  // Where no feed is as old as the cursor, what it was given for has gone: a connection may have been made anew.
  const isOfThese = typeof newest === "number" && feeds.some(({ feedId }) => feedId <= newest);
  return ofOrder === order && isOfThese ? positionOf(position) : undefined;
}

function newestOf(feeds: readonly CoveredFeed[]): number {
  return Math.max(...feeds.map(({ feedId }) => feedId));
}

/** An estimate is answered exactly: a count is one range of an index. */
function countWanted(parameters: Parameters): Result<boolean, PdppProblem> {
  const count = parameters.one("count") ?? "none";
  if (count === "none") return ok(false);
  if (count === "exact" || count === "estimated") return ok(true);
  return fail(problem("invalid_request", "count is none, estimated or exact.", { param: "count" }));
}

interface PageQuestion {
  readonly after: Position | null;
  readonly limit: number;
  readonly isCounted: boolean;
  readonly isWindowed: boolean;
}

interface Page {
  readonly objects: readonly object[];
  /** Where the next page begins behind; null at the end. */
  readonly next: Position | null;
  readonly count: CountMeta;
  readonly window: WindowMeta | null;
}

async function readPage(
  plans: readonly ListPlan[],
  { after, limit, isCounted, isWindowed }: PageQuestion,
  ports: ServerPorts,
): Promise<Page> {
  const direction = plans[0]?.direction ?? "desc";
  const pages = plans.map(({ feed, filters }) =>
    pageStatement(feed, { filters, direction, after, take: limit + 1 }),
  );
  const counts = isCounted || isWindowed ? plans.map(countOf) : [];
  const ends = isWindowed ? windowStatements(plans) : [];
  const answers = await ports.sql.read([...pages, ...counts, ...ends]);
  const behindPages = answers.slice(pages.length);
  const total = sum(behindPages.slice(0, counts.length));
  const found = plans
    .flatMap(({ feed }, index) => (answers[index] ?? []).map((row) => storedRecord(feed, row)))
    .toSorted((left, right) => comparePositions(left.position, right.position, direction));
  const given = await giveRecords(found.slice(0, limit), plans, ports);
  return {
    objects: given.objects,
    next: found.length > given.count ? (found[given.count - 1]?.position ?? null) : null,
    count: isCounted ? { kind: "exact", value: total } : { kind: "none" },
    window: isWindowed ? windowOf(total, behindPages.slice(counts.length)) : null,
  };
}

/** A whole feed knows how many records it has. */
function countOf({ feed, filters }: ListPlan): Statement {
  return isWholeFeed(feed) && filters.length === 0
    ? { sql: "SELECT record_count AS count FROM record_feeds WHERE id = ?", values: [feed.feedId] }
    : countStatement(feed, filters);
}

function sum(answers: readonly (readonly Row[])[]): number {
  return answers.reduce((total, [row]) => total + Number(row?.["count"] ?? 0), 0);
}
