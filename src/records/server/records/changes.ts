import { exactJsonText } from "../../../exact-json/write.ts";
import { isJsonArray } from "../../../json.ts";
import { CHANGES_SCANS_MAX_COUNT, RECORDS_PAGE_MAX_COUNT } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { listLinks, listUrl, metaOf, type ServerAnswer } from "../answer.ts";
import { holderBinding, openCursor } from "../binding.ts";
import { connectionChoice } from "../feeds.ts";
import { limitOf, type Parameters, type Parsed } from "../parameters.ts";
import type { ServerPorts } from "../ports.ts";
import { readChangedVersions, type ChangedVersion, type Session } from "./changed-versions.ts";
import { matchesFilters } from "./filter-match.ts";
import { planList, type ListPlan } from "./plan.ts";
import { projectBody } from "./projection.ts";
import { connectionMembers, recordObject } from "./record-object.ts";
import { readBodies } from "./stored.ts";

interface Continuation {
  readonly since: string | undefined;
  /** What the cursor held; null without one. */
  readonly cursor: unknown;
  readonly binding: string;
}

/**
 * What changed in one stream of one connection since a bookmark, up to a horizon that is fixed when the walk begins. A
 * record is told of once, as it was at the horizon, and only where what the caller may see of it is another than before.
 */
export async function answerChanges(
  request: Parsed,
  feeds: readonly CoveredFeed[],
  { since, cursor, binding }: Continuation,
  ports: ServerPorts,
): Promise<ServerAnswer> {
  const { parameters } = request;
  const refused = refusedWithChanges(parameters);
  if (refused !== undefined) return fail(refused);
  const [feed, another] = feeds;
  if (feed === undefined || another !== undefined) {
    return fail(
      problem("invalid_argument", "Changes are followed in one connection: choose it by connection_id.", {
        param: "connection_id",
        extra: connectionChoice(feeds),
      }),
    );
  }
  const plan = planList(ports.coverage, feed, parameters);
  if (!plan.ok) return plan;
  const bookmarkBinding = JSON.stringify(["bookmark", holderBinding(ports.coverage.holder), feed.feedId]);
  const session =
    cursor === null
      ? await beginSession(since ?? "", bookmarkBinding, ports)
      : continuedSession(cursor, feed);
  if (!session.ok) return session;

  const { limit, warnings } = limitOf(parameters);
  const page = await tellPage(feed, session.value, { limit, plan: plan.value }, ports);
  if (!page.ok) return page;
  const { data, horizon, after } = page.value;
  const next =
    after === null
      ? null
      : await ports.seal.close(binding, ["changes", session.value.since, after, horizon, feed.feedId]);
  const bookmark = await ports.seal.close(bookmarkBinding, horizon);
  return ok({
    body: {
      data,
      has_more: next !== null,
      object: "list",
      ...(next === null ? {} : { next_cursor: next }),
      next_changes_since: bookmark,
      url: listUrl(request.request),
      links: listLinks(request.request, next, bookmark),
      meta: metaOf([...request.warnings, ...warnings]),
    },
  });
}

function refusedWithChanges(parameters: Parameters): PdppProblem | undefined {
  const name = ["order", "sort", "count", "window"].find((known) => parameters.one(known) !== undefined);
  if (name !== undefined) {
    return problem(
      "invalid_request",
      `Changes come in their own order, uncounted: ${name} does not go with changes_since.`,
    );
  }
  return parameters.list("expand") !== undefined || parameters.keyed("expand_limit").length > 0
    ? problem(
        "invalid_expand",
        "Changes are given without their relations: expand does not go with changes_since.",
      )
    : undefined;
}

const BEGINNING: Session = { since: 0, after: 0, horizon: null };

async function beginSession(
  since: string,
  bookmarkBinding: string,
  ports: ServerPorts,
): Promise<Result<Session, PdppProblem>> {
  if (since === "beginning") return ok(BEGINNING);
  const opened = await openCursor(ports, bookmarkBinding, since);
  if (!opened.ok || typeof opened.value !== "number") {
    return fail(
      problem(
        "invalid_cursor",
        "changes_since is `beginning` or the next_changes_since of an earlier answer, and no time.",
      ),
    );
  }
  return ok({ since: opened.value, after: opened.value, horizon: null });
}

function continuedSession(cursor: unknown, feed: CoveredFeed): Result<Session, PdppProblem> {
  const [kind, since, after, horizon, feedId] = isJsonArray(cursor) ? cursor : [];
  // A connection that was removed may have been made anew: its changes are others.
  return kind === "changes" &&
    feedId === feed.feedId &&
    typeof since === "number" &&
    typeof after === "number" &&
    typeof horizon === "number"
    ? ok({ since, after, horizon })
    : fail(problem("invalid_cursor", "This is no cursor of a walk through changes."));
}

/**
 * The next changes that show anything. How many were passed over that do not, in fields or records that are not granted, is
 * nobody's to see in empty pages, so that the look goes on, up to a bound.
 */
async function tellPage(
  feed: CoveredFeed,
  begun: Session,
  { limit, plan }: { readonly limit: number; readonly plan: ListPlan },
  ports: ServerPorts,
): Promise<Result<{ data: readonly object[]; horizon: number; after: number | null }, PdppProblem>> {
  let session = begun;
  for (let scans = 1; ; scans += 1) {
    // Behind what showed nothing, as many as are told of at a time at most.
    const page = await readChangedVersions(
      feed,
      session,
      scans === 1 ? limit : RECORDS_PAGE_MAX_COUNT,
      ports,
    );
    if (!page.ok) return page;
    const { versions, horizon, after } = page.value;
    const told = await tellChanges(versions, plan, ports);
    const given = told.slice(0, limit);
    const end = told.length > given.length ? (given.at(-1)?.version ?? null) : after;
    if (given.length > 0 || end === null || scans === CHANGES_SCANS_MAX_COUNT) {
      return ok({ data: given.map(({ object }) => object), horizon, after: end });
    }
    session = { since: begun.since, after: end, horizon };
  }
}

async function tellChanges(
  versions: readonly ChangedVersion[],
  { projection, filters }: ListPlan,
  ports: ServerPorts,
): Promise<readonly { readonly version: number; readonly object: object }[]> {
  const bodies = await readBodies(
    versions.flatMap(({ now, before }) => [now, before].flatMap((state) => state ?? [])),
    ports,
  );
  const visible = (state: ChangedVersion["now"]): string | undefined => {
    const text = state === null ? undefined : bodies.get(state);
    return text !== undefined && matchesFilters(text, filters) ? text : undefined;
  };
  return versions.flatMap((version) => {
    const { feed, key, emittedAt } = version;
    const told = (object: object) => [{ version: version.version, object }];
    const [text, textBefore] = [visible(version.now), visible(version.before)];
    if (text === undefined) return textBefore === undefined ? [] : told(tombstone(version));
    const data = projectBody(text, projection);
    const isSame =
      textBefore !== undefined && exactJsonText(projectBody(textBefore, projection)) === exactJsonText(data);
    return isSame ? [] : told(recordObject(feed, { key, emittedAt, data }));
  });
}

function tombstone({ feed, key, emittedAt }: ChangedVersion): object {
  return {
    deleted: true,
    deleted_at: emittedAt,
    emitted_at: emittedAt,
    id: key,
    object: "record",
    stream: feed.stream.name,
    ...connectionMembers(feed),
  };
}
