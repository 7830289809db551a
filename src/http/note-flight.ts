import { FLIGHT_NOTE_RETRY_DELAYS_MS } from "../limits.ts";
import type { FlightNote, NotedFlight } from "../principal/admit-contract.ts";
import type { Result } from "../result.ts";

export interface NotePorts {
  noteFlight(note: FlightNote): Promise<Result<NotedFlight, { readonly detail: string }>>;
  sleep(delayMs: number): Promise<void>;
  /** The operator's log. */
  log(text: string): void;
}

/**
 * Notes where a call is, and says whether its caller has taken it back; not, where the principal's object does not say. To note
 * it twice is to note it once. A session that was opened is noted behind its call, and without the note that call cannot be
 * cancelled where it is, so an object that is being moved is waited for; a note before another try keeps that try waiting, and
 * is made at once or not at all. Never throws.
 */
export async function noteFlight(note: FlightNote, ports: NotePorts): Promise<boolean> {
  const waits = note.session ? FLIGHT_NOTE_RETRY_DELAYS_MS : [];
  let problem = "";
  for (const delayMs of [0, 0, ...waits]) {
    if (delayMs > 0) await ports.sleep(delayMs);
    const noted = await ports.noteFlight(note);
    if (noted.ok) return noted.value.cancelled;
    problem = noted.reason.detail;
  }
  // An object of an older version knows no flights, and the call goes on.
  ports.log(problem);
  return false;
}
