import * as z from "zod";
import { isJsonArray, memberOf, parsedJson } from "../json.ts";
import {
  ENTRY_KEY_MAX_CHARS,
  ENTRY_MAX_CHARS,
  ENTRY_OPERATIONS_MAX_COUNT,
  ENTRY_UPSTREAMS_MAX_COUNT,
  SERVER_NAME_MAX_CHARS,
} from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Generation } from "../spine/fault/generation.ts";
import { readGeneration } from "../spine/fault/generation.ts";
import { specOf } from "../spine/telemetry/event-vocabulary.ts";
import { type GatewayEvent, readEvent } from "../spine/telemetry/events.ts";
import { type LedgerOperation, readLedgerOperation } from "../spine/telemetry/operation.ts";
import { type RefreshRecord, refreshRecordSchema } from "./refresh-record.ts";

/**
 * One thing that happened, on its way to the ledger: the event itself, what it means for the accounts of upstreams, and of
 * a refresh what the operator's status shows.
 */
export interface LedgerEntry {
  /** The same for every repetition of one telling; of a call in the journal, its attempt. */
  readonly key: string;
  readonly event: GatewayEvent;
  readonly upstreams: readonly UpstreamRecord[];
  readonly refresh?: RefreshRecord;
}

/** What happened to one upstream, in its order; nothing is left in flight by it. */
export interface UpstreamRecord {
  /** The configured server's name. */
  readonly server: string;
  /** Which of the server's targets it happened to: it grows when another takes over. */
  readonly generation: Generation;
  readonly operations: readonly LedgerOperation[];
}

export type EntryProblem = "not_json" | "malformed" | "too_large" | "invalid_event" | "invalid_operation";

const entryFields = z.object({
  version: z.literal(1),
  key: z.string().min(1).max(ENTRY_KEY_MAX_CHARS),
  event: z.unknown(),
  upstreams: z
    .array(
      z.object({
        server: z.string().min(1).max(SERVER_NAME_MAX_CHARS),
        generation: z.unknown(),
        operations: z.array(z.unknown()).max(ENTRY_OPERATIONS_MAX_COUNT),
      }),
    )
    .max(ENTRY_UPSTREAMS_MAX_COUNT)
    .default([]),
  refresh: refreshRecordSchema.optional(),
});

/** An entry as it is stored and sent: compact JSON. `too_large` is over `ENTRY_MAX_CHARS`. */
export function writeEntry(entry: LedgerEntry): Result<string, EntryProblem> {
  const text = textOf(entry);
  const read = readEntry(text);
  return read.ok ? ok(text) : read;
}

/** How a call ends that gave no result. */
const FAILURES: ReadonlySet<LedgerOperation["record"]> = new Set([
  "error",
  "response_error",
  "recovery_error",
]);

/**
 * An entry as it is of a call that its caller has taken back, which its event says. That a server then gave no answer, or an
 * error, is no fault of its: a record that ends so goes as a whole, so that nothing stays in flight. And the error says nothing
 * of what the call did: its outcome is unknown, as it is in the journal.
 */
export function asTakenBack({ event, upstreams, ...entry }: LedgerEntry): LedgerEntry {
  const kept = upstreams.filter(
    ({ operations }) => !operations.some((operation) => FAILURES.has(operation.record)),
  );
  return { ...entry, event: takenBack(event), upstreams: kept };
}

function takenBack(event: GatewayEvent): GatewayEvent {
  if (!Object.hasOwn(specOf(event.event).optional, "cancelled")) return event;
  const outcome = memberOf(event.attributes, "outcome") === "completed" ? { outcome: "unknown" } : {};
  const told = readEvent({ ...event, attributes: { ...event.attributes, ...outcome, cancelled: true } });
  return told.ok ? told.value : event;
}

/** How long an entry's text is, whatever else is wrong with it. */
export function writtenChars(entry: LedgerEntry): number {
  return textOf(entry).length;
}

function textOf(entry: LedgerEntry): string {
  return JSON.stringify({ version: 1, ...entry });
}

/** Reads an entry, all of it or nothing: what a ledger cannot count whole it counts as unreadable. */
export function readEntry(text: string): Result<LedgerEntry, EntryProblem> {
  if (text.length > ENTRY_MAX_CHARS) return fail("too_large");
  const json = parsedJson(text);
  if (json === undefined) return fail("not_json");
  const fields = entryFields.safeParse(json);
  if (!fields.success) return fail("malformed");
  const { key, upstreams, refresh } = fields.data;
  const event = readEvent(fields.data.event);
  if (!event.ok) return fail("invalid_event");
  const records: UpstreamRecord[] = [];
  for (const { server, generation: written, operations } of upstreams) {
    const generation = readGeneration(written);
    const read = readOperations(operations);
    if (!generation.ok || read === undefined) return fail("invalid_operation");
    records.push({ server, generation: generation.value, operations: read });
  }
  return ok({
    key,
    event: event.value,
    upstreams: records,
    ...(refresh === undefined ? {} : { refresh }),
  });
}

function readOperations(values: unknown): readonly LedgerOperation[] | undefined {
  if (!isJsonArray(values)) return undefined;
  const operations: LedgerOperation[] = [];
  for (const value of values) {
    const read = readLedgerOperation(value);
    if (!read.ok) return undefined;
    operations.push(read.value);
  }
  return operations;
}
