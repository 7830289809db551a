import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { allOf, coveredTimes } from "../covered.ts";
import type { Parameters } from "../parameters.ts";
import type { Row, Statement } from "../ports.ts";
import type { ListPlan } from "./plan.ts";
import type { Direction } from "./position.ts";
import { bySlot, chooseRows } from "./row-choice.ts";

/** How many records a list has, whatever page is read, and between which times they lie. */
export interface WindowMeta {
  readonly total: number;
  /** RFC 3339 in UTC, with milliseconds or more. Both or neither: without, no record has a time that may be seen. */
  readonly earliest_at?: string;
  readonly latest_at?: string;
}

export function windowWanted(parameters: Parameters): Result<boolean, PdppProblem> {
  const window = parameters.one("window") ?? "";
  if (window === "" || window === "none") return ok(false);
  return window === "exact"
    ? ok(true)
    : fail(problem("invalid_request", "window is none or exact.", { param: "window" }));
}

/** For each feed with a time its first one and its last one: a statement of one row, `at`. */
export function windowStatements(plans: readonly ListPlan[]): readonly Statement[] {
  return plans.flatMap((plan) => {
    const time = timeOf(plan.feed);
    return time === null ? [] : [endStatement(plan, time, "asc"), endStatement(plan, time, "desc")];
  });
}

/** What those statements answered. */
export function windowOf(total: number, answers: readonly (readonly Row[])[]): WindowMeta {
  const ats = answers.flatMap(([row]) => (typeof row?.["at"] === "string" ? [row["at"]] : [])).toSorted();
  const [earliest, latest] = [ats[0], ats.at(-1)];
  if (earliest === undefined || latest === undefined) return { total };
  return { total, earliest_at: utcText(earliest), latest_at: utcText(latest) };
}

/** The time of consent or, where the grant does not give that, a time that the stream is ordered by. */
function timeOf({ stream, fields }: CoveredFeed): "consent" | "order" | null {
  const { cursorField, consentTimeField } = stream;
  const isTime = (name: string | null): boolean => {
    const field = name === null ? undefined : stream.fields.get(name);
    const isGranted = field !== undefined && (fields?.has(field.name) ?? true);
    return isGranted && (field.kind === "time" || field.kind === "date");
  };
  if (isTime(consentTimeField)) return consentTimeField === cursorField ? "order" : "consent";
  return isTime(cursorField) ? "order" : null;
}

/** The end of an index where one has these times in their order; else what is meant is sorted. */
function endStatement({ feed, filters }: ListPlan, time: "consent" | "order", end: Direction): Statement {
  const choice = chooseRows(feed, filters);
  const slot = feed.slots.get(feed.stream.consentTimeField ?? "");
  const isByIndex =
    time === "consent" && slot !== undefined && filters.length === 0 && feed.resources === null;
  const column = isByIndex ? `r.${slot}` : { consent: "r.consent_time", order: "r.cursor_value" }[time];
  const from = isByIndex ? { sql: `records r ${bySlot(slot)}`, values: [] } : choice.from;
  const where = allOf([
    choice.where,
    { sql: `${column} IS NOT NULL`, values: [] },
    // The column says the same as the time of consent, and its index has a range then.
    ...(isByIndex ? coveredTimes(feed, column) : []),
  ]);
  return {
    sql: `SELECT ${column} AS at FROM ${from.sql} WHERE ${where.sql} ORDER BY ${column}${end === "desc" ? " DESC" : ""} LIMIT 1`,
    values: [...from.values, ...where.values],
  };
}

/** A canonical time as the wire has it: no digit is lost, and there are three of a second's fraction at least. */
function utcText(canonical: string): string {
  const [seconds = "", fraction = ""] = canonical.split(".");
  return `${seconds}.${fraction.padEnd(3, "0")}Z`;
}
