import { exactJsonText } from "../exact-json/write.ts";
import { KEEP_ALIVE_MS, PROGRESS_QUEUE_MAX_COUNT } from "../limits.ts";
import type { RequestId } from "../spine/frame/request-id.ts";
import type { Progress } from "../surface.ts";
import { eventText, KEEP_ALIVE_TEXT } from "./event-text.ts";

/** Calls `then` after some milliseconds, unless what it gives is called before. */
export type Timer = (delayMs: number, then: () => void) => () => void;

/**
 * The body of an answer that begins before its end: progress notifications under the caller's own token, then the answer.
 * It is written as it is read. Who does not read delays nothing and fills nothing: of the progress that waits the newest is
 * kept, and the answer always. Who goes away ends the stream, and nothing that tells it anything.
 */
export class ProgressStream {
  /** Ends once there is something to send: progress, the answer, or a sign of life since neither has come in time. */
  readonly begun: Promise<unknown>;
  readonly body: ReadableStream<Uint8Array>;
  readonly #token: RequestId;
  readonly #timer: Timer;
  readonly #encoder = new TextEncoder();
  readonly #waiting: Progress[] = [];
  #answer: string | undefined;
  /** Nothing is taken any more: the answer is there, or nobody is. */
  #isClosed = false;
  #wakers: (() => void)[] = [];

  constructor(token: RequestId, timer: Timer) {
    this.#token = token;
    this.#timer = timer;
    this.begun = this.#arrival();
    this.body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#write(controller),
        cancel: () => {
          this.#isClosed = true;
          this.#answer = undefined;
          this.#waiting.length = 0;
          this.#wake();
        },
      },
      // Nothing is written ahead of a reader: what waits is counted here.
      { highWaterMark: 0 },
    );
  }

  /** Tells of progress; it is dropped behind the answer, and where nobody reads any more. */
  readonly progress = (progress: Progress): void => {
    if (this.#isClosed) return;
    if (this.#waiting.length === PROGRESS_QUEUE_MAX_COUNT) this.#waiting.shift();
    this.#waiting.push(progress);
    this.#wake();
  };

  /** The last message, as JSON text. */
  end(answer: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#answer = answer;
    this.#wake();
  }

  async #write(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#isSilent() && !(await this.#arrival())) return this.#send(controller, KEEP_ALIVE_TEXT);
    const progress = this.#waiting.shift();
    if (progress !== undefined) return this.#send(controller, eventText(this.#notification(progress)));
    if (this.#answer === undefined) return;
    this.#send(controller, eventText(this.#answer));
    this.#answer = undefined;
    controller.close();
  }

  #send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(this.#encoder.encode(text));
  }

  #notification({ progress, total, message }: Progress): string {
    return exactJsonText({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: this.#token, progress, total, message },
    });
  }

  #isSilent(): boolean {
    return this.#waiting.length === 0 && !this.#isClosed;
  }

  /** Whether something came before the silence was too long. */
  #arrival(): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = this.#timer(KEEP_ALIVE_MS, () => {
        resolve(false);
      });
      this.#wakers.push(() => {
        stop();
        resolve(true);
      });
    });
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const waker of wakers) waker();
  }
}
