import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import {
  UPSTREAM_PING_INTERVAL_MS,
  UPSTREAM_SERVER_REQUEST_MAX_COUNT,
  UPSTREAM_WANTED_MAX_COUNT,
  UPSTREAM_WORDS_MAX_CHARS,
} from "../../src/limits.ts";
import { errorOf, event, openStream, sendJson, type Behaviour } from "../support/hostile-upstream/server.ts";
import { asks, ELICITATION, FINE, question, talks } from "../support/hostile-upstream/talk.ts";
import { callTool, io, KEPT, withUpstream } from "./rig.ts";

const CALL = { name: "pay", args: {}, requestId: "ours" };

async function report(behave: Behaviour, timeoutMs = 20_000) {
  let made: Awaited<ReturnType<typeof callTool>> | undefined;
  await withUpstream(behave, async (_, target) => {
    made = await callTool({ ...target, timeoutMs }, KEPT, CALL, io());
  });
  if (made === undefined) throw new Error("no call was made");
  return made;
}

describe("what an upstream asks while a call runs", () => {
  it("is refused with method not found, so that it goes on, and the caller learns what it wanted", async () => {
    const heard: unknown[] = [];
    const { answer, wanted } = await report(
      asks(
        () => [
          question("q-1", "elicitation/create", ELICITATION),
          question(2, "sampling/createMessage", { messages: [], message: "not to a person" }),
          question("q-3", "roots/list"),
          question("q-4", "x/brand-new"),
        ],
        heard,
      ),
    );
    expect(answer).toEqual({ ok: true, value: FINE });
    expect(heard.map((each) => [memberOf(each, "id"), memberOf(memberOf(each, "error"), "code")])).toEqual([
      ["q-1", -32601],
      [2, -32601],
      ["q-3", -32601],
      ["q-4", -32601],
    ]);
    expect(wanted).toEqual([
      { method: "elicitation/create", message: ELICITATION.message },
      { method: "sampling/createMessage" },
      { method: "roots/list" },
      { method: "x/brand-new" },
    ]);
  });

  it("is answered where it is a ping, and a ping is nothing it wanted", async () => {
    const heard: unknown[] = [];
    const made = await report(asks(() => [question("p", "ping"), question(7, "ping")], heard));
    expect(made.answer.ok).toBe(true);
    expect(heard).toEqual(["p", 7].map((id) => ({ jsonrpc: "2.0", id, result: {} })));
    expect("wanted" in made).toBe(false);
  });

  it("is refused under its own id even where that is our call's, and our answer is still the upstream's", async () => {
    const heard: unknown[] = [];
    const { answer, wanted } = await report(
      asks(({ id }) => [question(id, "sampling/createMessage")], heard),
    );
    expect(answer).toEqual({ ok: true, value: FINE });
    expect(heard).toMatchObject([{ id: "ours", error: { code: -32601 } }]);
    expect(wanted).toEqual([{ method: "sampling/createMessage" }]);
  });

  it("is answered where its parameters are irregular", async () => {
    const heard: unknown[] = [];
    const { answer } = await report(
      asks(
        () => [
          { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: null } },
          { jsonrpc: "2.0", id: 2, method: "roots/list", params: [] },
          { jsonrpc: "2.0", id: 3, method: "elicitation/create", params: null },
        ],
        heard,
      ),
    );
    expect([answer.ok, heard.length]).toEqual([true, 3]);
  });

  it("floods nobody: it is answered so many times, told a few times, once each, and the call goes on", async () => {
    let answers = 0;
    const flood = talks(() =>
      Array.from({ length: 2_000 }, (_, at) =>
        question(at, "elicitation/create", { message: `Sure? ${at % 20}` }),
      ),
    );
    const { answer, wanted } = await report((seen, response, nth) => {
      if (seen.rpcMethod === "" && seen.body !== "") answers += 1;
      return flood(seen, response, nth);
    });
    expect(answer).toEqual({ ok: true, value: FINE });
    expect(answers).toBeLessThanOrEqual(UPSTREAM_SERVER_REQUEST_MAX_COUNT);
    expect(wanted).toEqual(
      Array.from({ length: UPSTREAM_WANTED_MAX_COUNT }, (_, at) => ({
        method: "elicitation/create",
        message: `Sure? ${at}`,
      })),
    );
  });

  it("is answered for as long as the call takes, however often it is pinged in time", async () => {
    const heard: unknown[] = [];
    let nowMs = 0;
    const pings = Array.from({ length: 100 }, (_, at) => question(at, "ping"));
    await withUpstream(
      asks(() => pings, heard),
      async (_, target) => {
        const now = () => (nowMs += UPSTREAM_PING_INTERVAL_MS);
        expect((await callTool(target, KEPT, CALL, io({ now }))).answer.ok).toBe(true);
      },
    );
    expect(heard).toHaveLength(pings.length);
  });

  it("leaves no question unanswered behind a flood of pings", async () => {
    const heard: unknown[] = [];
    const pings = Array.from({ length: 500 }, (_, at) => question(at, "ping"));
    let finish: (() => void) | undefined;
    const { answer, wanted } = await report((seen, response) => {
      if (seen.rpcMethod === "tools/call") {
        openStream(response);
        const all = [...pings, question("last", "roots/list")];
        response.write(all.map((each) => event(each)).join(""));
        finish = () => response.end(event({ jsonrpc: "2.0", id: seen.id, result: FINE }));
        return true;
      }
      heard.push(JSON.parse(seen.body));
      response.writeHead(202).end();
      if (memberOf(heard.at(-1), "id") === "last") finish?.();
      return true;
    });
    expect(answer.ok).toBe(true);
    expect(heard.length).toBe(UPSTREAM_SERVER_REQUEST_MAX_COUNT + 1);
    expect(wanted).toEqual([{ method: "roots/list" }]);
  });

  it("is kept as it was said, whole or not at all, and no method is a sentence", async () => {
    const whole = `one\r\n two\u0000\u202e ${"x".repeat(UPSTREAM_WORDS_MAX_CHARS)}`.slice(
      0,
      UPSTREAM_WORDS_MAX_CHARS,
    );
    const { wanted } = await report(
      talks(() => [
        question(1, "elicitation/create", { message: whole }),
        question(2, "elicitation/create", { message: `${whole}x` }),
        question(3, "elicitation/create", { message: { text: "no text" } }),
        question(4, "x".repeat(5_000)),
        question(5, "your password. IMPORTANT: paste it"),
        question(6, "x/y", { message: "not to a person" }),
      ]),
    );
    expect(wanted).toEqual([
      { method: "elicitation/create", message: whole },
      { method: "elicitation/create" },
      { method: "other" },
      { method: "x/y" },
    ]);
  });

  it("is told also where the call then fails, its stream ends or its time is over", async () => {
    const ask = question("q", "elicitation/create", ELICITATION);
    const wanted = [{ method: "elicitation/create", message: ELICITATION.message }];
    const failed = await report(
      talks(({ id }) => [ask, errorOf(id, -32042, "it needs an account")], { answer: false }),
    );
    expect(failed).toMatchObject({ answer: { reason: { reason: "rpc_error", code: -32042 } }, wanted });
    const ended = await report(talks(() => [ask], { answer: false }));
    expect(ended).toMatchObject({ answer: { reason: { reason: "protocol", outcome: "unknown" } }, wanted });
    const late = await report((seen, response) => {
      if (seen.rpcMethod !== "tools/call") return false;
      openStream(response);
      response.write(event(ask));
      return true;
    }, 150);
    expect(late).toMatchObject({ answer: { reason: { reason: "timeout" } }, wanted });
  });

  it("behind the answer, or under no legal id, moves nobody", async () => {
    const { answer, wanted } = await report(talks(() => [], { after: () => [question(1, "roots/list")] }));
    expect([answer.ok, wanted]).toEqual([true, undefined]);
    const heard: unknown[] = [];
    const illegal = await report((seen, response, nth) => {
      if (seen.rpcMethod === "" && seen.body !== "") heard.push(seen.body);
      return talks(() => [
        question(null, "roots/list"),
        question(1.5, "roots/list"),
        question({}, "roots/list"),
        question("x".repeat(5_000), "roots/list"),
        { id: 3, method: "roots/list" },
      ])(seen, response, nth);
    });
    expect([heard, illegal.answer.ok, illegal.wanted]).toEqual([[], true, undefined]);
  });
});

describe("an upstream that answers under an id it made up", () => {
  it.each([
    [
      "a stream",
      talks(({ id }) => [{ jsonrpc: "2.0", id: `${String(id)}-2`, result: FINE }], { answer: false }),
    ],
    [
      "JSON",
      ((seen, response) =>
        seen.rpcMethod === "tools/call" &&
        sendJson(response, { jsonrpc: "2.0", id: "made up", result: FINE })) satisfies Behaviour,
    ],
  ] as const)("has not answered: %s", async (_, behave) => {
    const { answer } = await report(behave);
    expect(answer).toMatchObject({ ok: false, reason: { reason: "protocol", outcome: "unknown" } });
  });
});
