import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/firewall/result/token-estimate.ts";
import type { View } from "../../../src/firewall/view/plan.ts";
import { hasUnseen } from "../../../src/unseen.ts";
import { readSelector, type Selector, SELECTOR_TYPES } from "../../../src/firewall/view/selector.ts";
import { memberOf } from "../../../src/json.ts";
import { VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import {
  type Artifact,
  binaryArtifact,
  isWellFormed,
  look,
  textArtifact,
  tryLook,
  wellFormed,
} from "./look.ts";

const integer = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.constantFrom(-1e300, 1e300, 2 ** 53, -(2 ** 53), 16_384, 100_000),
);
const name = fc.oneof(
  fc.constantFrom("a", "id", "__proto__", "constructor", "x,y", "", "\u202ea\u001b[31m"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const fields = fc.record(
  {
    type: fc.constantFrom(...SELECTOR_TYPES),
    chars: integer,
    start: integer,
    end: integer,
    offset: integer,
    length: integer,
    columns: fc.array(name, { maxLength: 3 }),
    keys: fc.array(name, { maxLength: 3 }),
    path: fc.constantFrom(
      "$",
      "$.a",
      "$[*]",
      "$..*",
      "$.a[?@.id>1]",
      "$['",
      "$[-1:]",
      "nonsense",
      "$['\u202e'].x",
      "$.a\u2066b.c",
      "$.*\u061c",
    ),
    pattern: fc.constantFrom("a", "^", "$", "", "(", "(\u202e\u001b[31m", "[^a]+", ".*", "\\s", "漢"),
    context: fc.integer({ min: -1, max: 21 }),
    ignore_case: fc.boolean(),
    resume: fc.constantFrom("a1", "o0!1s", "~3", "comma:3:0", "json:a2", "ndjson", "x"),
  },
  { requiredKeys: ["type"] },
);
const json = fc
  .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(2))
  .map(([value, spaces]) => JSON.stringify(value, null, spaces));
const text = fc.oneof(
  json,
  fc.tuple(json, fc.nat(40)).map(([whole, length]) => whole.slice(0, length)),
  fc.array(json, { maxLength: 5 }).map((lines) => lines.join("\n")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(fc.constantFrom("a,b\n", '1,"2\n"\n', "id\tx\n", "{", "}", "[1,", "\\", '"', "漢", "😀", "\r\n"), {
      maxLength: 30,
    })
    .map((all) => all.join("")),
  fc.constantFrom(
    "x".repeat(20_000),
    "漢\n".repeat(9000),
    `[${"[],".repeat(9000)}1]`,
    `{"a":"${"y".repeat(40_000)}"}`,
    '{"\u202ea\\u001b[31m":[1,2]}',
    `\uFEFF[${'{"a":1},'.repeat(50)}${'{"id":1},'.repeat(5000)}{"a":2}]`,
    `${'{"a":1}\n'.repeat(150)}${'{"id":1}\n'.repeat(500)}`,
    `| id | a |\n|---|:-:|\n${"| 1 | x |\n".repeat(200)}`,
  ),
);
const mediaType = fc.constantFrom(
  "text/plain",
  "application/json",
  "text/csv",
  "application/x-ndjson",
  "text/tab-separated-values",
);
const artifact = fc.oneof(
  fc.tuple(text, mediaType).map(([content, type]) => textArtifact(wellFormed(content), type)),
  // What no writer of ours would call a text.
  fc.tuple(fc.uint8Array({ maxLength: 300 }), mediaType).map(([bytes, type]) => textArtifact(bytes, type)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => binaryArtifact(bytes)),
);

/** Follows a view to its end and tells of everything that should not be. */
function wrongs(of: Artifact, given: unknown): readonly string[] {
  const read = readSelector(given);
  if (!read.ok) return read.reason.path.startsWith("/") ? [] : ["the path of an argument"];
  const wrong: string[] = [];
  let selector: Selector | undefined = read.value;
  for (let step = 0; selector !== undefined; step += 1) {
    if (step > of.bytes.length + 10) return [...wrong, `no end of ${JSON.stringify(selector)}`];
    const shown = tryLook(of, selector);
    if (!shown.ok) {
      if (shown.reason.try.length === 0) wrong.push("nothing would work");
      if (JSON.stringify(shown.reason).length > 8192) wrong.push("a long problem");
      if (hasUnseen(JSON.stringify(shown.reason))) wrong.push("a problem with what nobody sees in it");
      // A made-up place is its maker's fault.
      const isMadeUp = memberOf(given, "resume") !== undefined;
      if (step > 0 && !isMadeUp) wrong.push(`its own next was refused: ${JSON.stringify(selector)}`);
      return wrong;
    }
    const { text: shownText, blob, next, total }: View = shown.value;
    if ((shownText === undefined) === (blob === undefined)) wrong.push("not one of text and blob");
    if (!isWellFormed(shownText ?? "")) wrong.push("half a character");
    if (total.bytes !== of.bytes.length) wrong.push("another total");
    // What is handed on can be handed in.
    const again = next === undefined ? undefined : readSelector(next);
    if (again !== undefined && !(again.ok && JSON.stringify(again.value) === JSON.stringify(next))) {
      wrong.push(`no selector: ${JSON.stringify(next)}`);
    }
    selector = next;
  }
  return wrong;
}

describe("any view of anything", () => {
  it("is an answer within bounds or says what would work, and its next is a selector that goes on and ends", () => {
    fc.assert(
      fc.property(artifact, fields, (of, given) => {
        expect(wrongs(of, given)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("is the same for the same question", () => {
    const selector = fields.map((given) => readSelector(given)).filter(({ ok }) => ok);
    fc.assert(
      fc.property(artifact, selector, (of, read) => {
        const asked: Selector = read.ok ? read.value : { type: "content" };
        expect(tryLook(of, asked)).toEqual(tryLook(of, asked));
      }),
      { numRuns: 200 },
    );
  });
});

describe("the tokens of an answer", () => {
  it("are at most its bytes, however dense the text", () => {
    const counter = committedCounter();
    const random = (alphabet: string) =>
      Array.from(
        { length: 20_000 },
        (_, index) => alphabet[(index * 7919 + ((index * index) >> 3)) % alphabet.length],
      ).join("");
    for (const alphabet of [
      "0123456789abcdef",
      "ABCxyz019+/",
      "漢字仮名交",
      "!@#$%^&*(){}",
      "\u0001\u0002\u0003",
    ]) {
      const { text: shown = "" } = look(textArtifact(random(alphabet)), {
        type: "bytes",
        offset: 0,
        length: 1e9,
      });
      expect(counter.count(shown)).toBeLessThanOrEqual(VIEW_MAX_BYTES);
      expect(estimateTokens(shown)).toBeLessThanOrEqual(VIEW_MAX_BYTES);
    }
  });
});
