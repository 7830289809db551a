import { isRecord } from "../../../src/json.ts";
import {
  type Covered,
  declared,
  type Feed,
  fieldsOf,
  type Json,
  listOf,
  liveRecords,
  namesIn,
  requiredOf,
  type Version,
} from "./data.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { isGranted } from "./schema.ts";

const PARAMETERS =
  /^(?:limit|cursor|order|sort|count|fields(?:\[\])?|view|changes_since|window|connection_id|connector_instance_id|expand(?:\[\])?|expand_limit\[[^\]]+\]|filter\[[^\]]+\](?:\[[^\]]+\])?)$/;

export function refuseUnknown(query: URLSearchParams, known: RegExp = PARAMETERS): void {
  for (const name of query.keys()) if (!known.test(name)) throw badRequest("invalid_request", name);
}

export function encodeCursor(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

export function decodeCursor(text: string): Json {
  try {
    const content: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (isRecord(content)) return content;
  } catch {
    // Told below.
  }
  throw badRequest("invalid_cursor");
}

export function limitOf(
  query: URLSearchParams,
  whenAbsent = 25,
): { readonly limit: number; readonly warnings: readonly Json[] } {
  const wanted = Number(query.get("limit") ?? 0);
  if (!(wanted >= 1)) return { limit: whenAbsent, warnings: [] };
  if (wanted <= 100) return { limit: Math.trunc(wanted), warnings: [] };
  const detail = { max_limit: 100, requested_limit: wanted };
  return { limit: 100, warnings: [{ code: "limit_clamped", detail, message: "clamped", param: "limit" }] };
}

/** The fields that are shown: what was granted, what was asked for of it, and what the schema requires. */
export function shownFields(covered: Covered, query: URLSearchParams): ReadonlySet<string> {
  const { feed } = covered;
  const view = query.get("view");
  const asked = [...query.getAll("fields"), ...query.getAll("fields[]")].flatMap((text) => text.split(","));
  for (const field of asked) {
    if (!fieldsOf(feed).includes(field)) throw badRequest("unknown_field");
    if (!isGranted(covered, field)) throw new Refusal(403, "field_not_granted", "permission_error");
  }
  const views = listOf(feed.manifest["views"]).find(({ id }) => id === view);
  if (view !== null && views === undefined) throw badRequest("invalid_request", "view");
  const wanted = view === null ? (asked.length > 0 ? asked : fieldsOf(feed)) : namesIn(views?.["fields"]);
  return new Set([...requiredOf(feed), ...wanted.filter((field) => isGranted(covered, field))]);
}

export function shownRecord(
  feed: Feed,
  { key, data, emittedAt }: Version,
  fields: ReadonlySet<string>,
): Json {
  const { connectionId } = feed;
  const ids = { connection_id: connectionId, connector_instance_id: connectionId };
  const base = { emitted_at: emittedAt, id: key, object: "record", stream: feed.stream, ...ids };
  if (data === null) return { deleted: true, deleted_at: emittedAt, ...base };
  return { data: Object.fromEntries(Object.entries(data).filter(([name]) => fields.has(name))), ...base };
}

/** What a filter lets through. */
export function filterOf(covered: Covered, query: URLSearchParams): (version: Version) => boolean {
  const { feed } = covered;
  const tests: ((data: Json) => boolean)[] = [];
  for (const [name, value] of query) {
    const [, field, operator] = /^filter\[([^\]]+)\](?:\[([^\]]+)\])?$/.exec(name) ?? [];
    if (field === undefined) continue;
    if (!fieldsOf(feed).includes(field)) throw badRequest("unknown_field");
    if (!isGranted(covered, field)) throw new Refusal(403, "field_not_granted", "permission_error");
    if (operator === undefined) {
      tests.push((data) => String(data[field]) === value);
      continue;
    }
    if (!namesIn(declared(feed, "range_filters", field)).includes(operator))
      throw badRequest("invalid_request");
    tests.push((data) => compares(data[field], operator, value));
  }
  return ({ data }) => data !== null && tests.every((test) => test(data));
}

function compares(actual: unknown, operator: string, bound: string): boolean {
  const [left, right] = typeof actual === "number" ? [actual, Number(bound)] : [String(actual), bound];
  switch (operator) {
    case "gte":
      return left >= right;
    case "gt":
      return left > right;
    case "lte":
      return left <= right;
    default:
      return left < right;
  }
}

