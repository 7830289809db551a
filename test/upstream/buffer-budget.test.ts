import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UPSTREAM_ANSWER_MAX_BYTES, UPSTREAM_BUFFERS_MAX_BYTES } from "../../src/limits.ts";
import { memberOf } from "../../src/json.ts";
import { createBufferBudget, type BufferBudget } from "../../src/upstream/buffer-budget.ts";
import { endSession } from "../../src/upstream/operation.ts";
import type { Fetch } from "../../src/upstream/guarded-fetch.ts";
import { createHeldBytes } from "../../src/upstream/held-bytes.ts";
import { CALLS, FINE_CALLS, HANDSHAKES, LISTS } from "../support/hostile-upstream/behaviours.ts";
import {
  event,
  openStream,
  resultOf,
  sendJson,
  textResult,
  type Behaviour,
} from "../support/hostile-upstream/server.ts";
import { callTool, io, KEPT, targetOf, withUpstream, listEntries } from "./rig.ts";

const textOf = (value: unknown) => JSON.stringify(value);
const CALL = { name: "echo", args: {} };
const MEGABYTE = 1024 * 1024;
/** For behaviours that never end; a deadline releases the account like any other end. */
const SHORT_MS = 150;
const PATIENCE_MS = 20_000;

/** Notes the most that was ever held. */
function watched(maxBytes: number): BufferBudget & { most: () => number } {
  const inner = createBufferBudget(maxBytes, () => 0);
  let most = 0;
  return {
    open: (lifetimeMs) => {
      const account = inner.open(lifetimeMs);
      return {
        ...account,
        hold: (bytes) => {
          const held = account.hold(bytes);
          most = Math.max(most, inner.held());
          return held;
        },
      };
    },
    held: () => inner.held(),
    most: () => most,
  };
}

describe("a buffer budget", () => {
  it("never holds more than its bound, nor less than nothing, whatever its accounts do", () => {
    const step = fc.record({
      account: fc.nat(3),
      act: fc.constantFrom("hold", "free", "release"),
      bytes: fc.nat(60),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const budget = createBufferBudget(100, () => 0);
        const grew: number[] = [];
        const accounts = [0, 1, 2, 3].map(() => budget.open(1));
        for (const { account: at, act, bytes } of steps) {
          const account = accounts[at];
          if (account === undefined) continue;
          const before = budget.held();
          const taken = act === "hold" && account.hold(bytes) ? bytes : 0;
          if (act === "free") account.free(bytes);
          if (act === "release") account.release();
          grew.push(act === "hold" ? budget.held() - before - taken : 0);
          expect(budget.held()).toBeGreaterThanOrEqual(0);
          expect(budget.held()).toBeLessThanOrEqual(100);
        }
        expect(grew.filter((difference) => difference !== 0)).toEqual([]);
        for (const account of accounts) account.release();
        expect(budget.held()).toBe(0);
      }),
    );
  });

  it("gives the last byte, not one more, and nothing to an account that is released", () => {
    const budget = createBufferBudget(10, () => 0);
    const [first, second] = [budget.open(1), budget.open(1)];
    expect([first.hold(4), second.hold(6), first.hold(1)]).toEqual([true, true, false]);
    second.release();
    expect([budget.held(), second.hold(1), first.hold(6)]).toEqual([4, false, true]);
    second.free(3);
    expect(budget.held()).toBe(10);
  });
});

