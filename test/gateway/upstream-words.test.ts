import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayText } from "../../src/catalog/cards/display-text.ts";
import { upstreamWords } from "../../src/gateway/upstream-words.ts";
import { wantedMeta, wantedParts, toldWanted } from "../../src/gateway/wanted-note.ts";
import {
  SCRUB_SECRET_MIN_CHARS,
  UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS,
  UPSTREAM_WANTED_MESSAGE_MAX_CHARS,
  UPSTREAM_WORDS_MAX_CHARS,
} from "../../src/limits.ts";
import type { Progress } from "../../src/surface.ts";
import { relayProgress } from "../../src/gateway/progress.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { WantedList } from "../../src/wanted-request.ts";
import { listenTo } from "../../src/upstream/server-messages.ts";

const portsOf = (secrets: readonly string[], redact = false) => ({
  scrubber: createScrubber(secrets),
  redactor: () => redactorFor(redact, undefined),
  log: () => undefined,
});

/** Everything that a caller is told where a server says a text: its question's note and members, and its progress. */
function told(text: string, ports: ReturnType<typeof portsOf>): string {
  const heard: Progress[] = [];
  const wanted = new WantedList();
  const relay = relayProgress({ onProgress: (each) => heard.push(each) }, () => "s", ports);
  const hear = listenTo({ token: "t", wanted, ...relay });
  const params = { progressToken: "t", progress: 1, message: text };
  hear({ jsonrpc: "2.0", method: "notifications/progress", params });
  hear({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params });
  hear({ jsonrpc: "2.0", id: 2, method: text, params });
  const all = toldWanted(wanted.all(), "s", ports);
  expect([heard.length, all.length]).toEqual([1, 2]);
  return [
    ...heard.map(({ message = "" }) => message),
    ...all.flatMap(({ method, message = "" }) => [method, message]),
    JSON.stringify([heard, wantedMeta(all), wantedParts(all)]),
  ].join("\n");
}

/** Every stretch of the secret that is long enough to be one and was told, as it came or with its white space made one. */
function partsTold(secret: string, words: string): string[] {
  return [secret, secret.replace(/\s+/g, " ")].flatMap((form) =>
    Array.from({ length: Math.max(0, form.length - SCRUB_SECRET_MIN_CHARS + 1) }, (_, at) =>
      form.slice(at, at + SCRUB_SECRET_MIN_CHARS),
    ).filter((part) => part.trim().length === SCRUB_SECRET_MIN_CHARS && words.includes(part)),
  );
}

/** Of signs that nothing around it is made of. */
const sign = fc.constantFrom(..."ABCDEFGHIJ23456789".split(""));
const space = fc.constantFrom(" ", "  ", "\n", "\r\n", "\t \n", "\u00a0", "\u2028");
const word = fc.string({ unit: sign, minLength: 6, maxLength: 64 });
/** Some are a few signs and some a key in many lines, up to 6 KiB. */
const secretText = fc
  .tuple(word, fc.array(fc.tuple(space, word), { maxLength: 8 }), fc.integer({ min: 1, max: 12 }))
  .map(([first, more, times]) => (first + more.flat().join("")).repeat(times).slice(0, 6 * 1024));

/** Wherever cuts may be made: at the beginning, at what is shown, and at what is kept. */
const before = fc.oneof(
  fc.nat(40),
  ...[UPSTREAM_WANTED_MESSAGE_MAX_CHARS, UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS, UPSTREAM_WORDS_MAX_CHARS].map(
    (bound) => fc.integer({ min: Math.max(0, bound - 80), max: bound + 4 }),
  ),
  fc.nat(UPSTREAM_WORDS_MAX_CHARS),
);
const filler = fc.constantFrom("x", " ", "\n", "x ", "\u200b", "\u{1F600}");
const padding = (unit: string, length: number) => unit.repeat(length).slice(0, length);

describe("what a server says beside its result", () => {
  it("holds no part of a secret of ours, whatever its white space, its length and its place", () => {
    fc.assert(
      fc.property(secretText, filler, before, fc.nat(300), (secret, unit, length, behind) => {
        const text = `${padding(unit, length)}${secret}${padding(unit, behind)}`;
        expect(partsTold(secret, told(text, portsOf([secret])))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("holds none where a short one makes room for what stands far behind", () => {
    fc.assert(
      fc.property(secretText, secretText, fc.integer({ min: 0, max: 80 }), (first, second, short) => {
        const copies = first.repeat(Math.floor((UPSTREAM_WORDS_MAX_CHARS - short) / first.length));
        const text = copies.padEnd(UPSTREAM_WORDS_MAX_CHARS - short, "\n") + second;
        const words = told(text, portsOf([first, second]));
        expect(partsTold(first, words)).toEqual([]);
        expect(partsTold(second, words)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("holds no secret that only its line is, and no end that is half of one", () => {
    const ports = portsOf(["correct horse battery staple"]);
    expect(upstreamWords("say correct\n horse\tbattery  staple", 300, "s", ports)).not.toContain("horse");
    expect(upstreamWords("say correct horse batt\n\u200b ", 300, "s", ports)).toBe("say");
  });

  it("is redacted where it would be cut: no beginning of what looks like a secret is left", () => {
    const body = "AB3DE5GH7J".repeat(5).slice(0, 44);
    const shapes = fc.constantFrom(
      `ghp_${body}`,
      `password: ${body}`,
      `Authorization: Bearer ${body}`,
      `{"api_key": "${body} ${body}"}`,
      `https://ada:${body}@example.com/`,
      `-----BEGIN PRIVATE KEY-----\n${`${body}${body}\n`.repeat(60)}-----END PRIVATE KEY-----`,
    );
    fc.assert(
      fc.property(
        shapes,
        fc.constantFrom(" ", "\n", "x ", "\u{1F600} "),
        before,
        fc.nat(300),
        (shape, unit, length, behind) => {
          const text = `${padding(unit, length)} ${shape} ${padding(unit, behind)}`;
          expect(partsTold(body, told(text, portsOf([], true)))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is told to its bound, as one line, where nothing is to be hidden", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.nat(300), (text, max) => {
        const words = upstreamWords(text, max, "s", portsOf(["hunter2-hunter2"]));
        expect(Array.from(words).length).toBeLessThanOrEqual(max);
        expect(words).toBe(displayText(words));
      }),
    );
    const long = "m".repeat(UPSTREAM_WORDS_MAX_CHARS);
    expect(upstreamWords(long, 300, "s", portsOf([]))).toBe("m".repeat(300));
    expect(upstreamWords(`${long}m`, 300, "s", portsOf([]))).toBe("");
  });
});
