/** One server-sent event (WHATWG HTML §9.2.6) with one message. JSON text has no line break, so that it is one line. */
export function eventText(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

/** A comment: readers skip it, and whatever stands between sees a connection in use. */
export const KEEP_ALIVE_TEXT = ": keep-alive\n\n";

/** As the SDK answers with a stream: nothing on the way may hold it back. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
