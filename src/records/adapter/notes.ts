import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isJsonArray, memberOf } from "../../json.ts";
import { RECORD_CURSOR_MAX_CHARS, WARNING_MAX_CHARS, WARNINGS_SHOWN_MAX_COUNT } from "../../limits.ts";
import { nameText, oneLine, quoted } from "./line.ts";
import { textAt } from "./schema/document.ts";

/**
 * What a client needs to go on from a list, as it stands in text: whether there is more, its cursor, its bookmark, its count.
 * Handles are whole or, where no argument could be so long, not there.
 */
export function listNotes(envelope: unknown): string {
  const hasMore = memberOf(envelope, "has_more");
  return [
    ...(typeof hasMore === "boolean" ? [`has_more=${hasMore}`] : []),
    ...handle("next_cursor", envelope),
    ...handle("next_changes_since", envelope),
    ...countNote(memberOf(envelope, "meta")),
  ].join(" ");
}

function handle(name: string, envelope: unknown): readonly string[] {
  const value = textAt(envelope, name);
  if (value === null || value === "") return [];
  return [value.length <= RECORD_CURSOR_MAX_CHARS ? `${name}=${quoted(value)}` : `${name}=(too long)`];
}

/** `count=exact:12`; of a search, `count=exact:12` as well, which tells its accuracy elsewhere. */
function countNote(meta: unknown): readonly string[] {
  const count = memberOf(meta, "count");
  const direct = numberText(count);
  if (direct !== undefined) {
    const accuracy = textAt(meta, "count_accuracy");
    return [`count=${accuracy === null ? "" : `${nameText(oneLine(accuracy, 40))}:`}${direct}`];
  }
  const kind = textAt(count, "kind");
  const value = numberText(memberOf(count, "value"));
  return kind === null || value === undefined ? [] : [`count=${nameText(oneLine(kind, 40))}:${value}`];
}

/** A number as its source wrote it; undefined for what is none. */
export function numberText(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.text.length <= 64 ? value.text : undefined;
  return typeof value === "number" ? String(value) : undefined;
}

export interface ShortWarning {
  readonly code: string;
  readonly message: string;
}

/** The first warnings of an envelope, in short. */
export function shortWarnings(envelope: unknown): readonly ShortWarning[] {
  const warnings = memberOf(memberOf(envelope, "meta"), "warnings");
  if (!isJsonArray(warnings)) return [];
  return warnings.slice(0, WARNINGS_SHOWN_MAX_COUNT).flatMap((warning) => {
    const [code, message] = [textAt(warning, "code"), textAt(warning, "message")];
    if (code === null) return [];
    return [
      { code: oneLine(code, WARNING_CODE_MAX_CHARS), message: oneLine(message ?? "", WARNING_MAX_CHARS) },
    ];
  });
}

const WARNING_CODE_MAX_CHARS = 60;

/** The same, a line each: `warning limit_clamped: …`. */
export function warningLines(envelope: unknown): readonly string[] {
  return shortWarnings(envelope).map(
    ({ code, message }) => `warning ${code}${message === "" ? "" : `: ${message}`}`,
  );
}
