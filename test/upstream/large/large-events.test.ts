import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../src/upstream/guarded-fetch.ts";
import { UPSTREAM_WORDS_MAX_CHARS } from "../../../src/limits.ts";
import type { Progress } from "../../../src/surface.ts";
import { callTool, io, KEPT, targetOf } from "../rig.ts";
import { memorySinks } from "./memory-sinks.ts";
import { call, framed, MEGABYTE, repeatsFor, serve, textAnswer, told, watched } from "./serve.ts";

describe("a stream of events around a large answer", () => {
  const events = (...messages: readonly (string | Iterable<string>)[]) =>
    serve("event", function* () {
      for (const message of messages)
        yield* framed("event", typeof message === "string" ? [message] : message);
    });

  it("has questions and other messages passed over, whatever their size, and the first answer counts", async () => {
    let seen: string[] = [];
    const large = (id: string) => [...textAnswer(id, repeatsFor(5 * MEGABYTE))];
    const served = serve("event", function* (id) {
      const notification = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${"x".repeat(5 * MEGABYTE)}"}}`;
      for (const message of [
        [notification],
        large(`not ${id}`),
        [`{"jsonrpc":"2.0","id":"ping-1","method":"ping"}`],
        ["{", "x".repeat(5 * MEGABYTE)],
        large(id),
        large(id),
      ]) {
        yield* framed("event", message);
      }
    });
    const fetch: Fetch = (url, init) => {
      if (typeof init?.body === "string") seen = [...seen, init.body];
      return served.fetch(url, init);
    };
    const { answer, sinks } = await call({ ...served, fetch });
    expect(answer.ok).toBe(true);
    expect(sinks.kept().length).toBe(1);
    expect(seen.filter((body) => body.includes('"ping-1"')).length).toBe(1);
  });

  it("tells of progress and of questions that are too large to hold, as far as anybody is told of any", async () => {
    const filler = `"x":"${"x".repeat(5 * MEGABYTE)}"`;
    const served = serve("event", function* (id) {
      const said = [
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{${filler},"progressToken":"${id}","progress":7,"message":"${"m".repeat(100_000)}"}}`,
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{${filler},"progressToken":"${id}","progress":8,"message":"${"m".repeat(UPSTREAM_WORDS_MAX_CHARS)}"}}`,
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${id}x","progress":9,${filler}}}`,
        `{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{${filler}}}}`,
      ];
      for (const message of said) yield* framed("event", [message]);
      yield* framed("event", textAnswer(id, repeatsFor(5 * MEGABYTE)));
    });
    const heard: Progress[] = [];
    const onProgress = (each: Progress) => heard.push(each);
    const bodies: string[] = [];
    const fetch: Fetch = (url, init) => {
      if (typeof init?.body === "string") bodies.push(init.body);
      return served.fetch(url, init);
    };
    const { buffers } = watched();
    const sinks = memorySinks();
    const { answer, wanted } = await callTool(
      targetOf("https://one.example/mcp"),
      KEPT,
      { name: "big", args: {}, sinks, onProgress },
      io({ fetch, buffers }),
    );
    expect([answer.ok, sinks.kept().length, buffers.held()]).toEqual([true, 1, 0]);
    expect(heard).toEqual([{ progress: 7 }, { progress: 8, message: "m".repeat(UPSTREAM_WORDS_MAX_CHARS) }]);
    expect(wanted).toEqual([{ method: "elicitation/create", message: "Which one?" }]);
    expect(bodies.filter((body) => body.includes("-32601"))).toHaveLength(1);
  });

  it("may have a small answer behind a large message that is none", async () => {
    const served = serve("event", function* (id) {
      yield* framed("event", textAnswer(`not ${id}`, repeatsFor(5 * MEGABYTE)));
      yield* framed("event", [`{"jsonrpc":"2.0","id":"${id}","result":{"content":[]}}`]);
    });
    const { answer, sinks } = await call(served);
    expect(answer).toEqual({ ok: true, value: { content: [] } });
    expect(sinks.kept()).toEqual([]);
  });

  it("ends without an answer where a large message of another type was all there was", async () => {
    const { answer } = await call(events(`{"data":"${"x".repeat(5 * MEGABYTE)}"}`));
    expect(told(answer)).toBe("protocol, unknown");
  });

  it("may end with the answer's last line and no empty one behind it", async () => {
    const served = serve("event", function* (id) {
      yield "data: ";
      yield* textAnswer(id, repeatsFor(5 * MEGABYTE));
    });
    const { answer, sinks } = await call(served);
    expect([answer.ok, sinks.kept().length]).toEqual([true, 1]);
  });
});