export function recordsPage(covered: Covered, all: readonly Covered[], query: URLSearchParams): Json {
  refuseUnknown(query);
  const { feed } = covered;
  const { limit, warnings } = limitOf(query);
  const cursor = query.get("cursor");
  const at = cursor === null ? undefined : decodeCursor(cursor);
  if (query.has("changes_since") || at?.["session"] === "changes")
    return changesPage(covered, query, limit, at);
  const sort = query.get("sort");
  if (sort !== null && sort.replace(/^[-+]/, "") !== feed.manifest["cursor_field"])
    throw badRequest("invalid_sort", "sort");
  const order = query.get("order") ?? (sort === null || sort.startsWith("-") ? "desc" : "asc");
  if (at !== undefined && (at["session"] !== "records" || at["order"] !== order))
    throw badRequest("invalid_cursor");
  const fields = shownFields(covered, query);
  const matching = liveRecords(feed, order === "asc" ? "asc" : "desc").filter(filterOf(covered, query));
  const from = at === undefined ? 0 : matching.findIndex(({ key }) => key === at["key"]) + 1;
  const page = matching.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = from + limit < matching.length;
  const expanded = expansionOf(covered, all, query);
  return {
    data: page.map((version) => Object.assign(shownRecord(feed, version, fields), expanded(version))),
    has_more: hasMore,
    object: "list",
    ...(hasMore && last !== undefined
      ? { next_cursor: encodeCursor({ kind: "page", session: "records", order, key: last.key }) }
      : {}),
    meta: {
      count: query.get("count") === "exact" ? { kind: "exact", value: matching.length } : { kind: "none" },
      warnings,
    },
  };
}

function changesPage(covered: Covered, query: URLSearchParams, limit: number, at: Json | undefined): Json {
  const { feed } = covered;
  if (["order", "sort", "count", "window"].some((name) => query.has(name)))
    throw badRequest("invalid_request");
  const since = query.get("changes_since");
  const start = since === null || since === "beginning" ? undefined : decodeCursor(since);
  if (start !== undefined && start["kind"] !== "changes_since") throw badRequest("invalid_request");
  const after = Number(at?.["after_version"] ?? start?.["version"] ?? 0);
  const first = Number(at?.["since_version"] ?? start?.["version"] ?? 0);
  const horizon = Number(at?.["session_max_version"] ?? feed.versions.length);
  const fields = shownFields(covered, query);
  const known = new Set(feed.versions.filter(({ version }) => version <= first).map(({ key }) => key));
  const due = feed.versions.filter(
    ({ version, key, data }) =>
      version > after &&
      version <= horizon &&
      !feed.versions.some(
        (later) => later.key === key && later.version > version && later.version <= horizon,
      ) &&
      (data !== null || known.has(key)),
  );
  const page = due.slice(0, limit);
  const hasMore = due.length > limit;
  const next = {
    kind: "page",
    session: "changes",
    after_version: page.at(-1)?.version,
    session_max_version: horizon,
    since_version: first,
  };
  return {
    data: page.map((version) => shownRecord(feed, version, fields)),
    has_more: hasMore,
    object: "list",
    ...(hasMore ? { next_cursor: encodeCursor(next) } : {}),
    next_changes_since: encodeCursor({ kind: "changes_since", version: horizon }),
    meta: { count: { kind: "none" }, warnings: [] },
  };
}

/** The one-hop expansion of each record. */
export function expansionOf(
  covered: Covered,
  all: readonly Covered[],
  query: URLSearchParams,
): (parent: Version) => Json {
  const names = [...query.getAll("expand"), ...query.getAll("expand[]")].flatMap((text) => text.split(","));
  const relations = names.map((name) => {
    const relation = listOf(covered.feed.manifest["relationships"]).find((each) => each["name"] === name);
    const limits = listOf(declared(covered.feed, "expand")).find((each) => each["name"] === name);
    const child = all.find(
      ({ feed }) => feed.stream === relation?.["stream"] && feed.connectionId === covered.feed.connectionId,
    );
    if (relation === undefined || limits === undefined || child === undefined)
      throw badRequest("invalid_expand");
    const wanted = Number(query.get(`expand_limit[${name}]`) ?? limits["default_limit"]);
    return {
      name,
      key: String(relation["foreign_key"]),
      child,
      limit: Math.min(wanted, Number(limits["max_limit"])),
    };
  });
  return ({ key }) => {
    if (relations.length === 0) return {};
    const expanded = relations.map(({ name, key: foreign, child, limit }) => {
      const children = liveRecords(child.feed, "asc").filter(({ data }) => data?.[foreign] === key);
      const fields = shownFields(child, new URLSearchParams());
      const data = children.slice(0, limit).map((version) => shownRecord(child.feed, version, fields));
      return [name, { data, has_more: children.length > limit, object: "list" }];
    });
    return { expanded: Object.fromEntries(expanded) };
  };
}
