import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import type { ToolAnswer } from "../../../src/surface.ts";
import { artifactsOf, envelopeOf, message, run, shownOf, text, textOf } from "./kit.ts";

const counter = committedCounter();
const INLINE = 1_000;
/** Of an answer beside what `inline_max_tokens` allows: summaries, addresses, and a line with a name for each artifact. */
const FRAME = 1_000;

/** All that a model reads, by the exact count: texts as they are, other parts as JSON without what is binary in them. */
function tokensOf(answer: ToolAnswer | undefined): number {
  const read = shownOf(answer).map((part) => {
    if (typeof part === "string") return part;
    return JSON.stringify(part, (key, value: unknown) => (key === "data" || key === "blob" ? "" : value));
  });
  return counter.count(read.join("\n"));
}

const WORDS = "the report of last month names every order that was late and says why it was so".split(" ");
const word = fc.constantFrom(...WORDS);
const sentence = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(" "));
/** From nothing to much more than is shown. */
const prose = fc
  .tuple(sentence, fc.constantFrom(0, 1, 1, 1, 1, 5, 20, 300))
  .map(([unit, times]) => Array.from({ length: times }, (_, at) => `${unit} ${at}.`).join("\n"));
const path = fc
  .tuple(sentence, fc.nat())
  .map(([words, at]) => `file:///${words.replaceAll(" ", "/")}/${at}.txt`);
const mimeType = fc.constantFrom("text/plain", "text/markdown", "image/png", "application/pdf");
const textContent = fc.record({ uri: path, mimeType: fc.constant("text/plain"), text: prose });
const blobContent = fc.record({
  uri: path,
  mimeType,
  blob: prose.map((each) => Buffer.from(each).toString("base64")),
});
/** A few of one kind, times what makes them many. */
const many = <T>(one: fc.Arbitrary<T>) =>
  fc
    .tuple(fc.array(one, { minLength: 1, maxLength: 30 }), fc.constantFrom(1, 1, 3, 20))
    .map(([units, times]) =>
      Array.from({ length: times }, () => units.map((each) => structuredClone(each))).flat(),
    );

/** What can be got at: shown parts, and kept bytes with what is in the JSON of a bundle. */
function reachable(
  answer: ToolAnswer | undefined,
  kept: Iterable<{ readonly bytes: Uint8Array }>,
): Set<string> {
  const found = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "string") {
      found.add(value);
      found.add(Buffer.from(value, "base64").toString("hex"));
    } else if (typeof value === "object" && value !== null)
      for (const each of Object.values(value)) add(each);
  };
  for (const part of answer?.content ?? []) add(part);
  const stored = [...kept];
  for (const { bytes } of stored) {
    found.add(Buffer.from(bytes).toString("utf8"));
    found.add(Buffer.from(bytes).toString("hex"));
  }
  add(jsonIn(stored));
  return found;
}

/** What is kept as JSON. */
function jsonIn(kept: Iterable<{ readonly bytes: Uint8Array }>): unknown[] {
  return [...kept].flatMap(({ bytes }): unknown[] => {
    try {
      return [JSON.parse(new TextDecoder().decode(bytes))];
    } catch {
      return [];
    }
  });
}

