import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { Problems } from "./problems.ts";

type Path = readonly (string | number)[];

/** What is read, and behind it what published manifests say for others: collectors, catalogs and consent screens. */
const KNOWN = {
  manifest: names(
    "connector_key connector_id display_name streams",
    "protocol_version manifest_uri version description capabilities runtime_requirements setup",
  ),
  stream: names(
    "name semantics primary_key cursor_field consent_time_field schema relationships views query",
    "description display selection incremental required coverage_strategy freshness_strategy compaction_class compaction_class_note compaction_fingerprint",
  ),
  relationship: names("name stream foreign_key cardinality", "description"),
  view: names("id label fields", "description"),
  query: names("range_filters search expand aggregations"),
  search: names("lexical_fields", "semantic_fields"),
  expand: names("name default_limit max_limit"),
  aggregations: names("count sum min max group_by group_by_time count_distinct"),
} as const;

/**
 * Members of a manifest that nothing knows, most likely misspelled, as JSON Pointers: they count for nothing. What begins
 * with `x_`, `x-` or `$` is somebody's own, and a field's JSON Schema is kept as it is. For a manifest that was read.
 */
export function unknownMembers(manifest: unknown): readonly string[] {
  const found = new Problems();
  const judge = (value: unknown, level: keyof typeof KNOWN, path: Path): void => {
    if (!isRecord(value)) return;
    for (const name of Object.keys(value))
      if (!KNOWN[level].has(name) && !OWN.test(name)) found.add([...path, name], "");
  };
  const each = (value: unknown, path: Path, visit: (item: unknown, at: Path) => void): void => {
    for (const [index, item] of (isJsonArray(value) ? value : []).entries()) visit(item, [...path, index]);
  };
  judge(manifest, "manifest", []);
  each(memberOf(manifest, "streams"), ["streams"], (stream, at) => {
    const query = memberOf(stream, "query");
    judge(stream, "stream", at);
    each(memberOf(stream, "relationships"), [...at, "relationships"], (item, path) => {
      judge(item, "relationship", path);
    });
    each(memberOf(stream, "views"), [...at, "views"], (item, path) => {
      judge(item, "view", path);
    });
    judge(query, "query", [...at, "query"]);
    judge(memberOf(query, "search"), "search", [...at, "query", "search"]);
    judge(memberOf(query, "aggregations"), "aggregations", [...at, "query", "aggregations"]);
    each(memberOf(query, "expand"), [...at, "query", "expand"], (item, path) => {
      judge(item, "expand", path);
    });
  });
  return found.found.map(({ path }) => path);
}

const OWN = /^(?:x[_-]|\$)/;

function names(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(" ")));
}
