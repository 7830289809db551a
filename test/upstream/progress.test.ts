import { describe, expect, it } from "vitest";
import { UPSTREAM_PROGRESS_MAX_COUNT, UPSTREAM_WORDS_MAX_CHARS } from "../../src/limits.ts";
import type { Progress } from "../../src/surface.ts";
import { callUpstream } from "../../src/upstream/connection.ts";
import { resultOf, sendJson, type Behaviour } from "../support/hostile-upstream/server.ts";
import { FINE, progress, talks, tokenOf, type Said } from "../support/hostile-upstream/talk.ts";
import { callTool, io, KEPT, withUpstream } from "./rig.ts";

const CALL = { name: "slow", args: {} };

/** Calls once and gives what was told, the answer and the request as it arrived. */
async function told(behave: Behaviour, over: { readonly requestId?: string } = {}) {
  const heard: Progress[] = [];
  let report: Awaited<ReturnType<typeof callTool>> | undefined;
  let params: unknown;
  let id: unknown;
  await withUpstream(behave, async (upstream, target) => {
    const onProgress = (each: Progress) => heard.push(each);
    report = await callTool(target, KEPT, { ...CALL, ...over, onProgress }, io());
    const seen = upstream.seen.find(({ rpcMethod }) => rpcMethod === "tools/call");
    params = seen?.params;
    id = seen?.id;
  });
  return { heard, answer: report?.answer, params, id };
}

const saying = (...members: readonly object[]) =>
  talks((seen) => members.map((each) => progress(tokenOf(seen), each)));

