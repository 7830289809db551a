import { sha256Hex } from "../../identity/digest.ts";
import { SESSION_DIGEST_HEX_CHARS } from "../../limits/spine.ts";
import { type LedgerEntry, type UpstreamRecord, writeEntry } from "../../outbox/entry.ts";
import { specOf } from "../../spine/telemetry/event-vocabulary.ts";
import { EVENT_VERSION, readEvent } from "../../spine/telemetry/events.ts";
import type { GatewayPorts } from "../ports.ts";
import { type CallEvent, UNNAMED } from "./call-event.ts";

/** What else an entry says. */
export interface EntryMore {
  /** The same for all repetitions of this telling; without one it is this telling's own. */
  readonly key?: string;
  readonly upstreams?: readonly UpstreamRecord[];
}

type TellerPorts = Pick<GatewayPorts, "now" | "newId" | "log">;

/** Tells what became of one call: the first time it is asked to, and never again. It begins to count time when it is made. */
export class Teller {
  readonly #ports: TellerPorts;
  readonly #sessionId: string | null;
  readonly #startedAtMs: number;
  #told = false;

  constructor(sessionKey: string | null, ports: TellerPorts) {
    this.#ports = ports;
    this.#sessionId = sessionKey === null ? null : sha256Hex(sessionKey).slice(0, SESSION_DIGEST_HEX_CHARS);
    this.#startedAtMs = ports.now();
  }

  /** The texts for a report to the principal's object: one, or none where the call was told before. Nothing throws. */
  entries(event: CallEvent, { key, upstreams = [] }: EntryMore = {}): readonly string[] {
    if (this.#told) return [];
    this.#told = true;
    const { now, newId, log } = this.#ports;
    const nowMs = now();
    const name = key ?? newId();
    const framed = {
      version: EVENT_VERSION,
      ...event,
      timestamp: nowMs,
      // A clock may be stepped back.
      duration_ms: Math.max(0, nowMs - this.#startedAtMs),
      session_id: this.#sessionId,
    };
    const written = entryText(name, framed, upstreams);
    if (written.text !== null) return [written.text];
    log(`an event of ${event.event} was refused: ${written.problem}`);
    // Less of it is better than nothing: no call goes uncounted.
    const { required } = specOf(event.event);
    const attributes = Object.fromEntries(
      Object.entries(event.attributes).filter(([name]) => Object.hasOwn(required, name)),
    );
    const reduced = entryText(name, { ...framed, ...UNNAMED, attributes }, []);
    if (reduced.text !== null) return [reduced.text];
    log(`an event of ${event.event} is lost: ${reduced.problem}`);
    return [];
  }
}

function entryText(
  key: string,
  event: unknown,
  upstreams: LedgerEntry["upstreams"],
): { readonly text: string } | { readonly text: null; readonly problem: string } {
  const read = readEvent(event);
  if (!read.ok) return { text: null, problem: JSON.stringify(read.reason) };
  const written = writeEntry({ key, event: read.value, upstreams });
  return written.ok ? { text: written.value } : { text: null, problem: written.reason };
}