describe("the reserve of a buffer budget", () => {
  it("is for accounts that are small, while it lasts, and for nothing that grows past that", () => {
    const budget = createBufferBudget(10, () => 0, { bytes: 5, accountBytes: 3 });
    const [large, first, second] = [budget.open(1), budget.open(1), budget.open(1)];
    expect([large.hold(10), large.hold(1), first.hold(3), first.hold(1)]).toEqual([true, false, true, false]);
    expect([second.hold(3), second.hold(2), second.hold(0), budget.held()]).toEqual([false, true, true, 15]);
    large.release();
    expect([first.hold(1), budget.held()]).toEqual([true, 6]);
  });

  it("lets small answers through beside large ones that have all the rest", async () => {
    const buffers = createBufferBudget(MEGABYTE, () => 0, { bytes: 64 * 1024, accountBytes: 64 * 1024 });
    buffers.open(1_000).hold(MEGABYTE);
    await withUpstream(FINE_CALLS.json ?? (() => undefined), async (_, target) => {
      expect((await callTool(target, KEPT, CALL, io({ buffers }))).answer.ok).toBe(true);
      expect(buffers.held()).toBe(MEGABYTE);
    });
  });
});

describe("an operation that the runtime stopped and that never released its account", () => {
  it("gives its room back when its lifetime is over and someone needs it, and can take none any more", () => {
    let at = 0;
    const budget = createBufferBudget(10, () => at);
    const [stopped, running] = [budget.open(100), budget.open(200)];
    expect([stopped.hold(6), running.hold(4), running.hold(1)]).toEqual([true, true, false]);
    at = 99;
    expect(running.hold(1)).toBe(false);
    at = 100;
    expect(running.hold(6)).toBe(true);
    expect([budget.held(), stopped.hold(0), budget.held()]).toEqual([10, false, 10]);
  });

  it("cannot make room for itself by being late", () => {
    let at = 0;
    const budget = createBufferBudget(10, () => at);
    const late = budget.open(100);
    late.hold(10);
    at = 100;
    expect([late.hold(1), budget.held()]).toEqual([false, 0]);
  });
});

describe("bytes held", () => {
  it("cost at most twice their number, or one piece, and come back as they went in", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 })), (chunks) => {
        const budget = createBufferBudget(MEGABYTE, () => 0);
        const held = createHeldBytes(budget.open(1), MEGABYTE);
        for (const chunk of chunks) held.offer(chunk);
        const whole = Buffer.concat(chunks);
        expect(budget.held()).toBeLessThanOrEqual(Math.max(1_024, 2 * whole.length));
        expect(budget.held()).toBeGreaterThanOrEqual(whole.length);
        expect(held.text()).toBe(new TextDecoder().decode(whole));
        held.reset();
        expect(budget.held()).toBe(0);
      }),
    );
  });

  it("cost at most half a megabyte more than their number", () => {
    const budget = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => 0);
    const held = createHeldBytes(budget.open(1), UPSTREAM_ANSWER_MAX_BYTES);
    const chunk = new Uint8Array(65_536);
    for (let bytes = chunk.length; bytes <= UPSTREAM_ANSWER_MAX_BYTES; bytes += chunk.length) {
      expect(held.offer(chunk)).toBeUndefined();
      expect(budget.held() - bytes).toBeLessThanOrEqual(MEGABYTE / 2);
    }
    expect(budget.held()).toBe(UPSTREAM_ANSWER_MAX_BYTES);
  });

  it.each([
    [10, 100, "too_long", 10],
    [100, 10, "no_room", 0],
  ] as const)(
    "of %i beside %i stay as they are at the first byte too many (%s), and go when they are dropped",
    (maxBytes, room, why, fit) => {
      const budget = createBufferBudget(room, () => 0);
      const held = createHeldBytes(budget.open(1), maxBytes);
      const told = [10, 1, 1].map((size) => held.offer(new Uint8Array(size)));
      expect(told).toEqual([fit === 10 ? undefined : why, why, why]);
      expect([held.dropped(), held.bytes().length, budget.held()]).toEqual([undefined, fit, fit]);
      held.drop(why);
      expect(held.offer(new Uint8Array(1))).toBe(why);
      expect([held.dropped(), held.text(), budget.held()]).toEqual([why, "", 0]);
    },
  );

  it("lend room that they have, once, and give back what is left", () => {
    const budget = createBufferBudget(10, () => 0);
    const held = createHeldBytes(budget.open(1), 10);
    held.offer(new Uint8Array(10));
    expect([held.lend(11), held.lend(6), held.lend(6), budget.held()]).toEqual([false, true, false, 4]);
    expect(held.bytes().length).toBe(10);
    held.reset();
    held.offer(new Uint8Array(10));
    expect(budget.held()).toBe(10);
  });

  it("stay as long as they are neither too many nor without room", () => {
    const held = createHeldBytes(createBufferBudget(10, () => 0).open(1), 10);
    held.offer(new TextEncoder().encode("0123456789"));
    expect([held.dropped(), held.text()]).toEqual([undefined, "0123456789"]);
  });
});

