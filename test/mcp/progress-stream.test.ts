import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { KEEP_ALIVE_MS, PROGRESS_QUEUE_MAX_COUNT } from "../../src/limits.ts";
import { KEEP_ALIVE_TEXT } from "../../src/mcp/event-text.ts";
import { ProgressStream } from "../../src/mcp/progress-stream.ts";
import type { RequestId } from "../../src/spine/frame/request-id.ts";

/** A stream whose clock stands still until it is told that it was silent for too long. */
function opened(token: RequestId = "t") {
  const alarms = new Set<() => void>();
  const stream = new ProgressStream(token, (delayMs, then) => {
    expect(delayMs).toBe(KEEP_ALIVE_MS);
    alarms.add(then);
    return () => {
      alarms.delete(then);
    };
  });
  return {
    stream,
    alarms,
    ring: () => {
      for (const alarm of alarms) alarm();
      alarms.clear();
    },
  };
}

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';
const event = (json: string) => `event: message\ndata: ${json}\n\n`;
const notification = (progress: number, token = '"t"') =>
  event(
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${progress}}}`,
  );
const textOf = (stream: ProgressStream) => new Response(stream.body).text();
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  void promise.then(() => (isSettled = true));
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return isSettled;
};

describe("a stream of progress", () => {
  it("sends progress in its order, then the answer, then nothing", async () => {
    const { stream, alarms } = opened();
    const text = textOf(stream);
    stream.progress({ progress: 1 });
    stream.progress({ progress: 2, total: 3, message: "two\nlines\r\u2028" });
    stream.end(ANSWER);
    stream.progress({ progress: 9 });
    stream.end("{}");
    expect(await text).toBe(
      notification(1) +
        event(
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":2,"total":3,"message":"two\\nlines\\r\u2028"}}`,
        ) +
        event(ANSWER),
    );
    expect(alarms.size).toBe(0);
  });

  it.each<[RequestId, string]>([
    [0, "0"],
    ["", '""'],
    [new ExactNumber("1.0"), "1.0"],
    [new ExactNumber("12345678901234567890"), "12345678901234567890"],
    ["\ud83d", '"\\ud83d"'],
    ["😀", '"😀"'],
    ["\n\n", String.raw`"\n\n"`],
  ])("writes the token %j as it was written", async (token, json) => {
    const { stream } = opened(token);
    stream.progress({ progress: 1 });
    stream.end(ANSWER);
    expect(await textOf(stream)).toBe(notification(1, json) + event(ANSWER));
  });

  it("begins with the first that there is to send, and not before", async () => {
    for (const begin of [
      (stream: ProgressStream) => {
        stream.progress({ progress: 1 });
      },
      (stream: ProgressStream) => {
        stream.end(ANSWER);
      },
    ]) {
      const { stream } = opened();
      expect(await settled(stream.begun)).toBe(false);
      begin(stream);
      expect(await settled(stream.begun)).toBe(true);
    }
    const { stream, ring } = opened();
    ring();
    expect(await settled(stream.begun)).toBe(true);
  });

  it("gives a sign of life for each silence, to a reader alone", async () => {
    const { stream, ring, alarms } = opened();
    ring();
    await stream.begun;
    // Nobody reads: nothing is owed, and nothing is counted.
    expect(alarms.size).toBe(0);
    const reader = stream.body.getReader();
    const decoder = new TextDecoder();
    for (let silence = 0; silence < 3; silence += 1) {
      const read = reader.read();
      expect(await settled(read)).toBe(false);
      ring();
      expect(decoder.decode((await read).value)).toBe(KEEP_ALIVE_TEXT);
    }
    stream.end(ANSWER);
    expect(decoder.decode((await reader.read()).value)).toBe(event(ANSWER));
    expect((await reader.read()).done).toBe(true);
    expect(alarms.size).toBe(0);
  });

  it("keeps the newest progress and the answer for who does not read, and no more", async () => {
    const { stream } = opened();
    for (let progress = 1; progress <= 10_000; progress += 1) stream.progress({ progress });
    stream.end(ANSWER);
    const first = 10_001 - PROGRESS_QUEUE_MAX_COUNT;
    const kept = Array.from({ length: PROGRESS_QUEUE_MAX_COUNT }, (_, index) => notification(first + index));
    expect(await textOf(stream)).toBe(kept.join("") + event(ANSWER));
  });

  it("takes everything from a call whose reader has gone", async () => {
    const { stream, alarms } = opened();
    const reader = stream.body.getReader();
    const read = reader.read();
    await reader.cancel();
    expect((await read).done).toBe(true);
    expect(alarms.size).toBe(0);
    stream.progress({ progress: 1 });
    stream.end(ANSWER);
    expect((await reader.read()).done).toBe(true);
  });

  it("is the same whatever the turns of writer and reader", async () => {
    const turn = fc.constantFrom("progress", "read", "silence", "turn");
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 40 }), async (turns) => {
        const { stream, ring } = opened();
        const reader = stream.body.getReader();
        const decoder = new TextDecoder();
        const reads: Promise<string>[] = [];
        const read = () => {
          reads.push(reader.read().then(({ value, done }) => (done ? "" : decoder.decode(value))));
        };
        let told = 0;
        for (const each of turns) {
          if (each === "progress") stream.progress({ progress: (told += 1) });
          else if (each === "read") read();
          else if (each === "silence") ring();
          else await Promise.resolve();
        }
        stream.end(ANSWER);
        // One more than there can be: what was asked for, and what waits.
        for (let more = 0; more <= told + 1; more += 1) read();
        const texts = (await Promise.all(reads)).filter((text) => text !== KEEP_ALIVE_TEXT).join("");
        const all = Array.from({ length: told }, (_, index) => notification(index + 1)).join("");
        expect(texts).toBe(all + event(ANSWER));
      }),
    );
  });
});
