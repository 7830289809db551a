import {
  SEARCH_LOOKUPS_MAX_COUNT,
  SEARCH_PAGE_TEXT_MAX_CHARS,
  SEARCH_PLACES_MAX_COUNT,
} from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { listLinks, listUrl, type ServerAnswer, type Warning } from "../answer.ts";
import { cursorBinding } from "../binding.ts";
import type { Condition } from "../covered.ts";
import { feedsOfConnection } from "../feeds.ts";
import { conditionsOf } from "../filter/conditions.ts";
import { parseFilters } from "../filter/filters.ts";
import { limitOf, type Parsed } from "../parameters.ts";
import type { Row, ServerPorts, Sql } from "../ports.ts";
import { hitObject, type HitContext } from "./hit.ts";
import { withBodies } from "./hit-bodies.ts";
import { queryWords } from "./query-words.ts";
import { connectorDigests, searchedFields, type SearchedField } from "./scopes.ts";
import { closeSearchCursor, openSearchCursor, type SearchPosition, type Standard } from "./search-cursor.ts";
import {
  anyFeed,
  LAST_WRITTEN,
  pageStatement,
  rankOf,
  statisticsStatements,
  windowStatement,
  wordStatement,
  type Search,
} from "./statements.ts";

/** `GET /v1/search`: records in which all words occur, the best first, ranked by what the grant covers and nothing else. */
export async function answerSearch(
  parsed: Parsed,
  ports: ServerPorts,
  placesMaxCount = SEARCH_PLACES_MAX_COUNT,
): Promise<ServerAnswer> {
  const { request, parameters } = parsed;
  const words = queryWords(parameters.one("q"));
  if (!words.ok) return words;
  const feeds = chosenFeeds(parsed, ports);
  if (!feeds.ok) return feeds;
  const filter = filterOf(parsed, feeds.value);
  if (!filter.ok) return filter;
  const { limit, warnings } = limitOf(parameters);
  const fields = searchedFields(feeds.value);
  const search: Search = { fields, words: words.value };
  if (fields.length * search.words.length > SEARCH_LOOKUPS_MAX_COUNT) {
    return fail(
      problem("invalid_request", "Too many words for so many streams: name streams[] or a connection_id.", {
        param: "q",
      }),
    );
  }
  const binding = cursorBinding(ports.coverage.holder, request);
  const cursor = parameters.one("cursor");
  const position = cursor === undefined ? null : await openSearchCursor(ports, binding, cursor);
  if (position?.ok === false) return position;
  if (position !== null && !isGoneOnWith(position.value.standard, feeds.value, fields))
    return fail(
      problem("invalid_cursor", "What was searched is another by now: begin again without the cursor."),
    );
  const page = await pageOf(
    search,
    position?.value ?? null,
    { filter: filter.value, limit, placesMaxCount },
    ports,
  );

  const context: HitContext = {
    fields,
    words: new Set(search.words),
    severalConnections: new Set(ports.coverage.feeds.map((feed) => feed.connectionId)).size > 1,
    text: { charsLeft: SEARCH_PAGE_TEXT_MAX_CHARS },
  };
  const data: object[] = [];
  for await (const [row, body] of withBodies(page.rows, ports)) {
    const hit = hitObject(row, body, context);
    if (hit !== undefined) data.push(hit);
  }
  const nextCursor = page.next === null ? null : await closeSearchCursor(ports.seal, binding, page.next);
  return ok({
    body: {
      has_more: nextCursor !== null,
      object: "list",
      url: listUrl(request),
      ...(nextCursor === null ? {} : { next_cursor: nextCursor }),
      data,
      meta: {
        count: page.total,
        count_accuracy: page.isWindow ? "lower_bound" : "exact",
        recall: {
          complete: !page.isWindow,
          ranked_candidate_count: page.total,
          ranking_scope: page.isWindow ? "candidate_window" : "all_matches",
          sources_searched_count: new Set(fields.map(({ feed }) => feed.connectionId)).size,
          truncated: page.isWindow,
        },
        warnings: [...parsed.warnings, ...warnings, ...skippedStreams(parsed, feeds.value)],
      },
      links: listLinks(request, nextCursor),
    },
  });
}

/**
 * Whether a search that was begun by this standard can be gone on with: not where all of its feeds have gone, whatever has
 * their names now, nor where a connector's manifest has other fields searched, since its hits have other scores then.
 */
function isGoneOnWith(
  { snapshot, digests }: Standard,
  feeds: readonly CoveredFeed[],
  fields: readonly SearchedField[],
): boolean {
  const isOld = ({ feedId }: CoveredFeed): boolean => feedId <= snapshot.lastFeed;
  const known = new Set(digests);
  return (
    feeds.some(isOld) &&
    connectorDigests(fields.filter(({ feed }) => isOld(feed))).every((digest) => known.has(digest))
  );
}

