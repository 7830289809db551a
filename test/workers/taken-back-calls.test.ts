import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakePromptId, fakeResourceId } from "../support/fake-catalog.ts";
import { type Deed, hangs, result, text } from "./bank-upstream.ts";
import { FETCHES, gate, NOTE, PAYMENT, PROMPT, sessionless, worker } from "./cancel-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";
import { outboxOf } from "./ledger-seam.ts";
import { until } from "./patience.ts";
import { sql } from "./principal-client.ts";
import { errorIn, textIn } from "./worker-rig.ts";

beforeEach(async () => {
  await freshDatabase();
});

/** Never answers, whatever becomes of its caller. */
const deaf: Deed = () => new Promise(() => undefined);
/** Answers in a stream that neither ends nor hears that nobody reads it. */
const silentStream: Deed = () =>
  new Response(new ReadableStream({ start: () => undefined }), {
    headers: { "content-type": "text/event-stream" },
  });

const UNKNOWN = { error: "UPSTREAM_ERROR", retryable: false, details: { outcome: "unknown" } };
const CALLS = [
  ["tool_execute", PAYMENT, "execute.failed"],
  ["resource_read", { resource_id: fakeResourceId(NOTE) }, "read.failed"],
  ["prompt_get", { prompt_id: fakePromptId(PROMPT) }, "prompt.failed"],
] as const;

describe.each([
  ["hangs until it is left", hangs],
  ["hears nothing", deaf],
  ["answers in a stream without an end", silentStream],
])("a call that is taken back from a server that %s", (_, deed) => {
  it.each(CALLS)("ends long before its deadline, as nobody knows: %s", async (tool, args, event) => {
    const { client, principal, bodies, cancelled, noted } = worker({ deed, server: { timeout_ms: 600_000 } });
    const ada = await client();
    const call = await ada.begin(7, tool, args);
    await until(() => bodies.length === 1);
    await noted();
    await ada.cancel(7);
    expect(errorIn(await call.result())).toMatchObject(UNKNOWN);
    expect([bodies.length, cancelled().length]).toEqual([1, 1]);
    expect((await outboxOf(principal)).filter((entry) => entry.event.event === event)).toMatchObject([
      { event: { attributes: { outcome: "unknown", cancelled: true } }, upstreams: [] },
    ]);
    expect(await sql(principal, "SELECT attempt FROM flights")).toEqual([]);
  });

  it.each(FETCHES)("ends so on the proxy too: $method", async (fetched) => {
    const { rig, bodies, cancelled } = worker({ deed, server: { timeout_ms: 600_000 } });
    const { begin, cancel } = await sessionless(rig);
    const read = await begin("r", fetched);
    await until(() => bodies.length === 1);
    await cancel("r");
    expect(await read()).toContain("cancelled");
    expect(cancelled().length).toBeLessThanOrEqual(1);
  });
});

describe("a write under a key of its caller's that is taken back and never answered", () => {
  it("frees its key as unknown, and runs no second time", async () => {
    const { client, bodies, noted } = worker({ deed: hangs, server: { timeout_ms: 600_000 } });
    const ada = await client();
    const call = await ada.begin(1, "tool_execute", PAYMENT, "k");
    await until(() => bodies.length === 1);
    await noted();
    await ada.cancel(1);
    await call.result();
    for (const id of [2, 3]) {
      const again = await ada.call("tool_execute", PAYMENT, { id, key: "k" });
      expect(errorIn(again)).toMatchObject({ details: { outcome: "unknown" }, retryable: false });
    }
    expect(bodies.length).toBe(1);
  });

  it("runs once more where it may, and what its first try might still have said reaches nobody", async () => {
    const late = gate();
    const { client, bodies, noted } = worker({
      deed: async (id, call) => {
        if (call === 1) await late.opened;
        return result(id, text(`paid ${call}`));
      },
      server: { timeout_ms: 600_000, replay: { "*": "convergent" } },
    });
    const ada = await client();
    const call = await ada.begin(1, "tool_execute", PAYMENT, "k");
    await until(() => bodies.length === 1);
    await noted();
    await ada.cancel(1);
    expect(errorIn(await call.result())).toMatchObject({ details: { outcome: "unknown" } });
    expect(textIn(await ada.call("tool_execute", PAYMENT, { id: 2, key: "k" }))).toBe("paid 2");
    late.open();
    expect(textIn(await ada.call("tool_execute", PAYMENT, { id: 3, key: "k" }))).toBe("paid 2");
    expect(bodies.length).toBe(2);
  });
});

