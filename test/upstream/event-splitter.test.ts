import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBufferBudget } from "../../src/upstream/buffer-budget.ts";
import { createEventSplitter, messageOf } from "../../src/upstream/event-splitter.ts";
import { createHeldBytes } from "../../src/upstream/held-bytes.ts";

const MAX_BYTES = 48;

/** Splits a text that arrives in the given cuts; `room` bounds the budget. */
async function split(text: string, cuts: readonly number[], room = 10_000) {
  const budget = createBufferBudget(room, () => 0);
  const events: string[] = [];
  let most = 0;
  const splitter = createEventSplitter(createHeldBytes(budget.open(1), MAX_BYTES), {
    held: (event) => {
      most = Math.max(most, budget.held());
      events.push(event);
      return false;
    },
  });
  const bytes = new TextEncoder().encode(text);
  const points = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...points, bytes.length]) {
    await splitter.pass(bytes.subarray(from, to));
    from = to;
  }
  const pending = budget.held();
  await splitter.end();
  return { events, overflowed: splitter.overflowed(), most, pending, left: budget.held() };
}

const data = (events: readonly string[]) =>
  events.map((event) => /^data: (.*)/m.exec(event)?.[1]).filter((line) => line !== undefined);

describe("the event splitter", () => {
  const short = fc.stringMatching(/^[a-z✓]{1,8}$/);
  const long = fc.stringMatching(/^[A-Z]{60,90}$/);
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const anyCuts = fc.array(fc.nat(500));

  it("gives every event whole, whatever ends its lines and wherever it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(short), lineEnd, anyCuts, async (words, eol, cuts) => {
        const text = words.map((word) => `id: 1${eol}data: ${word}${eol}${eol}`).join("");
        const found = await split(text, cuts);
        expect(data(found.events)).toEqual(words);
        expect(found.events.filter((event) => event !== "").length).toBe(words.length);
        expect(found).toMatchObject({ overflowed: undefined, pending: 0, left: 0 });
      }),
    );
  });

  it("leaves out long events only, says so, and holds at most the bound", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(short, long)), lineEnd, anyCuts, async (words, eol, cuts) => {
        const found = await split(words.map((word) => `data: ${word}${eol}${eol}`).join(""), cuts);
        const kept = words.filter((word) => !/[A-Z]/.test(word));
        expect(data(found.events)).toEqual(kept);
        expect(found.overflowed).toBe(kept.length < words.length ? "too_long" : undefined);
        expect(found.most).toBeLessThanOrEqual(MAX_BYTES);
        expect(found.left).toBe(0);
      }),
    );
  });

  it("leaves out an event that finds no room, and tells the reason", async () => {
    const found = await split("data: 123456789\n\ndata: 1\n\n", [], 12);
    expect(found).toMatchObject({ overflowed: "no_room", left: 0 });
    expect(data((await split("data: 123456789\n\n", [], MAX_BYTES)).events)).toEqual(["123456789"]);
  });

  it("gives what came of the last event", async () => {
    expect(data((await split("data: a\n\ndata: b", [3, 9])).events)).toEqual(["a", "b"]);
  });
});

describe("the message of an event", () => {
  it.each([
    ["data: 1\n\n", 1],
    ["data:[1,\ndata: 2]\n\n", [1, 2]],
    ["event: message\r\ndata: {}\r\n\r\n", {}],
    ["event:\rdata: {}\r\r", {}],
    ["event: ping\ndata: {}\n\n", undefined],
    ["event: ping\nevent: message\ndata: {}\n\n", {}],
    [": data: 1\n\n", undefined],
    ["data\n\n", undefined],
    ["data: {\n\n", undefined],
    ["datum: 1\n\n", undefined],
    ["\n", undefined],
  ])("of %j is %j", (event, message) => {
    expect(messageOf(event, JSON.parse)).toEqual(message);
  });
});