describe("the budget after an operation", () => {
  const HANGS = /hang|slowDrip/i;

  it.each(Object.entries({ ...CALLS, ...FINE_CALLS }))("is whole again: call, %s", async (name, behave) => {
    await withUpstream(behave, async (_, target) => {
      const buffers = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => 0);
      const timeoutMs = HANGS.test(name) ? SHORT_MS : PATIENCE_MS;
      await callTool({ ...target, timeoutMs }, KEPT, CALL, io({ buffers }));
      expect(buffers.held()).toBe(0);
    });
  });

  it.each(Object.entries(HANDSHAKES))("is whole again: handshake, %s", async (name, behave) => {
    await withUpstream(behave, async (_, target) => {
      const buffers = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => 0);
      const timeoutMs = HANGS.test(name) ? SHORT_MS : PATIENCE_MS;
      await callTool({ ...target, timeoutMs }, undefined, CALL, io({ buffers }));
      expect(buffers.held()).toBe(0);
    });
  });

  it.each(Object.entries(LISTS))("is whole again: listing, %s", async (_, behave) => {
    await withUpstream(behave, async (_upstream, target) => {
      const buffers = watched(UPSTREAM_BUFFERS_MAX_BYTES);
      await listEntries(target, undefined, io({ buffers }));
      await endSession(target, KEPT, io({ buffers }));
      expect(buffers.held()).toBe(0);
      expect(buffers.most()).toBeGreaterThan(0);
    });
  });

  it("is whole again after a cancelled call", async () => {
    await withUpstream(CALLS.hangMidBody, async (_, target) => {
      const controller = new AbortController();
      const inner = createBufferBudget(MEGABYTE, () => 0);
      const buffers: BufferBudget = {
        ...inner,
        open: (lifetimeMs) => {
          const account = inner.open(lifetimeMs);
          const hold = (bytes: number) => {
            const held = account.hold(bytes);
            queueMicrotask(() => {
              controller.abort();
            });
            return held;
          };
          return { ...account, hold };
        },
      };
      const { answer } = await callTool(target, KEPT, CALL, io({ buffers, signal: controller.signal }));
      expect(answer).toMatchObject({ reason: { reason: "cancelled", outcome: "unknown" } });
      expect(inner.held()).toBe(0);
    });
  });
});

