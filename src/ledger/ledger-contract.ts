import * as z from "zod";
import { EVENTS_PAGE_MAX_COUNT } from "../limits.ts";
import type { RefreshRecord } from "../outbox/refresh-record.ts";
import { EVENTS } from "../spine/telemetry/event-vocabulary.ts";
import type { HotFigures, HotLine } from "../spine/telemetry/hot-paths.ts";
import type { StoredLedger } from "../spine/telemetry/ledger-json.ts";

/** What the Worker asks the ledger's object, and what comes back. Plain JSON: two versions of the Worker may be at its ends. */
export const readRequestSchema = z.object({
  version: z.literal(1),
  /** The hash of the configuration's catalog settings, whose refresh is asked for; null: of none. */
  config: z.string().max(128).nullable(),
});

export type ReadRequest = z.input<typeof readRequestSchema>;

/** Which events are asked for; all of it holds together. */
export interface EventFilter {
  /** The cursor of an earlier page: only what came after. One that this ledger has not given yet is of an earlier ledger: all. */
  readonly after: number;
  /** Epoch milliseconds, inclusive, over the event's own time; null: any. */
  readonly sinceMs: number | null;
  /** Names of events; null: any. */
  readonly names: readonly string[] | null;
}

export interface EventPage {
  /** One JSON object each, in the order in which they came. */
  readonly lines: readonly string[];
  /** Asking after it goes on behind this page. Where nothing was found, the newest event there is. */
  readonly cursor: number;
  readonly more: boolean;
  /** Events after the cursor, of whatever kind and time, that were let go before it came. Absent in what an older version answers. */
  readonly missed?: number;
}

export interface EventWindow {
  readonly kept: number;
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
}

export const eventsRequestSchema = z.object({
  version: z.literal(1),
  after: z.number().int().nonnegative(),
  sinceMs: z.number().int().nonnegative().nullable(),
  names: z.array(z.string().max(64)).max(Object.keys(EVENTS).length).nullable(),
  limit: z.number().int().min(1).max(EVENTS_PAGE_MAX_COUNT),
});

export interface EventsRequest extends EventFilter {
  readonly version: 1;
  readonly limit: number;
}

/** Everything that is shown of the ledger, as it stood at one moment. Times are epoch milliseconds. */
export interface LedgerView {
  readonly version: 1;
  readonly now_ms: number;
  /** Of this life of the object; counters are older. */
  readonly uptime_ms: number;
  /** The newest delivery; null: there was none. */
  readonly heard_at_ms: number | null;
  readonly gateway: StoredLedger;
  readonly servers: readonly { readonly name: string; readonly ledger: StoredLedger }[];
  readonly tools: {
    readonly hottest: readonly HotLine[];
    readonly slowest: readonly HotLine[];
    readonly other?: HotFigures;
  };
  readonly refresh: RefreshRecord | null;
  readonly events: EventWindow & { readonly counts: Readonly<Record<string, number>> };
  /** Absent in what an older version answers. */
  readonly kept?: KeptFigures;
  readonly ledger: LedgerFigures;
}

/** What is kept of results, as each principal's object said last; what has expired or was freed since is in it until
 * that has something to tell again. */
export interface KeptFigures {
  /** Of principals that keep any. */
  readonly principals: number;
  readonly artifacts: number;
  readonly bytes: number;
  /** Of the one that has most of them, or of their bytes. */
  readonly most_artifacts: number;
  readonly most_bytes: number;
}

/** How complete the accounts are. */
export interface LedgerFigures {
  readonly sources: number;
  /** Entries that a source had no room for: their calls count nowhere. */
  readonly dropped: number;
  /** Entries of another version. */
  readonly unreadable: number;
  /** Counts that could not be counted. */
  readonly refused: number;
  /** Accounts that could not be read back and began anew. */
  readonly restarted: number;
  /** When something was last dropped, unreadable or refused, or an account began anew, epoch milliseconds; null: never. */
  readonly lost_at_ms: number | null;
}

export type ReadAnswer = LedgerView | { readonly version: 1; readonly refused: "malformed" };
export type EventsAnswer =
  | (EventPage & { readonly version: 1 })
  | { readonly version: 1; readonly refused: "malformed" };