describe("however many contents a read has", () => {
  it("a model pays no more than for a small text and a thousand tokens, and every byte is shown or kept", async () => {
    await fc.assert(
      fc.asyncProperty(many(fc.oneof(textContent, blobContent)), async (contents) => {
        const { read, artifacts } = run({ result: { contents } });
        const answer = await read();
        expect(tokensOf(answer)).toBeLessThanOrEqual(INLINE + FRAME);
        const places = [...reachable(answer, artifacts.objects.values())];
        for (const content of contents) {
          const bytes = Buffer.from(
            "text" in content ? content.text : content.blob,
            "text" in content ? "utf8" : "base64",
          );
          // Text in base64 is text.
          const forms = [bytes.toString("utf8"), bytes.toString("hex")];
          expect(places.some((place) => forms.some((form) => place.includes(form)))).toBe(true);
        }
      }),
      { numRuns: 80 },
    );
  });

  it("names, types and texts made to be dear cost at most what the estimate of tokens allows them to", async () => {
    const dear = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
    const content = fc.record({
      uri: dear,
      mimeType: fc.oneof(fc.stringMatching(/^[a-z0-9]{1,60}\/[a-z0-9]{1,60}$/), dear),
      text: fc.tuple(dear, fc.constantFrom(1, 1, 30)).map(([unit, times]) => unit.repeat(times)),
    });
    await fc.assert(
      fc.asyncProperty(many(content), async (contents) => {
        const answer = await run({ result: { contents } }).read();
        expect(tokensOf(answer)).toBeLessThanOrEqual(2 * (INLINE + FRAME));
      }),
      { numRuns: 80 },
    );
  });

  it("two thousand of eight bytes are a few shown ones and one artifact of the rest, as they came", async () => {
    const contents = Array.from({ length: 2_000 }, (_, at) => ({
      uri: `file:///row/${at}`,
      mimeType: "text/plain",
      text: String(10_000_000 + at),
    }));
    const { read, view, artifacts } = run({ result: { contents } });
    const answer = await read();
    expect(tokensOf(answer)).toBeLessThan(INLINE + 500);
    expect(textOf(answer)).toMatch(/^2000 contents: file:\/\/\/row\/0, .* \+\d+ more$/);
    const named = artifactsOf(answer);
    expect(named.map(({ label }) => label)).toEqual([
      expect.stringMatching(/^more contents \(\d+\)$/),
      "_meta",
    ]);
    const count = Number(/\d+/.exec(String(named[0]?.label))?.[0]);
    expect(jsonIn(artifacts.objects.values())).toContainEqual(contents.slice(-count));
    expect(shownOf(answer)).toContain("file:///row/0:");
    const last = await view(named[0]?.handle, { type: "rows", start: -1, columns: ["uri", "text"] });
    expect(textOf(last)).toContain("file:///row/1999");
  });

  it("a few large ones have an artifact each, and the others one together", async () => {
    const contents = Array.from({ length: 9 }, (_, at) => ({
      uri: `a:${at}`,
      mimeType: "text/markdown",
      text: `# ${at}\n\n${"some words of it ".repeat(500)}`,
    }));
    const answer = await run({ result: { contents } }).read();
    expect(artifactsOf(answer).map(({ type, label }) => [type, label])).toEqual([
      ["text/markdown", "resource a:0"],
      ["text/markdown", "resource a:1"],
      ["text/markdown", "resource a:2"],
      ["application/json", "more contents (6)"],
    ]);
    expect(envelopeOf(answer)["status"]).toBe("ok");
  });

  it("only some pictures stay, however small they are", async () => {
    const blob = Buffer.from("a small picture").toString("base64");
    const contents = Array.from({ length: 500 }, (_, at) => ({
      uri: `a:${at}`,
      mimeType: "image/png",
      blob,
    }));
    const { read, artifacts } = run({ result: { contents } });
    const answer = await read();
    expect(shownOf(answer).filter((part) => memberOf(part, "type") === "image")).toHaveLength(8);
    expect(jsonIn(artifacts.objects.values())).toContainEqual(contents.slice(8));
  });
});

describe("however many messages a prompt has", () => {
  const part = fc.oneof(
    prose.map(text),
    textContent.map((resource) => ({ type: "resource", resource })),
    path.map((uri) => ({ type: "resource_link", uri, name: uri })),
    prose.map((each) => ({
      type: "image",
      data: Buffer.from(each).toString("base64"),
      mimeType: "image/png",
    })),
  );
  const turn = fc
    .tuple(fc.constantFrom("user", "assistant"), fc.oneof(part, fc.array(part, { maxLength: 3 })))
    .map(([role, content]) => message(role, content));

  it("a model pays no more than for a small text and a thousand tokens, and every byte is shown or kept", async () => {
    await fc.assert(
      fc.asyncProperty(many(turn), async (messages) => {
        const { get, artifacts } = run({ result: { messages } });
        const answer = await get();
        expect(tokensOf(answer)).toBeLessThanOrEqual(INLINE + FRAME);
        const places = [...reachable(answer, artifacts.objects.values())];
        const parts = messages.flatMap(({ content }) => (isJsonArray(content) ? content : [content]));
        for (const each of parts) {
          const value =
            memberOf(each, "text") ?? memberOf(memberOf(each, "resource"), "text") ?? memberOf(each, "uri");
          const wanted =
            typeof value === "string"
              ? value
              : Buffer.from(String(memberOf(each, "data")), "base64").toString("hex");
          expect(places.some((place) => place.includes(wanted))).toBe(true);
        }
      }),
      { numRuns: 80 },
    );
  });

  it("parts that are too many are kept with their roles", async () => {
    const link = (at: number) => ({ type: "resource_link", uri: `file:///row/${at}`, name: `row ${at}` });
    const messages = Array.from({ length: 600 }, (_, at) =>
      message(at % 2 === 0 ? "user" : "assistant", link(at)),
    );
    const { get, artifacts } = run({ result: { messages } });
    const answer = await get();
    expect(tokensOf(answer)).toBeLessThan(INLINE + FRAME);
    const labels = artifactsOf(answer).map(({ label }) => String(label));
    const [, digits] =
      labels.map((label) => /^more parts of messages \((\d+)\)$/.exec(label)).find(Boolean) ?? [];
    const count = Number(digits);
    expect(jsonIn(artifacts.objects.values())).toContainEqual(messages.slice(-count));
  });
});
