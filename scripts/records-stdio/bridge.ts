import { LINE_MAX_BYTES, REQUESTS_MAX_COUNT } from "./limits.ts";
import { type LineFault, linesOf } from "./lines.ts";
import {
  errorLine,
  type Posted,
  readPosted,
  readReceived,
  type RequestId,
  type RpcError,
} from "./messages.ts";
import { noAnswer, type Refusal, rpcErrorOf } from "./refusal.ts";
import type { Server } from "./server.ts";

export interface BridgePorts {
  readonly server: Server;
  /** Writes one line of protocol; settles when the reader can take more. */
  readonly write: (line: string) => Promise<void>;
  /** Tells the person something. */
  readonly tell: (message: string) => void;
}

const LINE_FAULTS: Readonly<Record<LineFault, RpcError>> = {
  too_long: { code: -32_600, message: `A message is at most ${LINE_MAX_BYTES} bytes` },
  no_utf8: { code: -32_700, message: "A message is UTF-8" },
};

/** Carries messages between a client's lines and a server's answers. */
export class Bridge {
  readonly #ports: BridgePorts;
  /** What is under way, by the id of each request in it. */
  readonly #underWay = new Map<RequestId, AbortController>();
  readonly #works = new Set<Promise<void>>();

  constructor(ports: BridgePorts) {
    this.#ports = ports;
  }

  /** Serves until the lines end and everything that they asked is answered. */
  async serve(input: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const line of linesOf(input, LINE_MAX_BYTES)) {
      const posted = line.ok ? readPosted(line.value) : { id: null, error: LINE_FAULTS[line.reason] };
      if ("error" in posted) {
        await this.#ports.write(errorLine(posted.id, posted.error));
        continue;
      }
      const work = this.#carry(posted);
      this.#works.add(work);
      void work.finally(() => this.#works.delete(work));
      while (this.#works.size >= REQUESTS_MAX_COUNT) await Promise.race(this.#works);
    }
    await Promise.all(this.#works);
  }

  /** Posts one message and passes on what comes back. Each request in it gets one answer, unless the client gave it up. */
  async #carry(posted: Posted): Promise<void> {
    const cancel = new AbortController();
    if (posted.cancels !== undefined) this.#underWay.get(posted.cancels)?.abort();
    for (const id of posted.ids) this.#underWay.set(id, cancel);
    const { signal } = cancel;
    const owed = new Set(posted.ids);
    const refusal = await this.#exchange(posted, owed, signal);
    for (const id of posted.ids) {
      if (this.#underWay.get(id) === cancel) this.#underWay.delete(id);
    }
    if (signal.aborted) return;
    if (posted.ids.length === 0) {
      if (refusal !== null) this.#ports.tell(`${refusal.code}: ${refusal.message}`);
      return;
    }
    const error = rpcErrorOf(refusal ?? noAnswer("the server sent no answer to this request"));
    const lines = [...owed].map((id) => errorLine(id, error));
    if (!posted.isBatch) for (const line of lines) await this.#ports.write(line);
    else if (lines.length > 0) await this.#ports.write(`[${lines.join(",")}]`);
  }

  /** Passes on what a server sends for one post, and takes out of `owed` what it answers. */
  async #exchange(posted: Posted, owed: Set<RequestId>, signal: AbortSignal): Promise<Refusal | null> {
    const { server, tell } = this.#ports;
    if (posted.ids.length === 0) return server.notify(posted.text, signal);
    const answer = await server.post(posted.text, signal);
    if (!answer.ok) return answer.reason;
    const messages = answer.value;
    let hasStrays = false;
    for (let next = await messages.next(); ; next = await messages.next()) {
      if (next.done === true) return next.value;
      if (signal.aborted) continue;
      const received = readReceived(next.value, owed);
      if (received === undefined) {
        if (!hasStrays) tell("left out what is no answer and no notification");
        hasStrays = true;
        continue;
      }
      if (posted.isInitialize) server.protocolVersion = received.protocolVersion ?? server.protocolVersion;
      for (const id of received.answers) owed.delete(id);
      await this.#ports.write(received.text);
      if (owed.size > 0) continue;
      // Everything is answered: what a server would still send belongs to nothing.
      await messages.return(null);
      return null;
    }
  }
}