describe("an answer that crosses the cancellation", () => {
  it("is its caller's still, and the event says both", async () => {
    const { opened, open } = gate();
    const { client, principal, bodies, noted } = worker({
      deed: async (id) => opened.then(() => result(id, text("paid"))),
    });
    const ada = await client();
    const call = await ada.begin(7);
    await until(() => bodies.length === 1);
    await noted();
    await ada.cancel(7);
    open();
    expect(textIn(await call.result())).toBe("paid");
    expect(
      (await outboxOf(principal)).filter(({ event }) => event.event === "execute.completed"),
    ).toMatchObject([{ event: { attributes: { status: "ok", cancelled: true } } }]);
    expect(textIn(await ada.call("tool_execute", PAYMENT, { id: 7 }))).toBe("paid");
    expect(bodies.length).toBe(1);
  });
});

/** Answers one request in its stream, piece by piece as each is let go, once for every word in it. */
const answersInPieces =
  (pieces: readonly { readonly words: readonly string[]; readonly opened: Promise<void> }[]): Deed =>
  (id) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: async (controller) => {
          for (const { words, opened } of pieces) {
            await opened;
            // Whoever has heard enough may have left.
            if (controller.desiredSize === null) return;
            const answers = words.map((word) => ({ jsonrpc: "2.0", id, result: text(word) }));
            const events = answers.map((answer) => `data: ${JSON.stringify(answer)}\n\n`);
            controller.enqueue(new TextEncoder().encode(events.join("")));
          }
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );

describe("an upstream that answers the same request twice", () => {
  it.each([
    ["before and after the cancellation", [["paid"], ["paid again"]], 1],
    ["in one piece before the cancellation", [["paid", "paid again"]], 1],
    ["one after the other behind the cancellation", [["paid"], ["paid again"]], 0],
    ["in one piece behind the cancellation", [["paid", "paid again"]], 0],
  ])("is heard once, %s", async (_, said, before) => {
    const pieces = said.map((words) => ({ words, ...gate() }));
    const { client, principal, bodies, cancelled, noted } = worker({
      deed: answersInPieces(pieces),
      server: { timeout_ms: 600_000 },
    });
    const ada = await client();
    const call = await ada.begin(7, "tool_execute", PAYMENT, "k");
    await until(() => bodies.length === 1);
    await noted();
    for (const { open } of pieces.slice(0, before)) open();
    const early = before > 0 ? await call.result() : undefined;
    await ada.cancel(7);
    for (const { open } of pieces) open();
    expect(textIn(early ?? (await call.result()))).toBe("paid");
    expect(textIn(await ada.call("tool_execute", PAYMENT, { id: 8, key: "k" }))).toBe("paid");
    const wasTakenBack = before === 0;
    expect([bodies.length, cancelled().length]).toEqual([1, wasTakenBack ? 1 : 0]);
    const told = (await outboxOf(principal)).filter(({ upstreams }) => upstreams.length > 0);
    expect(told).toMatchObject([
      { event: { event: "execute.completed", attributes: { status: "ok", attempts: 1 } } },
    ]);
    expect(memberOf(told[0]?.event.attributes, "cancelled")).toBe(wasTakenBack || undefined);
    expect(await sql(principal, "SELECT attempt FROM flights")).toEqual([]);
  });
});

describe("the neighbours in a batch of a call that is taken back", () => {
  it.each([
    ["in one life", false],
    ["with an eviction before every request", true],
  ])("have their answers, %s", async (_, evict) => {
    const { client, bodies } = worker({
      evict,
      deed: (id, call, signal) => (call === 2 ? hangs(id, call, signal) : result(id, text("paid"))),
      server: { timeout_ms: 600_000 },
    });
    const ada = await client();
    await ada.call("tool_execute", PAYMENT, { id: 100 });
    const results = await ada.beginAll([1, 2]);
    await until(() => bodies.length === 3);
    await ada.cancel(1);
    await ada.cancel(2);
    const answers = [...(await results()).values()];
    expect(answers.map((answer) => memberOf(answer, "isError") === true).filter(Boolean).length).toBe(1);
    expect(answers.length).toBe(2);
  });
});
