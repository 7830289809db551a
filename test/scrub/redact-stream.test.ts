import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  REDACT_STREAM_REACH_CHARS,
  REDACT_STREAM_STEP_CHARS,
  REDACT_STREAM_WINDOW_CHARS,
} from "../../src/limits.ts";
import { JsonRedaction } from "../../src/scrub/json-redaction.ts";
import { redactStream, redactText } from "../../src/scrub/redact-text.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { code, jsonWithSecrets, MARK, PLANTED } from "./planted-secrets.ts";

interface Streamed {
  readonly text: string;
  readonly count: number;
}

function streamed(pieces: readonly string[]): Streamed {
  const filter = redactStream();
  const text = pieces.map((piece) => filter.push(piece)).join("") + filter.end();
  return { text, count: filter.count() };
}

function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut));
}

const name = fc.constantFrom("password", "set-cookie", "x-api-key");
const inPieces = fc.array(fc.nat(), { maxLength: 12 });

function everyCharacter(text: string): string[] {
  return Array.from({ length: text.length }, (_, at) => text.charAt(at));
}

function throughJson(
  text: string,
  reach: number,
  pieces: readonly string[] = everyCharacter(text),
): Streamed & { readonly fault: boolean } {
  const strings = { whole: (of: string) => redactText(of, 1), inPieces: () => redactStream(1) };
  const json = new JsonRedaction(strings, reach);
  const clean = pieces.map((piece) => json.push(piece)).join("") + json.end();
  return { text: json.fault ? clean + json.rest : clean, count: json.count, fault: json.fault };
}

