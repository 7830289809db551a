import { isExactNumber } from "../../exact-json/exact-number.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { type JsonObject, isJsonArray, isRecord, memberOf } from "../../json.ts";
import {
  RECORD_CURSOR_MAX_CHARS,
  RECORD_SOURCE_NAME_MAX_CHARS,
  WARNING_MAX_CHARS,
  WARNINGS_KEPT_MAX_COUNT,
  WARNINGS_SHOWN_MAX_COUNT,
  WARNINGS_UNAVAILABLE_MAX_BYTES,
} from "../../limits.ts";
import { type BoundedLines, nameText, oneLine, quoted } from "./line.ts";
import { recordsAt, textAt } from "./schema/document.ts";

/**
 * What a client needs to go on from a list, as it stands in text: whether there is more, its cursor, its bookmark, its count.
 * Handles are whole or, where no argument could be so long, not there.
 */
export function listNotes(envelope: unknown): string {
  const hasMore = memberOf(envelope, "has_more");
  return [
    ...(typeof hasMore === "boolean" ? [`has_more=${hasMore}`] : []),
    ...handle("next_cursor", envelope),
    ...(hasMore === true && !hasCursor(envelope) ? [NO_CURSOR] : []),
    ...handle("next_changes_since", envelope),
    ...countNote(memberOf(envelope, "meta")),
  ].join(" ");
}

/** Without a cursor the rest is only reached by asking otherwise. */
const NO_CURSOR = "(no usable cursor: for the rest raise limit, or narrow the request)";

function hasCursor(envelope: unknown): boolean {
  const cursor = textAt(envelope, "next_cursor") ?? "";
  return cursor !== "" && cursor.length <= RECORD_CURSOR_MAX_CHARS;
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

interface ShortWarning {
  readonly code: string;
  readonly message: string;
}

interface ToldWarnings {
  readonly warnings: readonly ShortWarning[];
  /** How many sources the first one names; 0 where it is none of that kind. */
  readonly named: number;
  /** How many stand in none of them. */
  readonly more: number;
}

/** An envelope's warnings in short: every source that gave no answer, in one, and the first of the others. */
export function shortWarnings(envelope: unknown): ToldWarnings {
  const all = recordsAt(memberOf(envelope, "meta"), "warnings").filter((row) => textAt(row, "code") !== null);
  const away = all.filter(isUnavailable);
  const alone = away.length === 1;
  const sources = alone ? [] : fittingSources(away);
  const others = [...(alone ? away : []), ...all.filter((row) => !isUnavailable(row))];
  const shown = others.slice(0, WARNINGS_SHOWN_MAX_COUNT);
  return {
    warnings: [
      ...(sources.length === 0
        ? []
        : [
            {
              code: UNAVAILABLE,
              message: `${away.length} sources gave no answer, what they have is missing: ${sources.join("|")}`,
            },
          ]),
      ...shown.map((row) => ({
        code: oneLine(textAt(row, "code") ?? "", WARNING_CODE_MAX_CHARS),
        message: oneLine(textAt(row, "message") ?? "", WARNING_MAX_CHARS),
      })),
    ],
    named: sources.length,
    more: all.length - shown.length - sources.length,
  };
}

const UNAVAILABLE = "source_unavailable";
const WARNING_CODE_MAX_CHARS = 60;

function isUnavailable(warning: JsonObject): boolean {
  return textAt(warning, "code") === UNAVAILABLE && textAt(memberOf(warning, "detail"), "source") !== null;
}

/** `a|b(authentication_error)`: the reason where it tells more than the warning itself. */
function fittingSources(warnings: readonly JsonObject[]): readonly string[] {
  const names = warnings.map((warning) => {
    const detail = memberOf(warning, "detail");
    const reason = textAt(detail, "reason");
    const name = nameText(oneLine(textAt(detail, "source") ?? "", RECORD_SOURCE_NAME_MAX_CHARS));
    const isTold = reason === null || reason === "" || reason === UNAVAILABLE;
    return isTold ? name : `${name}(${nameText(oneLine(reason, WARNING_CODE_MAX_CHARS))})`;
  });
  let left = WARNINGS_UNAVAILABLE_MAX_BYTES;
  const end = names.findIndex((name) => (left -= utf8Length(name) + 1) < 0);
  return end < 0 ? names : names.slice(0, end);
}

/** The same, a line each: `warning limit_clamped: …`, and `more_warnings=3` where there are more. */
export function warningLines(envelope: unknown): readonly string[] {
  const { warnings, more } = shortWarnings(envelope);
  return [...warnings.map(warningLine), ...moreLine(more)];
}

/** Adds what fits of them; what does not is counted. */
export function addWarnings(lines: BoundedLines, envelope: unknown): void {
  const { warnings, named, more } = shortWarnings(envelope);
  let omitted = more;
  lines.reserve(MORE_WARNINGS_BYTES);
  for (const [index, warning] of warnings.entries()) {
    if (!lines.add(warningLine(warning))) omitted += index === 0 ? Math.max(1, named) : 1;
  }
  lines.reserve(-MORE_WARNINGS_BYTES);
  lines.addAlways(...moreLine(omitted));
}

const MORE_WARNINGS_BYTES = 30;

function warningLine({ code, message }: ShortWarning): string {
  return `warning ${code}${message === "" ? "" : `: ${message}`}`;
}

function moreLine(more: number): readonly string[] {
  return more === 0 ? [] : [`more_warnings=${more}`];
}

/** An envelope for structured output, which has its warnings as they came, up to a count that no package has members. */
export function withBoundedWarnings(envelope: JsonObject): JsonObject {
  const meta = memberOf(envelope, "meta");
  const warnings = memberOf(meta, "warnings");
  if (!isRecord(meta) || !isJsonArray(warnings) || warnings.length <= WARNINGS_KEPT_MAX_COUNT)
    return envelope;
  const isAway = (row: unknown): boolean => isRecord(row) && isUnavailable(row);
  const ordered = [...warnings.filter(isAway), ...warnings.filter((row) => !isAway(row))];
  const kept = ordered.slice(0, WARNINGS_KEPT_MAX_COUNT);
  return { ...envelope, meta: { ...meta, warnings: kept, more_warnings: warnings.length - kept.length } };
}