describe("progress of a call", () => {
  it("comes in order, under the request's own id as the token, and before the answer", async () => {
    const { heard, answer, params, id } = await told(
      saying({ progress: 1, total: 3 }, { progress: 2.5, message: "half" }, { progress: 3, total: 3 }),
      { requestId: "attempt:2" },
    );
    expect(heard).toEqual([
      { progress: 1, total: 3 },
      { progress: 2.5, message: "half" },
      { progress: 3, total: 3 },
    ]);
    expect(answer).toEqual({ ok: true, value: FINE });
    expect(id).toBe("attempt:2");
    expect(params).toEqual({ name: "slow", arguments: {}, _meta: { progressToken: "attempt:2" } });
  });

  it("is not asked for, and not listened to, where nobody wants it", async () => {
    await withUpstream(
      talks(({ id }) => [progress(id)]),
      async (upstream, target) => {
        const { answer } = await callTool(target, KEPT, { ...CALL, meta: { kept: 1 } }, io());
        expect(answer.ok).toBe(true);
        expect(upstream.seen[0]?.params["_meta"]).toEqual({ kept: 1 });
      },
    );
  });

  it("keeps the caller's own `_meta` beside the token", async () => {
    await withUpstream(undefined, async (upstream, target) => {
      const call = { ...CALL, meta: { kept: 1 }, requestId: "a", onProgress: () => undefined };
      await callTool(target, KEPT, call, io());
      expect(upstream.seen[0]?.params["_meta"]).toEqual({ kept: 1, progressToken: "a" });
    });
  });

  it("of another token goes nowhere, however like ours it looks", async () => {
    const { heard, answer } = await told(
      talks((seen) =>
        ["someone-else", 0, 1, null, [seen.id], { id: seen.id }, `${String(seen.id)} `].map((token) =>
          progress(token),
        ),
      ),
      { requestId: "1" },
    );
    expect([heard, answer?.ok]).toEqual([[], true]);
  });

  it("behind the answer is told to nobody", async () => {
    const { heard, answer } = await told(talks(() => [], { after: (seen) => [progress(tokenOf(seen))] }));
    expect([heard, answer?.ok]).toEqual([[], true]);
  });

  it("of a hundred thousand notices reaches the caller as often as is bearable, and the answer comes", async () => {
    const { heard, answer } = await told(
      talks((seen) => Array.from({ length: 100_000 }, (_, at) => progress(tokenOf(seen), { progress: at }))),
    );
    expect(heard.map((each) => each.progress)).toEqual(
      Array.from({ length: UPSTREAM_PROGRESS_MAX_COUNT }, (_, at) => at),
    );
    expect(answer).toEqual({ ok: true, value: FINE });
  });

  it("has its words whole and as they came, or none where they are too many", async () => {
    const { heard } = await told(
      saying(
        { progress: 1, message: `x${"😀".repeat(256 * 1024)}` },
        { progress: 2, message: "a\r\n  b" },
        { progress: 3, message: "m".repeat(UPSTREAM_WORDS_MAX_CHARS) },
        { progress: 4, message: "m".repeat(UPSTREAM_WORDS_MAX_CHARS + 1) },
      ),
    );
    expect(heard).toEqual([
      { progress: 1 },
      { progress: 2, message: "a\r\n  b" },
      { progress: 3, message: "m".repeat(UPSTREAM_WORDS_MAX_CHARS) },
      { progress: 4 },
    ]);
  });

  it("without a number is none, and what is no number or text in it is left out", async () => {
    const raw = (members: string) => (token: unknown) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},${members}}}`;
    const all = [
      raw('"progress":NaN'),
      raw('"progress":1e999'),
      raw('"progress":"1"'),
      raw('"progress":null'),
      raw('"progress":1,"total":1e999,"message":7'),
      raw('"progress":0.1000000000000000055511151231257827,"total":"9"'),
      raw('"progress":{"progress":1}'),
      raw('"__proto__":{"progress":1}'),
    ];
    const { heard, answer } = await told(
      talks((seen) => [
        ...all.map((each): Said => each(tokenOf(seen))),
        { jsonrpc: "1.0", method: "notifications/progress", params: { progressToken: seen.id, progress: 5 } },
        { jsonrpc: "2.0", method: "notifications/progress", params: [seen.id, 1] },
        { jsonrpc: "2.0", method: "notifications/progress" },
      ]),
    );
    expect(heard).toEqual([{ progress: 1 }, { progress: 0.1 }]);
    expect(answer?.ok).toBe(true);
  });

  it("has no place in an answer that is no stream", async () => {
    const { heard, answer } = await told((seen, response) =>
      seen.rpcMethod === "tools/call"
        ? sendJson(response, [progress(tokenOf(seen)), resultOf(seen.id, FINE)])
        : false,
    );
    expect([heard, answer]).toEqual([[], { ok: true, value: FINE }]);
  });

  it("in a batch of a stream is told like any other", async () => {
    const { heard, answer } = await told(
      talks((seen) => [[progress(tokenOf(seen), { progress: 4 }), progress("x", { progress: 5 })]]),
    );
    expect([heard, answer?.ok]).toEqual([[{ progress: 4 }], true]);
  });

  it("does not make an answer of a stream that ends behind it: the outcome stays unknown, and says why", async () => {
    const { heard, answer } = await told(talks((seen) => [progress(tokenOf(seen))], { answer: false }));
    expect(heard).toEqual([{ progress: 1 }]);
    expect(answer).toMatchObject({ reason: { reason: "protocol", outcome: "unknown" } });
    expect(answer?.ok === false && answer.reason.detail).toMatch(/ended after \d+ bytes without an answer/);
  });

  it("comes for reads of resources and prompts too", async () => {
    const heard: Progress[] = [];
    const onProgress = (each: Progress) => heard.push(each);
    await withUpstream(
      talks((seen) => [progress(tokenOf(seen))], { method: "resources/read" }),
      async (_, target) => {
        const params = { uri: "a:b" };
        const { answer } = await callUpstream(
          target,
          KEPT,
          { method: "resources/read", params, onProgress },
          io(),
        );
        expect([answer.ok, heard]).toEqual([true, [{ progress: 1 }]]);
      },
    );
  });
});

describe("two calls with equal ids on two servers", () => {
  it("never hear each other's progress and never get each other's answer", async () => {
    const server = (name: string): Behaviour =>
      talks((seen) => [progress(tokenOf(seen), { progress: 1, message: name })]);
    await withUpstream(server("one"), async (_one, first) => {
      await withUpstream(server("two"), async (_two, second) => {
        const heard: string[] = [];
        const call = (of: string) => ({
          ...CALL,
          requestId: "same",
          onProgress: ({ message }: Progress) => heard.push(`${of}: ${message ?? ""}`),
        });
        const reports = await Promise.all([
          callTool(first, KEPT, call("first"), io()),
          callTool(second, KEPT, call("second"), io()),
        ]);
        expect(reports.map(({ answer }) => answer.ok)).toEqual([true, true]);
        expect(heard.toSorted()).toEqual(["first: one", "second: two"]);
      });
    });
  });
});
