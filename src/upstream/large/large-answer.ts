import type { LargeSinks } from "../../large-result.ts";
import { RESULT_MAX_DEPTH, UPSTREAM_LARGE_PIECE_BYTES, UPSTREAM_LARGE_READER_BYTES } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { BufferAccount } from "../buffer-budget.ts";
import { orAbort } from "../deadline.ts";
import { EventData } from "./event-data.ts";
import { type JsonProblem, JsonStream } from "./json-stream.ts";
import { MessagesReader } from "./message-reader.ts";
import { Outflow } from "./outflow.ts";
import { LARGE_BOUNDS, type LargeBounds, type MainMember, Room } from "./reading.ts";
import { TextBuffer } from "./text-buffer.ts";
import { Utf8Text } from "./utf8-text.ts";

/** Why there is no message: no JSON, nested too deep (`id`, as far as it was read), or an event of another type. */
export type LargeProblem =
  | { readonly reason: "syntax" | "other_event" }
  | { readonly reason: "too_deep"; readonly message: unknown };

/** An answer that is too large to hold, read as it comes. */
export interface LargeAnswer {
  /**
   * Takes the next bytes, and waits until the store has what is in them. False once nothing more is of use. Rejects with
   * the signal's reason only.
   */
  push(bytes: Uint8Array): Promise<boolean>;
  /**
   * The message, with a `LargePayload` in place of whatever is in the store. Nothing in it was judged but its syntax.
   * Rejects with the signal's reason only.
   */
  finish(): Promise<Result<unknown, LargeProblem>>;
  /** It is no answer to us after all: what is in the store is given up, and so is the room. Never rejects. */
  abandon(): Promise<void>;
}

export interface LargeAnswerOptions {
  readonly sinks: LargeSinks;
  readonly account: BufferAccount;
  readonly signal: AbortSignal;
  /** The body is a message, or one event of a stream has it in its data. */
  readonly framing: "json" | "event";
  readonly main: MainMember;
  readonly isAnswer: (message: unknown) => boolean;
  readonly bounds?: LargeBounds;
}

/** A message and the batch it may be in, around the deepest result that is accepted. */
const MAX_DEPTH = RESULT_MAX_DEPTH + 3;
/** A part is twice what a payload may be: an image that stays has as much again for what is said about it. */
const BUFFER_PAYLOADS = 2;

/** Begins to read; undefined where there is not even room for that. The room is the answer's until it is finished. */
export function openLargeAnswer(options: LargeAnswerOptions): LargeAnswer | undefined {
  const { account, signal, bounds = LARGE_BOUNDS } = options;
  if (!account.hold(UPSTREAM_LARGE_READER_BYTES)) return undefined;
  const outflow = new Outflow(options.sinks);
  const room = new Room(account, bounds.restBytes);
  const buffer = new TextBuffer(BUFFER_PAYLOADS * bounds.payloadBytes);
  const hush = () => {
    json.hush();
  };
  const messages = new MessagesReader(
    { main: options.main, outflow, buffer, room, bounds, hush },
    options.isAnswer,
  );
  const json = new JsonStream(messages, MAX_DEPTH);
  const utf8 = new Utf8Text();
  const event = options.framing === "event" ? new EventData((text) => json.push(text)) : undefined;
  let isOpen = true;

  const take = (text: string) => {
    if (event === undefined) json.push(text);
    else event.push(text);
  };
  const drain = () => orAbort(outflow.drain(), signal);
  const close = () => {
    if (isOpen) account.free(UPSTREAM_LARGE_READER_BYTES);
    isOpen = false;
  };
  const problemOf = (problem: JsonProblem): LargeProblem =>
    problem === "syntax" ? { reason: problem } : { reason: problem, message: messages.message };

  return {
    push: async (bytes) => {
      for (let at = 0; at < bytes.length && json.problem === undefined; at += UPSTREAM_LARGE_PIECE_BYTES) {
        take(utf8.push(bytes.subarray(at, at + UPSTREAM_LARGE_PIECE_BYTES)));
        await drain();
      }
      return json.problem === undefined;
    },
    finish: async () => {
      take(utf8.end());
      const isMessage = event?.end() ?? true;
      json.end();
      const problem = json.problem === undefined ? undefined : problemOf(json.problem);
      if (problem !== undefined) return fail(problem);
      if (!isMessage) return fail({ reason: "other_event" });
      await drain();
      messages.settle();
      close();
      return ok(messages.message);
    },
    abandon: async () => {
      close();
      room.release();
      // The deadline does not wait for it; what is under way goes on.
      await orAbort(outflow.abandon(), signal).catch(() => undefined);
    },
  };
}
