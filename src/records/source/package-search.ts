import {
  PACKAGE_SEARCH_ROUNDS_MAX_COUNT,
  PACKAGE_SHARED_HITS_MAX_COUNT,
  RECORD_CURSOR_MAX_CHARS,
} from "../../limits/records.ts";
import { memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { problem, type PdppProblem } from "../problem.ts";
import { listLinks, listUrl, type Warning } from "../server/answer.ts";
import { limitOf, parseParameters, type Parameters } from "../server/parameters.ts";
import { markOf, packPosition, type SearchPosition, unpackPosition } from "./package-cursor.ts";
import { type Row, sharedConnections, sourceMix } from "./package-hits.ts";
import { answered, memberWarnings } from "./package-lists.ts";
import { askMembers, failureToTell, learnMembers, type PackageMember, streamsOf } from "./package-members.ts";
import type { PackageSettings } from "./package-source.ts";
import { MemberWalk } from "./package-walk.ts";
import type { ReadAnswer, ReadRequest } from "./read-source.ts";
import { text } from "./schema-document.ts";

const NAMES = { one: ["q", "limit", "cursor"], list: ["streams"], keyed: ["filter"], connection: true };

/**
 * One ranked page over all members: their hits in turn, rank by rank, under one limit, so that none starves another. The
 * cursor says of each member which of its pages is in use and how far; a member that fails keeps its place.
 */
export async function mergedSearch(request: ReadRequest, settings: PackageSettings): Promise<ReadAnswer> {
  const read = parseParameters(request, NAMES);
  if (!read.ok) return answered(read.reason);
  const { parameters } = read.value;
  const { limit, warnings: clamped } = limitOf(parameters);
  const binding = bindingOf(request, settings);
  const begun = await positionOf(parameters.one("cursor"), binding, limit, settings);
  if (!begun.ok) return answered(begun.reason);
  const position = begun.value;

  const streams = parameters.list("streams");
  if (streams !== undefined) await learnMembers(settings.members, settings.memberTimeoutMs);
  const walks = walksOf(position, settings.members);
  const search = { request, parameters, streams, limit, settings };
  const skipped = skipOthers(walks, streams);
  const { rows, merged, turn, seen } = await draw(walks, position, search);

  const failures = walks.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const asked = walks.filter(({ body, failure }) => body !== undefined || failure !== undefined);
  const failed = failureToTell(failures);
  if (failed !== undefined && asked.every(({ body }) => body === undefined) && rows.length === 0)
    return failed;

  const exact =
    position.exact && walks.every((each) => each.exact && each.failure === undefined) && seen.length === 0;
  const next = await nextCursor({ walks, turn, exact, seen }, binding, settings);
  const warnings = [
    ...clamped,
    ...read.value.warnings,
    ...walks.flatMap(({ warning }) => (warning === undefined ? [] : [warning])),
    ...next.warnings,
  ];
  const counted = walks.filter((each) => !skipped.has(each)).map(({ count }) => count);
  const counts = counted.filter((count) => count !== null);
  const isPartial = failures.length > 0 || walks.some(({ isLeftBehind }) => isLeftBehind);
  return {
    ok: true,
    status: 200,
    body: {
      has_more: next.hasMore,
      object: "list",
      url: listUrl(request),
      ...(next.cursor === null ? {} : { next_cursor: next.cursor }),
      data: rows.map(({ hit }) => hit),
      meta: {
        count: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
        count_accuracy: accuracyOf(counted, exact),
        recall: recallOf(walks),
        warnings: [...warnings, ...foreignWarnings(walks)],
        package: {
          fanout_limit: limit,
          member_count: settings.members.length,
          merged_hit_count: merged,
          returned_hit_count: rows.length,
          partial: isPartial,
          source_mix: sourceMix(rows, settings.members),
        },
      },
      links: listLinks(request, next.cursor),
    },
    requestId: null,
  };
}

interface Search {
  readonly request: ReadRequest;
  readonly parameters: Parameters;
  readonly streams: readonly string[] | undefined;
  readonly limit: number;
  readonly settings: PackageSettings;
}

/** Everything a cursor belongs to: the bearer and the question, not how much of the answer is wanted at a time. */
function bindingOf({ query }: ReadRequest, { holder }: PackageSettings): string {
  const asked = query.filter(([name]) => name !== "cursor" && name !== "limit");
  return JSON.stringify(["package-search", holder.tokenId, asked]);
}

async function positionOf(
  cursor: string | undefined,
  binding: string,
  size: number,
  { members, seal }: PackageSettings,
): Promise<Result<SearchPosition, PdppProblem>> {
  if (cursor === undefined) {
    const first = { cursor: null, size, taken: 0, last: null, failures: 0 };
    const start = members.map(({ id }) => [markOf(id), { place: first, count: null }] as const);
    return ok({ members: new Map(start), turn: null, exact: true, seen: [] });
  }
  const opened = await seal.open(binding, cursor);
  const position = opened.ok ? unpackPosition(opened.value) : undefined;
  if (position !== undefined) return ok(position);
  return fail(
    !opened.ok && opened.reason === "expired"
      ? problem("cursor_expired", "The cursor has expired: search anew.", { param: "cursor" })
      : problem(
          "invalid_cursor",
          "The cursor is not one of this search: give it back as it came, with the same question.",
          {
            param: "cursor",
          },
        ),
  );
}

/** A member whose grant was revoked since is gone; one that came since is not part of a search that has begun. */
function walksOf(
  { members: progress }: SearchPosition,
  members: readonly PackageMember[],
): readonly MemberWalk[] {
  return members.flatMap((member) => {
    const known = progress.get(markOf(member.id));
    return known === undefined ? [] : [new MemberWalk(member, known)];
  });
}

/** Members without any of the streams have nothing to give and are not asked. */
function skipOthers(
  walks: readonly MemberWalk[],
  streams: readonly string[] | undefined,
): ReadonlySet<MemberWalk> {
  const skipped = new Set<MemberWalk>();
  const apart =
    streams === undefined ? [] : walks.filter((walk) => wantedOf(walk.member, streams).length === 0);
  // Where nobody has them, one says so in its own words.
  for (const walk of apart.length === walks.length ? apart.slice(1) : apart) {
    walk.place = null;
    skipped.add(walk);
  }
  return skipped;
}

function wantedOf(member: PackageMember, streams: readonly string[]): readonly string[] {
  const known = streamsOf(member);
  return known === undefined ? streams : streams.filter((stream) => known.has(stream));
}

interface Drawn {
  readonly rows: readonly Row[];
  /** How many hits there were to choose from. */
  readonly merged: number;
  readonly turn: string | null;
  readonly seen: readonly string[];
}

async function draw(walks: readonly MemberWalk[], position: SearchPosition, search: Search): Promise<Drawn> {
  const { limit, settings } = search;
  const rows: Row[] = [];
  const given = new Set<string>();
  const seen = new Set(position.seen);
  let index = Math.max(
    0,
    walks.findIndex(({ member }) => markOf(member.id) === position.turn),
  );
  for (let round = 0; round < PACKAGE_SEARCH_ROUNDS_MAX_COUNT && rows.length < limit; round += 1) {
    const dry = walks.filter(({ isDry }) => isDry);
    if (dry.length === 0) break;
    // Which pages are needed shows only when those before are used up.
    await ask(dry, search);
    const shared = sharedConnections(settings.members);
    const isLast = round === PACKAGE_SEARCH_ROUNDS_MAX_COUNT - 1;
    for (let idle = 0; rows.length < limit && idle < walks.length; index = (index + 1) % walks.length) {
      const walk = walks[index];
      // One that has given nothing but empty pages holds nobody up for longer.
      if (isLast && walk?.isEmptied === true) {
        walk.leaveBehind();
        idle += 1;
        continue;
      }
      if (walk === undefined || walk.isDry) break;
      const row = nextOf(walk, limit, (mark) => given.has(mark) || seen.has(mark));
      // Where it ran dry over what had been given already, it keeps its turn.
      if (row === undefined && walk.isDry) break;
      idle = row === undefined ? idle + 1 : 0;
      if (row === undefined) continue;
      rows.push(row);
      given.add(row.mark);
      if (row.connectionId !== null && shared.has(row.connectionId)) seen.add(row.mark);
    }
  }
  if (rows.length < limit) for (const walk of walks) if (walk.isEmptied) walk.leaveBehind();
  const turn = walks[index % Math.max(1, walks.length)];
  return {
    rows,
    merged: rows.length + walks.reduce((sum, { waiting }) => sum + waiting, 0),
    turn: turn === undefined ? null : markOf(turn.member.id),
    seen: [...seen].slice(-PACKAGE_SHARED_HITS_MAX_COUNT),
  };
}

/** The member's next hit that was not given before. */
function nextOf(walk: MemberWalk, size: number, isGiven: (mark: string) => boolean): Row | undefined {
  let row = walk.take(size);
  while (row !== undefined && (row.hit === null || isGiven(row.mark))) row = walk.take(size);
  return row;
}

async function ask(walks: readonly MemberWalk[], search: Search): Promise<void> {
  const { members, memberTimeoutMs } = search.settings;
  const requests = walks.map((walk) => {
    const { member } = walk;
    return {
      member: { ...member, source: member.searched ?? member.source },
      request: memberRequest(walk, search),
    };
  });
  const answers = await askMembers(requests, memberTimeoutMs);
  for (const [at, walk] of walks.entries()) {
    const answer = answers[at]?.answer;
    if (answer !== undefined) walk.absorb(answer, members);
  }
}

/** The same question for one member: its own streams, its own cursor, and the limit that this cursor is for. */
function memberRequest({ member, place }: MemberWalk, { request, streams }: Search): ReadRequest {
  const own = new Set(["limit", "cursor", ...(streams === undefined ? [] : ["streams", "streams[]"])]);
  const wanted = streams === undefined ? [] : wantedOf(member, streams);
  const asked = wanted.length > 0 ? wanted : (streams ?? []);
  const query: (readonly [string, string])[] = request.query.filter(([name]) => !own.has(name));
  for (const stream of asked) query.push(["streams[]", stream]);
  if (place !== null) query.push(["limit", String(place.size)]);
  if (place !== null && place.cursor !== null) query.push(["cursor", place.cursor]);
  return { path: request.path, query };
}

async function nextCursor(
  {
    walks,
    turn,
    exact,
    seen,
  }: Pick<SearchPosition, "turn" | "exact" | "seen"> & { readonly walks: readonly MemberWalk[] },
  binding: string,
  { seal }: PackageSettings,
): Promise<{
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly warnings: readonly Warning[];
}> {
  if (walks.every(({ place }) => place === null)) return { cursor: null, hasMore: false, warnings: [] };
  const members = new Map(walks.map(({ member, place, count }) => [markOf(member.id), { place, count }]));
  const cursor = await seal.close(binding, packPosition({ members, turn, exact, seen }));
  if (cursor.length <= RECORD_CURSOR_MAX_CHARS) return { cursor, hasMore: true, warnings: [] };
  const message =
    "There is more, but over too many sources for one cursor: search with connection_id or streams.";
  return { cursor: null, hasMore: true, warnings: [{ code: "partial_results", message }] };
}

function accuracyOf(
  counts: readonly (number | null)[],
  exact: boolean,
): "exact" | "lower_bound" | "not_counted" {
  if (counts.every((count) => count === null)) return "not_counted";
  return exact && counts.every((count) => count !== null) ? "exact" : "lower_bound";
}

/** What the members that answered say of their recall, taken together. */
function recallOf(walks: readonly MemberWalk[]): object {
  const said = walks.flatMap(({ body }) =>
    body === undefined ? [] : [memberOf(memberOf(body, "meta"), "recall")],
  );
  const failed = walks.some(({ failure }) => failure !== undefined);
  const sum = (name: string, unknown: number) =>
    said.reduce((total: number, each) => {
      const value = memberOf(each, name);
      return total + (typeof value === "number" ? value : unknown);
    }, 0);
  const scopes = new Set(said.map((each) => text(memberOf(each, "ranking_scope")) ?? "unknown"));
  return {
    complete: !failed && said.every((each) => memberOf(each, "complete") === true),
    ranked_candidate_count: sum("ranked_candidate_count", 0),
    ranking_scope: scopes.size === 1 ? [...scopes][0] : scopes.size === 0 ? "all_matches" : "unknown",
    sources_searched_count: sum("sources_searched_count", 1),
    truncated: said.some((each) => memberOf(each, "truncated") === true),
  };
}

/** The members' own warnings, but for those that the package has told itself. */
function foreignWarnings(walks: readonly MemberWalk[]): readonly object[] {
  return memberWarnings(walks.map(({ body }) => body)).filter(
    ({ code }) => code !== "limit_clamped" && code !== "deprecated_alias_used",
  );
}
