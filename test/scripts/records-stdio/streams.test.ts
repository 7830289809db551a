import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf, OverCap, textOf } from "../../../scripts/records-stdio/events.ts";
import { hiding } from "../../../scripts/records-stdio/hiding.ts";
import { linesOf } from "../../../scripts/records-stdio/lines.ts";

/** The bytes, cut where the cuts say. */
async function* cut(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const end of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.slice(start, end);
    start = end;
  }
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const encoder = new TextEncoder();
const cuts = fc.array(fc.nat(500), { maxLength: 8 });
const line = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((text) => text.trim() === text && !/[\r\n]/.test(text));

describe("lines", () => {
  it("are the same wherever the bytes are cut, and whether the last one ends or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        cuts,
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        async (lines, at, end, ends) => {
          const bytes = encoder.encode(lines.join(end) + (ends ? end : ""));
          const read = await all(linesOf(cut(bytes, at), 10_000));
          expect(read).toEqual(lines.map((value) => ({ ok: true, value })));
        },
      ),
    );
  });

  it("that are too long or no UTF-8 are told, and the next one is read", async () => {
    const bytes = Buffer.concat([Buffer.from("a".repeat(11)), Buffer.from("\n\xff\nok\n", "latin1")]);
    for (let at = 0; at < bytes.length; at += 1) {
      expect(await all(linesOf(cut(bytes, [at]), 10))).toEqual([
        { ok: false, reason: "too_long" },
        { ok: false, reason: "no_utf8" },
        { ok: true, value: "ok" },
      ]);
    }
  });
});

describe("events", () => {
  it("are the same wherever the bytes are cut and however lines end", async () => {
    const event = fc.array(
      fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text)),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        cuts,
        fc.constantFrom("\n", "\r\n", "\r"),
        async (events, at, end) => {
          const text = events
            .map((data) =>
              [": hello", "id: 1", "event: message", ...data.map((each) => `data: ${each}`), ""].join(end),
            )
            .join(end);
          // A CR at the very end waits for its LF: one more line tells that it was alone.
          const read = await all(eventsOf(cut(encoder.encode(`${text}${end}: bye`), at), 100_000));
          expect(read).toEqual(events.map((data) => data.join("\n")).filter((data) => data !== ""));
        },
      ),
    );
  });

  it("that never end are given up at the cap, and so are bodies", async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield encoder.encode("data: ");
      for (;;) yield encoder.encode("x".repeat(100));
    }
    await expect(all(eventsOf(endless(), 1_000))).rejects.toThrow(OverCap);
    await expect(textOf(endless(), 1_000)).rejects.toThrow(OverCap);
    await expect(textOf(cut(Uint8Array.of(0xff), []), 1_000)).rejects.toThrow(TypeError);
  });
});

describe("hiding a bearer", () => {
  const bearer = fc.stringMatching(/^[\w.~+/-]{8,40}={0,2}$/);
  it("leaves none, however JSON spells it, and changes nothing else", () => {
    fc.assert(
      fc.property(
        bearer,
        fc.string(),
        fc.array(fc.nat(2), { minLength: 42, maxLength: 42 }),
        (secret, around, spelling) => {
          fc.pre(!around.includes(secret));
          const spelt = Array.from(secret, (char, index) => {
            const hex = char.charCodeAt(0).toString(16).padStart(4, "0");
            if (char === "/" && spelling[index] === 1) return "\\/";
            return [char, `\\u${hex.toUpperCase()}`, `\\u${hex}`][spelling[index] ?? 0] ?? char;
          }).join("");
          const json = `{"a":1.10,"b":"${spelt}","c":${JSON.stringify(around)}}`;
          const shown = hiding(secret)(json);
          expect(JSON.stringify(JSON.parse(shown))).not.toContain(secret);
          expect(shown).toBe(`{"a":1.10,"b":"[bearer]","c":${JSON.stringify(around)}}`);
        },
      ),
    );
  });
});
