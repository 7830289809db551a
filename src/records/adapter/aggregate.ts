import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { RECORDS_TEXT_MAX_BYTES } from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { ToolAnswer } from "../../surface.ts";
import { answerOf, refusal, sourceRefusal, unreadable } from "./answers.ts";
import type { ReadArguments } from "./arguments.ts";
import { chooseConnection } from "./connection-choice.ts";
import type { RecordsContext } from "./context.ts";
import { BoundedLines, nameText, oneLine, quoted } from "./line.ts";
import { addWarnings, numberText, warningLines, withBoundedWarnings } from "./notes.ts";
import { previewOf } from "./preview.ts";
import { textAt } from "./schema/document.ts";

/** The `aggregate` tool: one number, or the largest groups. */
export async function callAggregate(args: ReadArguments, { source }: RecordsContext): Promise<ToolAnswer> {
  const stream = args.text("stream") ?? "";
  const chosen = chooseConnection(source, stream, args.text("connection_id"));
  if (!chosen.ok) return refusal(chosen.reason);
  const answer = await source.get({ path: ["streams", stream, "aggregate"], query: args.query("stream") });
  if (!answer.ok) return sourceRefusal(answer);
  const { body, requestId } = answer;
  const groups = memberOf(body, "groups");
  if (!isRecord(body) || (!isJsonArray(groups) && !Object.hasOwn(body, "value")))
    return unreadable(requestId);
  const text = isJsonArray(groups) ? groupsText(args, body, groups) : valueText(args, body);
  return answerOf(text, { data: withBoundedWarnings(body), request_id: requestId });
}

/** `count(messages)`, `sum(messages) field=size`. */
function subject(args: ReadArguments): string {
  const field = args.text("field");
  const of = `${args.text("metric") ?? ""}(${nameText(args.text("stream") ?? "")})`;
  return field === undefined ? of : `${of} field=${nameText(field)}`;
}

function valueText(args: ReadArguments, body: unknown): string {
  const value = memberOf(body, "value");
  const lines = new BoundedLines(RECORDS_TEXT_MAX_BYTES);
  lines.addAlways(`${subject(args)} = ${previewOf(value, VALUE_MAX_BYTES).text}.${notes(body)}`);
  addWarnings(lines, body);
  return lines.text();
}

const VALUE_MAX_BYTES = 400;

function groupsText(args: ReadArguments, body: unknown, groups: readonly unknown[]): string {
  const field = args.text("group_by");
  const time = args.text("group_by_time");
  const by = [
    ...(field === undefined ? [] : [`group_by=${nameText(field)}`]),
    ...(time === undefined ? [] : [`group_by_time=${nameText(time)}`]),
    ...words(body, ["granularity", "time_zone"]),
  ].join(" ");
  const lines = new BoundedLines(RECORDS_TEXT_MAX_BYTES);
  const warnings = warningLines(body);
  const others = numberText(memberOf(body, "other_count"));
  const tail = `${others === undefined ? "" : ` other_count=${others}`}${notes(body)}`;
  const head = `${subject(args)} ${by}: ${groups.length} group(s) [`;
  lines.reserve(utf8Length(head) + utf8Length(tail) + MORE_GROUPS_BYTES);
  for (const warning of warnings) lines.reserve(utf8Length(warning) + 1);
  const shown = fitting(groups.map(groupText), lines.bytesLeft);
  const more = groups.length - shown.length;
  const rest = more === 0 ? "" : ` more_groups=${more} in structured output`;
  return [`${head}${shown.join(", ")}]${rest}${tail}`, ...warnings].join("\n");
}

const MORE_GROUPS_BYTES = 60;

function groupText(group: unknown): string {
  const key = memberOf(group, "key");
  const name =
    typeof key === "string" ? quoted(oneLine(key, GROUP_KEY_MAX_CHARS)) : previewOf(key ?? null, 80).text;
  return `${name}=${numberText(memberOf(group, "count")) ?? "?"}`;
}

const GROUP_KEY_MAX_CHARS = 120;

function fitting(texts: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  const end = texts.findIndex((text) => (left -= utf8Length(text) + 2) < 0);
  return end < 0 ? texts : texts.slice(0, end);
}

/** How many records were looked at, and whether that is exact. */
function notes(body: unknown): string {
  const filtered = numberText(memberOf(body, "filtered_record_count"));
  return [
    ...(filtered === undefined ? [] : [` filtered_record_count=${filtered}`]),
    ...(memberOf(body, "approximate") === true ? [" approximate=true"] : []),
  ].join("");
}

function words(body: unknown, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = textAt(body, name);
    return value === null ? [] : [`${name}=${nameText(oneLine(value, 60))}`];
  });
}
