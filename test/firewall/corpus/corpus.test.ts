import { exactJsonText } from "../../../src/exact-json/write.ts";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/firewall/result/token-estimate.ts";
import { RESULT_ARTIFACTS_MAX_COUNT, VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { memberOf } from "../../../src/json.ts";
import type { ResultCase } from "../../fixtures/results/kit/result-case.ts";
import { listOf } from "../../support/fake-gateway.ts";
import { isAnswered, RESULT_CASES, says } from "../../support/result-corpus.ts";
import { isText, type Outcome, outcomeOf, readWhole } from "./outcome.ts";
import { forgedIn, SHOWN_MAX_TOKENS, unseenIn } from "./hygiene.ts";
import { lostOf } from "./payloads.ts";

/** A `kept` line is nine tokens of a handle and some forty of JSON around it; the media type is the rest. */
const KEPT_LINE_MAX_TOKENS = 80;
/** Parts that are neither texts nor media, such as links, are read by models as the JSON they are. */
const OTHER_PARTS_MAX_TOKENS = 4_000;
/** The envelope for programs: summary, facts and structured content once each, then what each artifact adds. */
const ENVELOPE_MAX_TOKENS = 4_000;
const ENVELOPE_ARTIFACT_MAX_TOKENS = 400;

const CASES = RESULT_CASES.map((each) => [each.name, each] as const);
const casesWith = (holds: (each: ResultCase) => unknown) => CASES.filter(([, each]) => holds(each));

const outcomes = new Map<string, Promise<Outcome>>();
/** Each case is run once for all tests that only look at it. */
function outcome(each: ResultCase): Promise<Outcome> {
  const known = outcomes.get(each.name);
  if (known !== undefined) return known;
  const made = outcomeOf(each);
  outcomes.set(each.name, made);
  return made;
}

/** What the gateway composed: texts that are none of the upstream's own parts. */
function composed({ texts }: Outcome, { result }: ResultCase): readonly string[] {
  const { content } = result();
  const own = new Set((Array.isArray(content) ? content : []).map((part) => memberOf(part, "text")));
  return texts.filter((text) => !own.has(text));
}

describe("the corpus", () => {
  it("has a name for each of its cases, and forty at least", () => {
    expect(new Set(CASES.map(([name]) => name)).size).toBe(CASES.length);
    expect(CASES.length).toBeGreaterThanOrEqual(40);
  });

  it.each(casesWith(({ huge }) => huge !== true))("is the same whenever it is made: %s", (_, each) => {
    expect(exactJsonText(each.result())).toBe(exactJsonText(each.result()));
  });
});

describe("a model's view of a result", () => {
  it.each(casesWith(({ mustShow }) => mustShow))("has in it what it is made of: %s", async (_, each) => {
    const text = (await outcome(each)).texts.join("\n");
    const missing = (each.mustShow ?? []).filter((fact) => !says(text, fact));
    expect(missing, `of ${each.name}, shown as:\n${text}\n`).toEqual([]);
  });

  it.each(casesWith(({ mustNotShow }) => mustNotShow))(
    "has not in it what is deep inside: %s",
    async (_, each) => {
      const content = (await outcome(each)).content;
      const shown = content.flatMap((part) => [JSON.stringify(part), String(part["text"])]);
      const leaked = (each.mustNotShow ?? []).filter((marker) => shown.some((text) => text.includes(marker)));
      expect(leaked).toEqual([]);
    },
  );

  it.each(casesWith(({ kept }) => kept !== undefined))(
    "says what was kept, once each: %s",
    async (_, each) => {
      const { kept, envelope } = await outcome(each);
      expect(kept.length).toBe(each.kept);
      expect(listOf(envelope, "artifacts").map((artifact) => memberOf(artifact, "handle"))).toEqual(
        kept.map(({ handle }) => handle),
      );
    },
  );

  it.each(CASES)("is bounded in tokens: %s", async (_, each) => {
    const { texts, keptLines, content } = await outcome(each);
    expect(estimateTokens(texts.join("\n"))).toBeLessThanOrEqual(SHOWN_MAX_TOKENS);
    expect(keptLines.length).toBeLessThanOrEqual(RESULT_ARTIFACTS_MAX_COUNT);
    for (const line of keptLines) expect(estimateTokens(line)).toBeLessThanOrEqual(KEPT_LINE_MAX_TOKENS);
    const others = content.filter(({ type }) => !["text", "image", "audio"].includes(String(type)));
    expect(estimateTokens(JSON.stringify(others))).toBeLessThanOrEqual(OTHER_PARTS_MAX_TOKENS);
  });

  it.each(casesWith(({ huge }) => huge !== true))("is bounded in tokens as JSON: %s", async (_, each) => {
    const { content, envelope } = await outcomeOf(each, "json");
    const artifacts = listOf(envelope, "artifacts").length;
    expect(estimateTokens(String(content[0]?.["text"]))).toBeLessThanOrEqual(
      ENVELOPE_MAX_TOKENS + artifacts * ENVELOPE_ARTIFACT_MAX_TOKENS,
    );
  });

  it.each(CASES)("is an error exactly where the upstream's was: %s", async (_, each) => {
    expect((await outcome(each)).isError).toBe(each.result()["isError"] === true);
  });

  it.each(casesWith(({ small }) => small))(
    "of a small one is the upstream's own, byte for byte: %s",
    async (_, each) => {
      const { content, structuredContent, toolResult } = each.result();
      const own = Array.isArray(content) && content.length > 0;
      const structured = structuredContent ?? toolResult;
      const expected =
        own || structured === undefined ? content : [{ type: "text", text: exactJsonText(structured) }];
      expect(exactJsonText((await outcome(each)).content)).toBe(exactJsonText(expected));
    },
  );

  it.each(casesWith(({ mustPass }) => mustPass))(
    "has the small parts beside the large ones: %s",
    async (_, each) => {
      const { content } = each.result();
      for (const index of each.mustPass ?? []) {
        expect((await outcome(each)).content).toContainEqual(
          Array.isArray(content) ? content[index] : undefined,
        );
      }
    },
  );

  it.each(casesWith(({ huge }) => huge !== true))("is the same at every call: %s", async (_, each) => {
    expect((await outcomeOf(each)).json).toBe((await outcome(each)).json);
  });
});

describe("what the gateway composes", () => {
  it.each(CASES)("has no sign in it that is not seen: %s", async (_, each) => {
    expect(composed(await outcome(each), each).flatMap(unseenIn)).toEqual([]);
  });

  it.each(CASES)("has no line of the upstream's that could be the gateway's: %s", async (_, each) => {
    expect(composed(await outcome(each), each).flatMap(forgedIn)).toEqual([]);
  });
});

describe("what was kept back", () => {
  it.each(CASES)("can be read again to the last byte: %s", async (_, each) => {
    const seen = await outcome(each);
    const artifacts: Buffer[] = [];
    for (const kept of seen.kept) {
      const whole = await readWhole(seen, kept, { type: "bytes", offset: 0, length: VIEW_MAX_BYTES });
      const hasLines = isText(kept) && each.huge !== true;
      const again = hasLines ? await readWhole(seen, kept, { type: "lines", start: 0, end: 1000 }) : whole;
      expect(whole.length).toBe(kept.sizeBytes);
      expect(again.equals(whole)).toBe(true);
      artifacts.push(whole);
    }
    expect(lostOf(each.result(), seen, artifacts)).toEqual([]);
  });

  it.each(casesWith(({ small }) => small !== true))(
    "can be seen by every view that is proposed: %s",
    async (_, each) => {
      const { envelope, kept, view } = await outcome(each);
      const proposed = [
        ...listOf(envelope, "views").map((each) => [memberOf(each, "handle"), memberOf(each, "selector")]),
        ...kept.map(({ handle, selector }) => [handle, selector]),
      ];
      for (const [handle, selector] of proposed) {
        const { refused, text } = await view(String(handle), selector);
        expect(refused, `${JSON.stringify(selector)}: ${text.slice(0, 300)}`).toBe(false);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(VIEW_MAX_BYTES);
      }
    },
  );

  it.each(casesWith(({ questions }) => questions))("answers nine of ten questions: %s", async (_, each) => {
    const { texts, keptLines, kept, view } = await outcome(each);
    const seen = [...texts, ...keptLines].join("\n");
    const questions = each.questions ?? [];
    const unanswered: string[] = [];
    for (const question of questions) {
      const isKnown = await isAnswered(question, seen, async (look) => {
        const handle = kept[look.kept]?.handle;
        const viewed = handle === undefined ? undefined : await view(handle, look.selector);
        return viewed === undefined || viewed.refused ? undefined : viewed.text;
      });
      if (!isKnown) unanswered.push(`${question.ask} (${JSON.stringify(question.answer)})`);
    }
    expect(questions.length).toBe(10);
    expect(unanswered.length, `unanswered:\n${unanswered.join("\n")}\n`).toBeLessThanOrEqual(1);
  });
});
