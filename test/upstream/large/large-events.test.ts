import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../src/upstream/guarded-fetch.ts";
import { call, framed, MEGABYTE, repeatsFor, serve, textAnswer, told } from "./serve.ts";

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
