import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as limits from "../../src/limits/spine.ts";
import * as spine from "../../src/spine/index.ts";
import * as testkit from "../../src/spine/testkit/index.ts";

const SKILL = resolve(import.meta.dirname, "../../skills/mcp-bootstrap");
const files = ["SKILL.md", ...readdirSync(join(SKILL, "references")).map((name) => `references/${name}`)];
const textOf = (file: string) => readFileSync(join(SKILL, file), "utf8");

/** Every word that the spine exports, and every word of its enumerations. */
const exported = { ...spine, ...testkit };
const words: ReadonlySet<string> = new Set([
  ...Object.keys(exported),
  ...Object.values(exported).flatMap((value) =>
    Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : [],
  ),
]);

/** Words that are JSON, MCP's or the package's, and not the spine's to change. */
const FOREIGN: ReadonlySet<string> = new Set([
  "loomgate/spine",
  "loomgate/spine/testkit",
  "initialize",
  "recovery_hint",
  "record…",
  "_",
  "1",
  '"1"',
  "1.0",
  "Execution",
]);

/** Every number of the text, with the constant that it has to be. */
const NUMBERS: readonly (readonly [phrase: string, value: number])[] = [
  ["limit is 8 MiB unless", limits.FRAME_DEFAULT_LIMIT_BYTES / 2 ** 20],
  ["keeps to 24 lines", limits.PORCELAIN_DEFAULT_MAX_LINES],
  ["120 characters a fragment", limits.PORCELAIN_DEFAULT_MAX_INLINE_CHARS],
  ["a log is at most 8 MiB", limits.JSONL_LOG_MAX_BYTES / 2 ** 20],
  ["a record at most 32 KiB", limits.JSONL_RECORD_MAX_BYTES / 2 ** 10],
  ["Numbers over 2^53", Math.log2(Number.MAX_SAFE_INTEGER + 1)],
];

const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

/** The numbers of a text that are neither the number of a step nor in a word. */
const numbersIn = (text: string) =>
  [
    ...text
      .replaceAll(/`[^`]*`/g, "")
      .replaceAll(/^(?:#+ )?\d+\. /gm, "")
      .replaceAll(/step \d+/g, "")
      .matchAll(/(?<![\w^])\d+(?:\^\d+)?/g),
  ].map(([number]) => number);

describe("the skill mcp-bootstrap", () => {
  it.each(files)("names in %s only what the spine has", (file) => {
    expect(quoted(textOf(file)).filter((word) => !words.has(word) && !FOREIGN.has(word))).toEqual([]);
  });

  it("would notice a name that is gone", () => {
    expect(quoted("`requestDisposition` and `requestDispositon`").filter((word) => !words.has(word))).toEqual(
      ["requestDispositon"],
    );
  });

  it.each(NUMBERS)("%s: the number is the code's", (phrase, value) => {
    const whole = files.map((file) => textOf(file).replaceAll(/\s+/g, " ")).join(" ");
    expect(whole).toContain(phrase);
    expect(phrase).toMatch(new RegExp(`(?:\\b|\\^)${value}\\b`));
  });

  it("has no number beside those", () => {
    const known = NUMBERS.map(([phrase]) => /\d+(?:\^\d+)?/.exec(phrase)?.[0]);
    const found = files.flatMap((file) => numbersIn(textOf(file)));
    expect(found.length).toBe(NUMBERS.length);
    expect(new Set(found)).toEqual(new Set(known));
  });

  it.each([
    ["fault classes", spine.FAULT_CLASSES, "references/checklist.md"],
    ["recovery hints", spine.RECOVERY_HINTS, "references/checklist.md"],
    ["contracts", spine.REPLAY_CONTRACTS, "references/checklist.md"],
    ["what is known", spine.EXECUTION_KNOWLEDGE, "references/checklist.md"],
    ["states", spine.LIFECYCLE_STATES, "references/checklist.md"],
    ["render modes", spine.RENDER_MODES, "references/bootstrap-fresh.md"],
  ])("lists all %s", (_, all, file) => {
    const said = new Set(quoted(textOf(file)));
    expect(all.filter((word) => !said.has(word))).toEqual([]);
  });

  it.each(files)("leads from %s to files that are there", (file) => {
    for (const [, link = ""] of textOf(file).matchAll(/\]\(([^)]+)\)/g)) {
      expect(existsSync(join(SKILL, dirname(file), link))).toBe(true);
    }
  });

  it("begins with what an agent looks for", () => {
    expect(textOf("SKILL.md")).toMatch(/^---\nname: mcp-bootstrap\ndescription: .{40,600}\n---\n/);
  });
});
