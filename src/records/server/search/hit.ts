import { isJsonArray, memberOf, parsedJson, type JsonObject } from "../../../json.ts";
import { SEARCH_BEGINNING_MAX_CHARS, SEARCH_EXCERPTS_MAX_COUNT } from "../../../limits/records.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { lexicalText } from "../../search/documents.ts";
import { pathOf } from "../../source/read-source.ts";
import { canonicalTime } from "../../time/canonical-time.ts";
import type { Row } from "../ports.ts";
import { connectionMembers } from "../records/record-object.ts";
import type { SearchedField } from "./scopes.ts";
import { snippetOf, type Snippet } from "./snippet.ts";
import { SCORE_UNITS } from "./statements.ts";

export interface HitContext {
  readonly fields: readonly SearchedField[];
  readonly words: ReadonlySet<string>;
  /** Whether a record's address must say of which connection it is. */
  readonly severalConnections: boolean;
  /** How much text may still be gone through for this page's excerpts. */
  readonly text: { charsLeft: number };
}

/** A hit as the wire has it; only what the grant gives of the body is ever looked at. */
export function hitObject(row: Row, body: JsonObject, context: HitContext): object | undefined {
  const found = foundFields(row, context.fields);
  const feed = found[0]?.feed;
  const key = row["record_key"];
  if (feed === undefined || typeof key !== "string") return undefined;
  const excerpts = found.flatMap(({ field }) => {
    const text = lexicalText(memberOf(body, field));
    return text === undefined
      ? []
      : [{ field, snippet: snippetOf(withinBudget(text, context), context.words) }];
  });
  const best = bestOf(excerpts);
  const authoredAt = authoredTime(feed, body);
  return {
    connector_id: feed.connectorId,
    emitted_at: row["emitted_at"],
    matched_fields: found.map(({ field }) => field),
    object: "search_result",
    record_key: key,
    record_url: pathOf({
      path: ["streams", feed.stream.name, "records", key],
      query: context.severalConnections ? [["connection_id", feed.connectionId]] : [],
    }),
    stream: feed.stream.name,
    ...(authoredAt === undefined ? {} : { authored_at: authoredAt }),
    ...connectionMembers(feed),
    ...(best === undefined ? {} : { snippet: { field: best.field, text: best.snippet.text } }),
    evidence_excerpts: excerpts.slice(0, SEARCH_EXCERPTS_MAX_COUNT).map(({ field, snippet }) => ({
      field_path: field,
      object: "evidence_excerpt",
      preview_text: snippet.text,
      provenance: "lexical_match",
      // An excerpt never stands for the field: who needs the text reads the record.
      truncated: true,
    })),
    score: { kind: "bm25", order: "lower_is_better", value: -Number(row["score"]) / SCORE_UNITS },
  };
}

function withinBudget(text: string, { text: budget }: HitContext): string {
  const looked = text.slice(0, Math.max(budget.charsLeft, SEARCH_BEGINNING_MAX_CHARS));
  budget.charsLeft -= looked.length;
  return looked;
}

/** In the order of the manifest, which is that of `fields`. */
function foundFields({ scopes }: Row, fields: readonly SearchedField[]): readonly SearchedField[] {
  const places = typeof scopes === "string" ? parsedJson(scopes) : undefined;
  if (!isJsonArray(places)) return [];
  const found = new Set(places);
  return fields.filter((_, place) => found.has(place));
}

interface Excerpt {
  readonly field: string;
  readonly snippet: Snippet;
}

function bestOf(excerpts: readonly Excerpt[]): Excerpt | undefined {
  return excerpts.reduce<Excerpt | undefined>(
    (best, excerpt) => (best === undefined || excerpt.snippet.found > best.snippet.found ? excerpt : best),
    undefined,
  );
}

const AUTHORED_FIELDS = ["sent_at", "authored_at", "created_at", "source_created_at", "occurred_at"];

/** When it was written, as the record says it: the stream's own time first, and never a field that is not granted. */
function authoredTime({ stream, fields }: CoveredFeed, body: JsonObject): string | undefined {
  for (const field of [stream.consentTimeField, stream.cursorField, ...AUTHORED_FIELDS]) {
    if (field === null || fields?.has(field) === false) continue;
    const value = memberOf(body, field);
    if (typeof value === "string" && canonicalTime(value) !== undefined) return value;
  }
  return undefined;
}
