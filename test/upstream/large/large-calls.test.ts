import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LargePayload } from "../../../src/large-result.ts";
import {
  UPSTREAM_ANSWER_MAX_BYTES,
  UPSTREAM_LARGE_READER_BYTES,
  UPSTREAM_STREAM_MAX_BYTES,
} from "../../../src/limits.ts";
import { memorySinks } from "./memory-sinks.ts";
import {
  call,
  CHUNK_BYTES,
  ESCAPED,
  framed,
  FRAMINGS,
  MEGABYTE,
  repeatsFor,
  serve,
  TEXT,
  TEXT_BYTES,
  textAnswer,
  told,
  watched,
} from "./serve.ts";

const KILOBYTE = 1_024;

const turns = async () => {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
};

describe.each(FRAMINGS)("an answer that is too large to hold (%s)", (framing) => {
  it("of 5 MB arrives whole in the store, and costs little more memory than an answer may", async () => {
    const repeats = repeatsFor(5 * MEGABYTE);
    const served = serve(framing, (id) => framed(framing, textAnswer(id, repeats)));
    const { answer, parts, sinks, most } = await call(served);
    expect(answer).toMatchObject({ ok: true, value: { content: [{ type: "text" }] } });
    expect(sinks.textOf(parts[0]?.["text"])).toBe(TEXT.repeat(repeats));
    expect(most()).toBeLessThanOrEqual(UPSTREAM_ANSWER_MAX_BYTES + UPSTREAM_LARGE_READER_BYTES);
  });

  it("of 60 MB arrives, in writes of bounded size", async () => {
    const repeats = repeatsFor(60 * MEGABYTE);
    const { parts, sinks, most } = await call(
      serve(framing, (id) => framed(framing, textAnswer(id, repeats))),
    );
    expect(parts[0]?.["text"]).toMatchObject({ form: "text", sizeBytes: repeats * TEXT_BYTES });
    expect(most()).toBeLessThanOrEqual(UPSTREAM_ANSWER_MAX_BYTES + UPSTREAM_LARGE_READER_BYTES);
    const [payload] = sinks.opened;
    expect(Math.max(...(payload?.chunks ?? []).map(({ length }) => length))).toBeLessThan(3 * CHUNK_BYTES);
  });

  it("of 65 MB never ends: its outcome is unknown, and nothing stays", async () => {
    const served = serve(framing, (id) => framed(framing, textAnswer(id, repeatsFor(65 * MEGABYTE))));
    const { answer, sinks } = await call(served);
    expect(told(answer)).toBe("too_large, unknown");
    expect(sinks.opened.map(({ state }) => state)).toEqual(["aborted"]);
    expect(served.sent()).toBeLessThan(UPSTREAM_STREAM_MAX_BYTES + 2 * CHUNK_BYTES);
    expect(served.cancelled()).toBe(true);
  });

  it("that is cut off in the middle fails as the network does, and nothing stays", async () => {
    const served = serve(framing, function* (id) {
      yield* framed(framing, textAnswer(id, repeatsFor(10 * MEGABYTE), ""));
      yield new Error("reset");
    });
    const { answer, sinks } = await call(served);
    // An event whose end came is no message, so that the stream's own end decides.
    expect(told(answer)).toBe("unreachable, unknown");
    expect(sinks.opened.length).toBe(1);
    expect(sinks.kept()).toEqual([]);
  });

  it("that ends in the middle is no answer, and nothing stays", async () => {
    const { answer, sinks } = await call(
      serve(framing, (id) => framed(framing, textAnswer(id, repeatsFor(6 * MEGABYTE), ""))),
    );
    expect(told(answer)).toBe("protocol, unknown");
    expect(sinks.kept()).toEqual([]);
  });

  it("that is broken JSON in the middle is no answer, and nothing stays", async () => {
    const served = serve(framing, function* (id) {
      yield* framed(framing, [...textAnswer(id, repeatsFor(6 * MEGABYTE), "\u0001"), ESCAPED.repeat(10_000)]);
    });
    const { answer, sinks } = await call(served);
    expect(told(answer)).toBe("protocol, unknown");
    expect(sinks.opened.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("whose end does not come before the deadline is late, and nothing stays", async () => {
    const served = serve(framing, function* (id) {
      yield* framed(framing, textAnswer(id, repeatsFor(5 * MEGABYTE), ""));
      yield () => new Promise(() => undefined);
    });
    const { answer, sinks } = await call(served, {}, memorySinks(), 1_500);
    expect(told(answer)).toBe("timeout, unknown");
    expect(sinks.kept()).toEqual([]);
    expect(served.cancelled()).toBe(true);
  });

  it("whose caller goes away while the store is waited for is given up", async () => {
    const controller = new AbortController();
    let writes = 0;
    const sinks = memorySinks(() => {
      writes += 1;
      if (writes === 3) controller.abort();
      return writes < 3 ? Promise.resolve() : new Promise(() => undefined);
    });
    const served = serve(framing, (id) => framed(framing, textAnswer(id, repeatsFor(8 * MEGABYTE))));
    const { answer } = await call(served, { signal: controller.signal }, sinks);
    expect(told(answer)).toBe("cancelled, unknown");
    expect(sinks.kept()).toEqual([]);
    expect(writes).toBe(3);
  });

  it("asks nothing more of the store once it is given up, even at its last byte", async () => {
    const controller = new AbortController();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const repeats = repeatsFor(5 * MEGABYTE);
    const sinks = memorySinks(() => {
      if (sinks.opened[0]?.bytes !== repeats * TEXT_BYTES) return Promise.resolve();
      controller.abort();
      return gate;
    });
    const served = serve(framing, (id) => framed(framing, textAnswer(id, repeats)));
    const { answer } = await call(served, { signal: controller.signal }, sinks);
    expect(told(answer)).toBe("cancelled, unknown");
    open();
    await turns();
    expect(sinks.misuses).toEqual([]);
    expect(sinks.kept()).toEqual([]);
  });

  it("asks nothing more of the store once it is given up in the middle", async () => {
    const controller = new AbortController();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const data = Buffer.alloc(150_000, "sound").toString("base64");
    const content = Array.from({ length: 9 }, () => ({ type: "audio", data }));
    const sinks = memorySinks(() => {
      if (sinks.opened[0]?.bytes !== 150_000) return Promise.resolve();
      controller.abort();
      return gate;
    });
    const served = serve(framing, (id) =>
      framed(framing, [`{"jsonrpc":"2.0","id":"${id}","result":{"content":${JSON.stringify(content)}}}`]),
    );
    const own = { signal: controller.signal, buffers: watched(MEGABYTE).buffers };
    expect(told((await call(served, own, sinks)).answer)).toBe("cancelled, unknown");
    open();
    await turns();
    expect(sinks.misuses).toEqual([]);
    expect(sinks.kept()).toEqual([]);
  });

  it("leaves nothing in the store where the call has no result, whenever its caller goes away", async () => {
    const left = new Set<string>();
    for (let delay = 0; delay < 80; delay += 1) {
      const controller = new AbortController();
      const goAway = async () => {
        for (let tick = 0; tick < delay; tick += 1) await Promise.resolve();
        controller.abort();
      };
      const sinks = memorySinks(undefined, () => {
        void goAway();
        return Promise.resolve();
      });
      const served = serve(framing, (id) => framed(framing, textAnswer(id, repeatsFor(2 * MEGABYTE))));
      const own = { signal: controller.signal, buffers: watched(MEGABYTE + 600 * KILOBYTE).buffers };
      const { answer } = await call(served, own, sinks);
      left.add(`${told(answer)}: ${sinks.kept().length}`);
    }
    expect(left).toEqual(new Set(["cancelled, unknown: 0", "an answer: 1"]));
  });

  it("is not read on while the store is behind", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let writes = 0;
    const sinks = memorySinks(() => {
      writes += 1;
      return writes < 200 ? Promise.resolve() : gate;
    });
    const served = serve(framing, (id) => framed(framing, textAnswer(id, repeatsFor(8 * MEGABYTE))));
    const calling = call(served, {}, sinks);
    await expect.poll(() => writes).toBe(200);
    await turns();
    const sent = served.sent();
    await turns();
    expect([served.sent(), writes]).toEqual([sent, 200]);
    expect(sent).toBeLessThan(200 * 40 * KILOBYTE);
    open();
    expect((await calling).answer.ok).toBe(true);
    expect(served.sent()).toBeGreaterThan(8 * MEGABYTE - CHUNK_BYTES);
  });

  it("has an image of 6 MB decoded, and its text beside it", async () => {
    const bytes = Buffer.alloc(4.5 * MEGABYTE, "some bytes of an image");
    const result = {
      content: [
        { data: bytes.toString("base64"), mimeType: "image/png", type: "image" },
        { text: "seen", type: "text" },
      ],
      isError: false,
    };
    const { parts, sinks } = await call(
      serve(framing, (id) =>
        framed(framing, [`{"result":${JSON.stringify(result)},"id":"${id}","jsonrpc":"2.0"}`]),
      ),
    );
    expect(Buffer.compare(sinks.bytesOf(parts[0]?.["data"]), bytes)).toBe(0);
    expect(parts).toMatchObject([
      { mimeType: "image/png", type: "image" },
      { text: "seen", type: "text" },
    ]);
  });

  it("has 100,000 small parts: as many as may stay do, the others are one payload, and the memory is bounded", async () => {
    const content = Array.from({ length: 100_000 }, (_, nth) => ({
      type: "resource_link",
      uri: `file:///folder/${nth}`,
      name: `the file of number ${nth}`,
      description: "x",
    }));
    const { parts, sinks, most } = await call(
      serve(framing, (id) =>
        framed(framing, [`{"jsonrpc":"2.0","id":"${id}","result":{"content":${JSON.stringify(content)}}}`]),
      ),
    );
    const more: unknown = JSON.parse(sinks.textOf(parts.at(-1)?.["payload"]));
    if (!Array.isArray(more)) throw new Error("no parts");
    const here = parts.slice(0, -1);
    expect(here.length + more.length).toBe(content.length);
    expect(here.at(-1)).toEqual(content[here.length - 1]);
    expect(more[0]).toEqual(content[here.length]);
    expect(more.at(-1)).toEqual(content.at(-1));
    expect(JSON.stringify(here).length).toBeGreaterThan(3.9 * MEGABYTE);
    expect(most()).toBeLessThan(2 * UPSTREAM_ANSWER_MAX_BYTES + UPSTREAM_LARGE_READER_BYTES + CHUNK_BYTES);
  });

  it("has 40 large parts: 24 payloads of their own and one for the rest", async () => {
    const content = Array.from({ length: 40 }, (_, nth) => ({
      type: "audio",
      mimeType: "audio/wav",
      data: Buffer.alloc(150_000, nth + 1).toString("base64"),
    }));
    const { parts, sinks } = await call(
      serve(framing, (id) =>
        framed(framing, [`{"jsonrpc":"2.0","id":"${id}","result":{"content":${JSON.stringify(content)}}}`]),
      ),
    );
    expect(sinks.kept().length).toBe(25);
    expect(parts.slice(0, 24).map(({ data }) => (data instanceof LargePayload ? data.sizeBytes : 0))).toEqual(
      Array.from({ length: 24 }, () => 150_000),
    );
    expect(JSON.parse(sinks.textOf(parts[24]?.["payload"]))).toEqual(content.slice(24));
  });

  it("has its structured content left out where it is the text, however it is spread", async () => {
    const value = { rows: Array.from({ length: 60_000 }, (_, nth) => ({ nth, name: `näme ${nth}` })) };
    const json = JSON.stringify(value);
    const result = `{"content":[{"type":"text","text":${JSON.stringify(JSON.stringify(value, undefined, 1))}}],"structuredContent":${json},"_meta":{"a":"${"m".repeat(100_000)}"}}`;
    const { answer, parts, sinks } = await call(
      serve(framing, (id) => framed(framing, [`{"jsonrpc":"2.0","id":"${id}","result":${result}}`])),
    );
    expect(Object.keys(answer.ok ? answer.value : {})).toEqual(["content", "_meta"]);
    expect(JSON.parse(sinks.textOf(parts[0]?.["text"]))).toEqual(value);
    expect(sinks.kept().map(({ form }) => form)).toEqual(["text", "json"]);
  });

  it.each([
    ["another's id", (id: string) => `{"jsonrpc":"2.0","id":"not ${id}","result":R}`, "protocol, unknown"],
    ["no version", (id: string) => `{"id":"${id}","result":R}`, "protocol, completed"],
    [
      "an error too",
      (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":R,"error":{"code":1,"message":"m"}}`,
      "protocol, completed",
    ],
    [
      "a method",
      (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":R,"method":"m"}`,
      "protocol, unknown",
    ],
    [
      "no result in the end",
      (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":R,"result":[]}`,
      "protocol, completed",
    ],
    [
      "an error instead",
      (id: string) =>
        `{"jsonrpc":"2.0","id":"${id}","result":R,"result":null,"error":{"code":7,"message":"m"}}`,
      "rpc_error, completed",
    ],
    [
      "a depth bomb",
      (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":R,"result":{"x":${"[".repeat(5_000_000)}`,
      "protocol, completed",
    ],
    [
      "a depth bomb before its id",
      (id: string) =>
        `{"result":R,"result":{"x":${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}},"id":"${id}"}`,
      "protocol, unknown",
    ],
  ])("with %s is judged as a small one is, and nothing stays", async (_, message, expected) => {
    const result = `{"content":[{"type":"text","text":"${ESCAPED.repeat(repeatsFor(5 * MEGABYTE))}"}]}`;
    const served = serve(framing, (id) =>
      framed(
        framing,
        message(id)
          .split("R")
          .flatMap((piece, nth) => (nth === 0 ? [piece] : [result, piece])),
      ),
    );
    const { answer, sinks } = await call(served);
    expect(told(answer)).toBe(expected);
    expect(sinks.opened.length).toBeGreaterThan(0);
    expect(sinks.kept()).toEqual([]);
  });

  it("goes on where the answers that are held have all the room there is", async () => {
    const full = watched(UPSTREAM_ANSWER_MAX_BYTES);
    const repeats = repeatsFor(6 * MEGABYTE);
    const { parts, sinks } = await call(
      serve(framing, (id) => framed(framing, textAnswer(id, repeats))),
      { buffers: full.buffers },
    );
    expect(sinks.textOf(parts[0]?.["text"])).toBe(TEXT.repeat(repeats));
    expect(full.most()).toBe(UPSTREAM_ANSWER_MAX_BYTES);
  });

  it("is read without being held where there is no room for that, and is too large where there is none at all", async () => {
    const repeats = repeatsFor(2 * MEGABYTE);
    const own = { room: (bytes: number) => watched(bytes) };
    const served = () => serve(framing, (id) => framed(framing, textAnswer(id, repeats)));
    const tight = own.room(MEGABYTE + 600 * 1_024);
    const { parts, sinks } = await call(served(), { buffers: tight.buffers });
    expect(sinks.textOf(parts[0]?.["text"])).toBe(TEXT.repeat(repeats));
    expect(tight.most()).toBeLessThanOrEqual(MEGABYTE + 600 * 1_024);
    const none = await call(served(), { buffers: own.room(400_000).buffers });
    expect(told(none.answer)).toBe("too_large, completed");
    expect(none.sinks.opened).toEqual([]);
  });
});
