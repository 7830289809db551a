import { isJsonArray, isRecord, type JsonObject, memberOf } from "../json.ts";
import { LINK_META_DEPTH_MAX_COUNT, LINK_META_VALUES_MAX_COUNT } from "../limits.ts";

/** What to put for the URIs of one server. Each gives the text itself where it stays. */
export interface LinkNames {
  /** For a URI that is a link. */
  readonly link: (uri: string) => string;
  /** For a text in a `_meta` whose member does not say that it is a URI. */
  readonly meta: (text: string) => string;
}

/**
 * A result of `tools/call`, `resources/read` or `prompts/get` with other names for its links: `content[]` and
 * `messages[].content` (resource links and embedded resources), `contents[]`, and the strings of every `_meta` beside
 * them; there a member is a link where its name ends in `uri`. Everything else stays, and so does the object itself where no
 * link changes. Never throws, however deep it is.
 */
export function rewriteLinks(result: JsonObject, names: LinkNames): JsonObject {
  const metas = { values: LINK_META_VALUES_MAX_COUNT };
  const withMeta = (object: JsonObject): JsonObject =>
    changed(object, "_meta", (meta) => (isRecord(meta) ? metaOf(meta, names, metas, 0) : meta));
  const named = (object: JsonObject): JsonObject =>
    withMeta(changed(object, "uri", (uri) => (typeof uri === "string" ? names.link(uri) : uri)));
  const part = (given: unknown): unknown => {
    if (!isRecord(given)) return given;
    const type = memberOf(given, "type");
    if (type === "resource_link") return named(given);
    const embedded = (resource: unknown) => (isRecord(resource) ? named(resource) : resource);
    return withMeta(type === "resource" ? changed(given, "resource", embedded) : given);
  };
  const message = (given: unknown): unknown => {
    if (!isRecord(given)) return given;
    return withMeta(
      changed(given, "content", (content) => (isJsonArray(content) ? each(content, part) : part(content))),
    );
  };
  const parts = changed(result, "content", (content) => each(content, part));
  const contents = changed(parts, "contents", (content) =>
    each(content, (one) => (isRecord(one) ? named(one) : one)),
  );
  return withMeta(changed(contents, "messages", (messages) => each(messages, message)));
}

/** `uri`, `resourceUri`, `ui/resourceURI`: what such a member holds is a link. */
const LINK_KEY = /uri$/i;

function metaOf(value: unknown, names: LinkNames, left: { values: number }, depth: number): unknown {
  left.values -= 1;
  if (left.values < 0) return value;
  if (typeof value === "string") return names.meta(value);
  if (depth >= LINK_META_DEPTH_MAX_COUNT) return value;
  if (isJsonArray(value)) return each(value, (item) => metaOf(item, names, left, depth + 1));
  if (!isRecord(value)) return value;
  let made: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    const isLink = typeof member === "string" && LINK_KEY.test(key) && left.values > 0;
    if (isLink) left.values -= 1;
    const other = isLink ? names.link(member) : metaOf(member, names, left, depth + 1);
    if (other === value[key]) continue;
    made ??= { ...value };
    put(made, key, other);
  }
  return made ?? value;
}

/** An object with one of its own members changed; itself where that stays, or is not there. */
function changed(object: JsonObject, key: string, change: (member: unknown) => unknown): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const member = object[key];
  const other = change(member);
  if (other === member) return object;
  const made = { ...object };
  put(made, key, other);
  return made;
}

/** A plain assignment to `__proto__` would be none. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A list with its items changed; itself where they all stay. */
function each(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!isJsonArray(list)) return list;
  const made = list.map(change);
  return made.every((item, index) => item === list[index]) ? list : made;
}
