import { isRecord, memberOf } from "../../json.ts";
import { RECORD_LABEL_MAX_CHARS, RECORD_TITLE_MAX_CHARS } from "../../limits.ts";
import { unhighlighted } from "./highlight.ts";
import { oneLine } from "./line.ts";
import { textAt } from "./schema/document.ts";

const TITLE_FIELDS = ["title", "name", "subject", "summary"];
/** When something was said or happened, from the best to the weakest word for it. */
const AUTHORED_FIELDS = [
  "sent_at",
  "authored_at",
  "created_at",
  "source_created_at",
  "occurred_at",
  "updated_at",
];

export interface Titled {
  /** Where a title or a time may stand, the best place first; never a place that the caller may not see. */
  readonly places: readonly unknown[];
  /** The connection's label, or what comes nearest to it. */
  readonly label: string | null;
  readonly stream: string;
  readonly key: string;
  /** Null where the time of ingestion says nothing of the record. */
  readonly emittedAt: string | null;
  /** What was found in it, which is no title. */
  readonly snippet?: string;
}

/** A record's name for a person: its own title, else whose it is, of what stream and when it was written. */
export function titleOf({ places, label, stream, key, emittedAt, snippet }: Titled): string {
  const own = firstText(places, TITLE_FIELDS, (text) => text !== snippet && unhighlighted(text) !== snippet);
  if (own !== undefined) return plainLine(own, RECORD_TITLE_MAX_CHARS);
  const nested = places.flatMap((place) => [place, memberOf(place, "metadata")]);
  const when = firstText(nested, AUTHORED_FIELDS, isTime) ?? eventTime(places) ?? emittedAt ?? key;
  const parts = [...(label === null ? [] : [label]), stream, when];
  return oneLine(
    parts.map((part) => plainLine(part, RECORD_LABEL_MAX_CHARS)).join(" / "),
    RECORD_TITLE_MAX_CHARS * 2,
  );
}

/** Names of a time in anybody's words, and those of when something was read, or will be over. */
const TIME_NAME = /(?:^|_)(?:at|on|date|time|timestamp)$|[a-z](?:At|Date|Time)$/;
const OTHER_TIME_NAME = /^(?:emit|ingest|import|fetch|sync|index|collect|captur|delet|expir|due)/i;

/** The first time of a record that its stream has a name of its own for: when it happened, rather than when it was read. */
function eventTime(places: readonly unknown[]): string | undefined {
  for (const place of places) {
    if (!isRecord(place)) continue;
    for (const [name, value] of Object.entries(place)) {
      const isEvent = TIME_NAME.test(name) && !OTHER_TIME_NAME.test(name);
      if (isEvent && typeof value === "string" && isTime(value)) return value;
    }
  }
  return undefined;
}

function firstText(
  places: readonly unknown[],
  fields: readonly string[],
  fits: (text: string) => boolean,
): string | undefined {
  for (const field of fields) {
    for (const place of places) {
      const text = textAt(place, field);
      if (text !== null && plainLine(text, RECORD_TITLE_MAX_CHARS) !== "" && fits(text)) return text;
    }
  }
  return undefined;
}

/** A foreign text as one line without the tags of a highlight; what stood around one makes no other. */
function plainLine(text: string, maxChars: number): string {
  return oneLine(unhighlighted(text).replaceAll(/<\/?mark>/g, " "), maxChars);
}

/** Begins as a date does; anything else under such a name is no time to print. */
function isTime(text: string): boolean {
  return text.length <= 40 && /^\d{4}-\d{2}/.test(text);
}
