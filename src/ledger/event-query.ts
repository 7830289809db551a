import { EVENTS_PAGE_DEFAULT_COUNT, EVENTS_PAGE_MAX_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { EVENTS, type EventName, isEventName } from "../spine/telemetry/event-vocabulary.ts";
import type { EventFilter } from "./ledger-contract.ts";

/** A page of events, as its reader writes what it wants. */
export interface EventQuery extends EventFilter {
  readonly limit: number;
}

/** The parameters of a query, each as it was written: none, one, or by mistake several. */
export type Parameters = (name: "after" | "since" | "kind" | "limit") => readonly string[];

const COUNT = /^\d{1,16}$/;
/** RFC 3339, seconds and the time itself left out where one likes; a day alone begins in UTC. */
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const SHOWN_MAX_CHARS = 64;
const SHOWN_MAX_COUNT = 5;

/** Reads a query, all of it or, in words for its writer, everything that is wrong with it. */
export function readEventQuery(parameters: Parameters): Result<EventQuery, readonly string[]> {
  const problems: string[] = [];
  const read = <Value>(
    name: "after" | "since" | "kind" | "limit",
    absent: Value,
    parse: (text: string) => Value | undefined,
    problem: (text: string) => string,
  ): Value => {
    const [text, ...more] = parameters(name);
    if (text === undefined) return absent;
    const value = more.length > 0 ? undefined : parse(text);
    if (value === undefined) problems.push(more.length > 0 ? `${name} stands there twice` : problem(text));
    return value ?? absent;
  };
  const query: EventQuery = {
    after: read("after", 0, readCount, () => "after is the Loomgate-Cursor of an earlier answer"),
    sinceMs: read<number | null>(
      "since",
      null,
      readTime,
      () => "since is a time like 2026-01-31T12:00:00Z, or milliseconds since 1970",
    ),
    names: read<readonly EventName[] | null>("kind", null, readKinds, kindProblem),
    limit: read(
      "limit",
      EVENTS_PAGE_DEFAULT_COUNT,
      readLimit,
      () => `limit is a number from 1 to ${EVENTS_PAGE_MAX_COUNT}`,
    ),
  };
  return problems.length === 0 ? ok(query) : fail(problems);
}

const NAMES: readonly EventName[] = Object.keys(EVENTS).filter((name) => isEventName(name));

/** A name alone, or the first parts of some: `execute` is every event of an execute. */
function namesOf(kind: string): readonly EventName[] {
  return isEventName(kind) ? [kind] : NAMES.filter((name) => name.startsWith(`${kind}.`));
}

function readKinds(text: string): readonly EventName[] | undefined {
  const kinds = text.split(",");
  if (kinds.some((kind) => namesOf(kind).length === 0)) return undefined;
  const wanted = new Set(kinds.flatMap((kind) => namesOf(kind)));
  return NAMES.filter((name) => wanted.has(name));
}

function kindProblem(text: string): string {
  const unknown = Array.from(new Set(text.split(","))).filter((kind) => namesOf(kind).length === 0);
  const shown = unknown
    .slice(0, SHOWN_MAX_COUNT)
    .map((kind) => JSON.stringify(kind.slice(0, SHOWN_MAX_CHARS)));
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : "";
  return `kind: unknown ${shown.join(", ")}${more}; the events are ${NAMES.join(", ")}`;
}

function readCount(text: string): number | undefined {
  const count = Number(text);
  return COUNT.test(text) && Number.isSafeInteger(count) ? count : undefined;
}

function readLimit(text: string): number | undefined {
  const limit = readCount(text);
  return limit !== undefined && limit >= 1 && limit <= EVENTS_PAGE_MAX_COUNT ? limit : undefined;
}

function readTime(text: string): number | undefined {
  if (COUNT.test(text)) return readCount(text);
  const [, year, month, day] = TIME.exec(text) ?? [];
  if (year === undefined) return undefined;
  // The 31st of a shorter month is read as a day of the next one.
  const written = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const ms = Date.parse(text);
  if (written.getUTCDate() !== Number(day) || Number.isNaN(ms)) return undefined;
  return Math.max(0, ms);
}