describe("JSON that comes in pieces", () => {
  it("loses what it would lose whole, however it is cut", () => {
    fc.assert(
      fc.property(jsonWithSecrets, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify([value], undefined, indent);
        expect(throughJson(text, 10_000)).toEqual({ ...redactText(text), fault: false });
      }),
      { numRuns: 500 },
    );
  });

  it("stays JSON without a secret, also where it is larger than what is held", () => {
    fc.assert(
      fc.property(fc.array(jsonWithSecrets, { minLength: 1, maxLength: 8 }), inPieces, (values, places) => {
        const times = Math.ceil(REDACT_STREAM_WINDOW_CHARS / JSON.stringify(values).length);
        const text = JSON.stringify(Array.from({ length: Math.min(times, 2_000) }, () => values));
        const { text: made, count } = streamed(cutAt(text, places));
        expect(made === redactText(text).text).toBe(true);
        expect(count).toBe(redactText(text).count);
        for (const secret of PLANTED) expect(made.includes(secret)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it("loses a value that is named within reach behind it, though pieces only ever end between the two", () => {
    const named = fc.record({ value: fc.constantFrom(...PLANTED), password: fc.constantFrom("x", ""), name });
    fc.assert(
      fc.property(fc.array(named, { minLength: 8, maxLength: 30 }), fc.nat({ max: 9 }), (values, further) => {
        const text = JSON.stringify(values);
        const places = [...text.matchAll(/"value":"[^"]+"/g)].map((found) => found.index + found[0].length);
        const pieces = cutAt(
          text,
          places.map((place) => place + further),
        );
        expect(throughJson(text, 150, pieces)).toEqual({ ...redactText(text), fault: false });
        expect(redactText(text).count).toBe(redactorFor(true, undefined)?.value(values).count);
      }),
    );
  });

  it("loses what is in a string that is too long to hold", () => {
    const filler = 'größe "x" \\ \u2028 \ud83d '.repeat(REDACT_STREAM_REACH_CHARS / 10);
    const inner = `${filler} password: hunter22, ghp_${code(40)} ${filler}`;
    const value = {
      note: inner,
      nested: JSON.stringify({ pin: 1, inner }),
      token: inner,
      nextCursor: inner,
      last: "sk-ant-" + code(30),
    };
    const text = JSON.stringify(value);
    for (const size of [1_000, 100_000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      const made = streamed(pieces);
      const whole = redactText(text);
      expect(JSON.parse(made.text)).toEqual(JSON.parse(whole.text));
      expect(made.count).toBe(whole.count);
      expect(whole.count).toBe(9);
    }
  });

  it("waits for a neighbour as far as it may, and then lets go", () => {
    const named = (length: number): string =>
      `[{"value":"abc","x":"${"y".repeat(length)}","name":"password"}]`;
    expect(throughJson(named(50), 200).text).toContain(MARK);
    expect(throughJson(named(300), 200).text).toBe(named(300));
  });

  it("goes on as a plain text where it turns out to be none", () => {
    for (const text of [
      '{"password": "hunter22", oops, token: abcdefg',
      "[2024-01-01] password: hunter22",
      '{"a": "b',
      '{"a": "password: hunter22',
      '["\u0001", "token: abcdefg"]',
      '["\\x", "token: abcdefg"]',
      "[1e, 2] token: abcdefg",
      `${"[".repeat(5_000)} token: abcdefg`,
      "[nul] token: abcdefg",
      "[-] token: abcdefg",
      "{} x token: abcdefg",
      "[1}",
      "]",
    ])
      expect(streamed([text])).toEqual(redactText(text));
    const long = `[{"password": "${"x".repeat(2 * REDACT_STREAM_STEP_CHARS)}"}, oops, token: abcdefg`;
    const made = streamed(cutAt(long, [REDACT_STREAM_STEP_CHARS, 2 * REDACT_STREAM_STEP_CHARS + 50]));
    expect(made).toEqual({ text: `[{"password": "${MARK}"}, oops, token: ${MARK}`, count: 2 });
    const cut = `[{"a": "${"x".repeat(2 * REDACT_STREAM_STEP_CHARS)}", "password": ["hunter22`;
    expect(streamed(cutAt(cut, [REDACT_STREAM_STEP_CHARS])).text).toBe(cut.replace("hunter22", MARK));
  });

  it("keeps what it has of a long string that never ends, or not as JSON has it", () => {
    const filler = "abc def ".repeat(REDACT_STREAM_REACH_CHARS / 4);
    for (const rest of [
      "",
      "password: hunter22",
      "password: hunter22\n, more",
      'password: hunter22 \\x", more',
      "\\",
    ])
      for (const inner of [filler, `${filler}${filler}`.repeat(2)]) {
        const text = `{"log": "${inner}${rest}`;
        for (const places of [[], [REDACT_STREAM_STEP_CHARS, text.length - 12, text.length - 5]]) {
          const made = streamed(cutAt(text, places));
          const whole = redactText(text);
          expect(made.text === whole.text).toBe(true);
          expect(made.count).toBe(whole.count);
        }
      }
    // The fault stands right behind a secret that goes on over what is read at once.
    const before = '{"log": "' + filler;
    const onTheEdge = `${before}${"x".repeat(2 * REDACT_STREAM_STEP_CHARS - (before.length % REDACT_STREAM_STEP_CHARS) - 14)} `;
    for (const fault of ["\\x", "\u0001"]) {
      const text = `${onTheEdge}password: hunter22hunter22 ${fault} abc", more`;
      expect(streamed(cutAt(text, [])).text).toBe(text.replace("hunter22hunter22", MARK));
    }
  });
});

const PIECES = [
  `ghp_${code(36)}`,
  "password: hunter22",
  "--password  hunter22",
  "next_page_token=abcdefgh",
  "Authorization: Bearer abcdefghijkl",
  "curl -u ada:hunter22 x",
  "Cookie: theme=dark; sid=hunter22 ",
  "machine a.example login ada\n password hunter22\n",
  "mysql -u ada -phunter22 ",
  "mot de passe : hunter22, ",
  "密码：hunter22，",
  "https://ada:hunter22@example.com/?sig=" + code(40),
  `-----BEGIN PRIVATE KEY-----\n${`${code(64)}\n`.repeat(40)}-----END PRIVATE KEY-----`,
  `eyJ${code(20)}.eyJ${code(300)}.${code(43)}`,
  MARK,
  "task-management",
  "😀",
];

/** Long enough that windows leave before the end, with secrets around the places where they are cut. */
const longText = fc
  .record({
    unit: fc.constantFrom("a", "plain words ", "x=1; ", "\n", "tokens ", "sk-", "é😀", '"', MARK),
    near: fc.array(fc.tuple(fc.integer({ min: -300, max: 300 }), fc.constantFrom(...PIECES)), {
      minLength: 1,
      maxLength: 6,
    }),
    between: fc.constantFrom("", " ", "\n"),
  })
  .map(({ unit, near, between }) => {
    let text = unit.repeat(Math.ceil((2 * REDACT_STREAM_WINDOW_CHARS) / unit.length));
    for (const border of [
      REDACT_STREAM_WINDOW_CHARS - REDACT_STREAM_REACH_CHARS,
      REDACT_STREAM_WINDOW_CHARS,
    ]) {
      for (const [offset, piece] of near)
        text = `${text.slice(0, border + offset)}${between}${piece}${between}${text.slice(border + offset)}`;
    }
    return `. ${text}`;
  });

describe("a plain text that comes in pieces", () => {
  it("loses what it would lose whole, however it is cut", () => {
    fc.assert(
      fc.property(longText, inPieces, (text, places) => {
        const [made, whole] = [streamed(cutAt(text, places)), redactText(text)];
        expect(made.text === whole.text).toBe(true);
        expect(made.count).toBe(whole.count);
      }),
      { numRuns: 80 },
    );
  });

  it("is passed on untouched where it holds none", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 200 })), (pieces) => {
        const text = pieces.join("");
        fc.pre(redactText(text).count === 0);
        expect(streamed(pieces)).toEqual({ text, count: 0 });
      }),
    );
  });

  it.each([
    ["a number", `[${"1".repeat(16_000_000)}x`],
    ["a string", `["${"x".repeat(16_000_000)}`],
  ])(
    "is the same for JSON that breaks behind %s of any length, read in time that grows with it",
    (_, text) => {
      const whole = redactText(text);
      expect(streamed(cutAt(text, [100, 70_000, 9_000_000])).text === whole.text).toBe(true);
      expect(whole.count).toBe(0);
    },
  );

  it("is never held back further than a window", () => {
    for (const unit of ["words ", '{"a":"words"}\n', "x"]) {
      const filter = redactStream();
      const piece = unit.repeat(10_000);
      let [pushed, out] = [0, 0];
      for (let round = 0; round < 40; round += 1) {
        pushed += piece.length;
        out += filter.push(piece).length;
        expect(pushed - out).toBeLessThan(REDACT_STREAM_WINDOW_CHARS + piece.length);
      }
    }
  });

  it.each(["token=", '{"password": "', "see ghp_"])(
    "lets nothing of a secret through that is longer than what is held: %s",
    (beginning) => {
      const text = `${beginning}${code(3 * REDACT_STREAM_WINDOW_CHARS)} and more`;
      const { text: made } = streamed(cutAt(text, [100, 70_000, 300_000, 400_000]));
      expect(made.length).toBeLessThan(60);
    },
  );
});