/** The feeds of the connection and the streams that are asked for; each stream is one that some chosen connection has. */
function chosenFeeds(
  { connectionId, parameters }: Parsed,
  { coverage }: ServerPorts,
): Result<readonly CoveredFeed[], PdppProblem> {
  const feeds = feedsOfConnection(coverage, connectionId);
  const streams = parameters.list("streams") ?? [];
  if (!feeds.ok || streams.length === 0) return feeds;
  const named = new Set(streams);
  const chosen = feeds.value.filter(({ stream }) => named.has(stream.name));
  for (const { stream } of chosen) named.delete(stream.name);
  if (named.size === 0) return ok(chosen);
  return fail(
    problem("stream_not_declared", "No such stream is covered: the schema lists those that are.", {
      param: "streams",
    }),
  );
}

/** The filters hold for every record of the one stream; where connectors declare it differently, each must have the field. */
function filterOf(
  { parameters }: Parsed,
  feeds: readonly CoveredFeed[],
): Result<Condition | null, PdppProblem> {
  const given = parameters.keyed("filter");
  if (given.length === 0) return ok(null);
  if (parameters.list("streams")?.length !== 1) {
    return fail(
      problem(
        "invalid_request",
        'A filter needs exactly one stream: streams ["NAME"], over REST streams[]=NAME.',
        { param: "filter" },
      ),
    );
  }
  const conditions: { readonly feedId: number; readonly condition: Condition }[] = [];
  for (const feed of feeds) {
    const filters = parseFilters(given, feed);
    if (!filters.ok) return filters;
    conditions.push({ feedId: feed.feedId, condition: conditionsOf(filters.value, feed) });
  }
  return ok(anyFeed(conditions));
}

/** Streams that were named and have no field that this grant can search. */
function skippedStreams({ parameters }: Parsed, feeds: readonly CoveredFeed[]): readonly Warning[] {
  const searched = new Set(searchedFields(feeds).map(({ feed }) => feed.stream.name));
  const skipped = (parameters.list("streams") ?? []).filter((name) => !searched.has(name));
  if (skipped.length === 0) return [];
  return [
    {
      code: "source_skipped_not_applicable",
      message: `No covered field of ${skipped.join(", ")} is searched by words.`,
      param: "streams",
    },
  ];
}

interface Page {
  /** Hits in all, as far as they were looked for and still are there. */
  readonly total: number;
  readonly rows: readonly Row[];
  readonly isWindow: boolean;
  readonly next: SearchPosition | null;
}

interface PageBounds {
  readonly filter: Condition | null;
  readonly limit: number;
  readonly placesMaxCount: number;
}

const NOTHING: Page = { total: 0, rows: [], isWindow: false, next: null };

async function pageOf(
  search: Search,
  position: SearchPosition | null,
  { filter, limit, placesMaxCount }: PageBounds,
  { sql }: ServerPorts,
): Promise<Page> {
  if (search.fields.length === 0) return NOTHING;
  const standard = position?.standard ?? (await standardOf(search, sql, placesMaxCount));
  if (standard === undefined) return NOTHING;
  const after = position?.after ?? null;
  const [read = []] = await sql.read([
    pageStatement({ ...search, ...standard, after, take: limit + 1, filter }),
  ]);
  const found = read.filter((row) => typeof row["emitted_at"] === "string");
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    total: Number(read[0]?.["total"] ?? 0),
    rows,
    isWindow: standard.isWindow,
    next: last === undefined || found.length <= limit ? null : { standard, after: rankOf(last) },
  };
}

/** What the whole search is ranked by; undefined where some word is nowhere, so that there is no hit. */
async function standardOf(search: Search, sql: Sql, placesMaxCount: number): Promise<Standard | undefined> {
  const [last = [], found = [], ...sums] = await sql.read([
    LAST_WRITTEN,
    wordStatement(search),
    ...statisticsStatements(search),
  ]);
  const lastDocument = Number(last[0]?.["last"]);
  if (found.length < search.words.length) return undefined;
  const documents = sumOf(sums.flat(), "documents");
  const weights = search.words.map((_, place) => {
    const having = Number(found.find(({ n }) => n === place)?.["documents"]);
    return Math.log1p((documents - having + 0.5) / (having + 0.5));
  });
  const isWindow = sumOf(found, "places") > placesMaxCount;
  const [window = []] = isWindow
    ? await sql.read([windowStatement(search, lastDocument, placesMaxCount)])
    : [];
  return {
    snapshot: {
      first: Number(window[0]?.["first"] ?? 0),
      last: lastDocument,
      lastVersion: Number(last[0]?.["last_version"]),
      lastFeed: Number(last[0]?.["last_feed"]),
    },
    isWindow,
    averageTerms: sumOf(sums.flat(), "terms") / documents,
    weights,
    digests: connectorDigests(search.fields),
  };
}

function sumOf(rows: readonly Row[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}