describe("large answers at the same time", () => {
  const LARGE = textResult("x".repeat(UPSTREAM_ANSWER_MAX_BYTES - 1_000));

  const target = targetOf("https://one.example/mcp");

  /**
   * An upstream whose large answers end only once `calls` of them are read up to their last bytes, so that all are in
   * memory at one time; a call of `small` is answered at once.
   */
  const together = (calls: number, stream: boolean): { fetch: Fetch; waiting: () => number } => {
    const waiting: (() => void)[] = [];
    const allRead = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === calls) for (const finish of waiting) finish();
      });
    const bodyOf = (text: string) => {
      const bytes = new TextEncoder().encode(text);
      const parts = [bytes.subarray(0, -10), bytes.subarray(-10)];
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (parts.length === 1) await allRead();
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      };
      return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    };
    const fetch: Fetch = (_, init) => {
      const message: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "null");
      const id = memberOf(message, "id");
      if (memberOf(memberOf(message, "params"), "name") === "small") {
        return Promise.resolve(Response.json(resultOf(id, textResult("small"))));
      }
      const answer = resultOf(id, LARGE);
      const type = stream ? "text/event-stream" : "application/json";
      const body = bodyOf(stream ? event(answer) : textOf(answer));
      return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
    };
    return { fetch, waiting: () => waiting.length };
  };

  it.each([
    ["JSON", false],
    ["streamed", true],
  ])(
    "never hold more than the budget; those without room are too large and completed (%s)",
    async (_, stream) => {
      const calls = 16;
      const buffers = watched(UPSTREAM_BUFFERS_MAX_BYTES);
      const own = io({ buffers, fetch: together(calls, stream).fetch });
      const reports = await Promise.all(
        Array.from({ length: calls }, () => callTool(target, KEPT, CALL, own)),
      );
      const told = reports.map(({ answer }) =>
        answer.ok ? textOf(answer.value).length : `${answer.reason.reason}, ${answer.reason.outcome}`,
      );
      const room = UPSTREAM_BUFFERS_MAX_BYTES / UPSTREAM_ANSWER_MAX_BYTES;
      expect(told.filter((each) => each === textOf(LARGE).length).length).toBe(room);
      expect(told.filter((each) => each === "too_large, completed").length).toBe(calls - room);
      expect(buffers.most()).toBeLessThanOrEqual(UPSTREAM_BUFFERS_MAX_BYTES);
      expect(buffers.held()).toBe(0);
    },
  );

  it("leave a small call alone where room is left", async () => {
    const buffers = watched(UPSTREAM_BUFFERS_MAX_BYTES);
    const upstream = together(3, false);
    const own = io({ buffers, fetch: upstream.fetch });
    const first = [1, 2].map(() => callTool(target, KEPT, CALL, own));
    await expect.poll(upstream.waiting).toBe(2);
    expect(buffers.held()).toBeGreaterThan(UPSTREAM_ANSWER_MAX_BYTES);
    const small = await callTool(target, KEPT, { name: "small", args: {} }, own);
    expect(small.answer).toEqual({ ok: true, value: textResult("small") });
    expect(upstream.waiting()).toBe(2);
    const third = callTool(target, KEPT, CALL, own);
    for (const { answer } of await Promise.all([...first, third])) expect(answer.ok).toBe(true);
    expect(buffers.held()).toBe(0);
  });

  it.each([false, true])(
    "a listing counts every page it holds, and one without room is too large (streamed: %s)",
    async (stream) => {
      const page = (nth: number) => ({
        tools: [{ name: `t${nth}`, description: "x".repeat(MEGABYTE) }],
        ...(nth < 4 && { nextCursor: String(nth) }),
      });
      const behave: Behaviour = ({ rpcMethod, id }, response, nth) => {
        if (rpcMethod !== "tools/list") return false;
        const answer = resultOf(id, page(((nth - 1) % 4) + 1));
        if (!stream) return sendJson(response, answer);
        openStream(response);
        response.end(event(answer));
        return true;
      };
      await withUpstream(behave, async (_, target) => {
        const roomy = watched(UPSTREAM_BUFFERS_MAX_BYTES);
        expect((await listEntries(target, KEPT, io({ buffers: roomy }))).answer.ok).toBe(true);
        expect(roomy.most()).toBeGreaterThan(4 * MEGABYTE);
        const tight = watched(3 * MEGABYTE);
        expect((await listEntries(target, KEPT, io({ buffers: tight }))).answer).toMatchObject({
          reason: { reason: "too_large", outcome: "completed" },
        });
        expect([roomy.held(), tight.held()]).toEqual([0, 0]);
      });
    },
  );

  it("an answer without room whose end never comes is too large and unknown", async () => {
    const buffers = createBufferBudget(1_000, () => 0);
    await withUpstream(CALLS.bigThenReset, async (_, target) => {
      const { answer } = await callTool(target, KEPT, CALL, io({ buffers }));
      expect(answer).toMatchObject({ reason: { reason: "too_large", outcome: "unknown" } });
    });
  });
});
