import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as spine from "../../src/spine/index.ts";
import * as testkit from "../../src/spine/testkit/index.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SKILL = join(ROOT, "skills/mcp-bootstrap");
const files = ["SKILL.md", ...readdirSync(join(SKILL, "references")).map((name) => `references/${name}`)];

/** A file without its code, which the packed package compiles and runs. */
const textOf = (file: string) => readFileSync(join(SKILL, file), "utf8").replaceAll(/```[\s\S]*?```/g, "");

type Exports = Readonly<Record<string, unknown>>;
const exported: Exports = { ...spine, ...testkit };

/** For the names of a fault's members. */
const FAULT: spine.Fault = {
  generation: spine.GENESIS,
  class: "timeout",
  code: "deadline",
  recovery_hint: "keep_worker",
  detail: "",
};

/** Every name that the spine exports, types among them, every word of its enumerations, and a fault's members. */
function wordsOf(exports: Exports): ReadonlySet<string> {
  return new Set([
    ...Object.keys(exports),
    ...Object.values(exports).flatMap((value) =>
      Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : [],
    ),
    ...Object.keys(FAULT),
    ...typeNames(),
  ]);
}

function typeNames(): string[] {
  const folder = join(ROOT, "src/spine");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return sources.flatMap((name) =>
    Array.from(
      readFileSync(join(folder, name), "utf8").matchAll(/^export (?:interface|type) (\w+)/gm),
      ([, type = ""]) => type,
    ),
  );
}

/** What is JSON's, MCP's or the package's, and not the spine's to change. */
const FOREIGN: ReadonlySet<string> = new Set([
  "loomgate/spine",
  "loomgate/spine/testkit",
  "initialize",
  "_",
  "1",
  '"1"',
  "1.0",
]);

/** Every number of the text: how it is said, and the constant that it has to be in the unit in which it is said. */
const NUMBERS: readonly (readonly [before: string, constant: string, unit: number, after: string])[] = [
  ["The limit is ", "FRAME_DEFAULT_LIMIT_BYTES", 2 ** 20, " MiB unless"],
  ["keeps to ", "PORCELAIN_DEFAULT_MAX_LINES", 1, " lines"],
  ["and ", "PORCELAIN_DEFAULT_MAX_INLINE_CHARS", 1, " characters a fragment"],
  ["a log is at most ", "JSONL_LOG_MAX_BYTES", 2 ** 20, " MiB"],
  ["a record at most ", "JSONL_RECORD_MAX_BYTES", 2 ** 10, " KiB"],
];

/** What the skill says that the code does not: words that it does not have, and numbers that are none of its constants. */
function untruths(texts: readonly string[], exports: Exports): string[] {
  const words = wordsOf(exports);
  const whole = texts.join("\n");
  // Without the numbers that count steps.
  const line = whole.replaceAll(/^(?:#+ )?\d+\. |\bstep \d+/gm, "").replaceAll(/\s+/g, " ");
  const phrases = NUMBERS.map(([before, constant, unit, after]) => {
    const value = exports[constant];
    return `${before}${typeof value === "number" ? value / unit : `(no ${constant})`}${after}`;
  });
  const rest = phrases
    .reduce((left, phrase) => left.replace(phrase, " "), line)
    // The integers that a double holds exactly; ECMAScript's, not ours.
    .replace("2^53", "")
    .replaceAll(/`[^`]*`/g, "");
  return [
    ...quoted(whole).filter((word) => !words.has(word) && !FOREIGN.has(word) && !isFamily(word, words)),
    ...phrases.filter((phrase) => !line.includes(phrase)),
    ...Array.from(rest.matchAll(/(?<!\w)\d[\w^.]*/g), ([number]) => number),
    // A name that nobody quoted would be held to nothing.
    ...Array.from(rest.matchAll(/\b(?:[a-z]+_[a-z_]+|[a-z]+[A-Z]\w*)\b/g), ([name]) => name),
  ];
}

const quoted = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, word = ""]) => word);

/** `record…`: names that begin so. */
function isFamily(word: string, words: ReadonlySet<string>): boolean {
  const beginning = word.slice(0, -1);
  return (
    word.endsWith("…") && [...words].some((name) => name.length > word.length && name.startsWith(beginning))
  );
}

const texts = files.map(textOf);

describe("the skill mcp-bootstrap", () => {
  it("says nothing that the code does not", () => {
    expect(untruths(texts, exported)).toEqual([]);
  });

  it.each(NUMBERS)("is found out when %s… is another number than %s", (_, constant, unit) => {
    const changed = { ...exported, [constant]: 7 * unit };
    const found = untruths(texts, changed);
    expect(found.length).toBeGreaterThan(0);
    const { [constant]: __, ...gone } = exported;
    expect(untruths(texts, gone)).toContainEqual(expect.stringContaining(`(no ${constant})`));
  });

  it.each(["requestDisposition", "churnViolations", "renderTable", "NEW_EXECUTION", "SURFACE_BOUNDS"])(
    "is found out when %s is called otherwise",
    (name) => {
      const { [name]: value, ...others } = exported;
      expect(value).toBeDefined();
      expect(untruths(texts, { ...others, [`${name}Now`]: value })).toContain(name);
    },
  );

  it.each([
    ["REPLAY_CONTRACTS", "never_replay"],
    ["FAULT_CLASSES", "ambiguous_outcome"],
    ["RECOVERY_HINTS", "roll_forward"],
    ["LIFECYCLE_STATES", "recovering"],
  ])("is found out when %s has no %s any more", (enumeration, word) => {
    const without = Object.fromEntries(
      Object.entries(exported).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.filter((item: unknown) => item !== word) : value,
      ]),
    );
    expect(without[enumeration]).not.toEqual(exported[enumeration]);
    expect(untruths(texts, without)).toContain(word);
  });

  it.each([
    ["a name of nobody's", "Call `requestDispositon`.", "requestDispositon"],
    ["a number of nobody's", "At most 17 of them.", "17"],
    ["a number that is also a step's", "At most 7 of them.", "7"],
    ["a name without quotes", "Call surfaceFault, or read worker_handshake.", "surfaceFault"],
  ])("is found out with %s", (_, planted, found) => {
    expect(untruths([...texts, planted], exported)).toContain(found);
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

  it("tells ids apart as the code does, and keeps the numbers that it says are kept", () => {
    const ids = ["1", '"1"', "1.0"].map((id) => {
      const frame = spine.parseFrame(
        `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
        spine.DEFAULT_FRAME_LIMIT,
      );
      if (!frame.ok || frame.value.message.kind !== "request") throw new Error("no request");
      return frame.value.message.id;
    });
    expect(ids.map(spine.requestIdText)).toEqual(["1", '"1"', "1.0"]);
    expect(new Set(ids.map(spine.requestIdKey)).size).toBe(3);
    const beyond = `${2n ** 53n + 1n}`;
    const kept = spine.parseExactJson(beyond, { duplicates: "refuse" });
    expect(kept.ok && spine.exactJsonText(kept.value)).toBe(beyond);
  });

  it.each(files)("leads from %s to files that are there", (file) => {
    for (const [, link = ""] of textOf(file).matchAll(/\]\(([^)]+)\)/g)) {
      expect(existsSync(join(SKILL, dirname(file), link))).toBe(true);
    }
  });

  it("leads to each of its references", () => {
    const links = Array.from(textOf("SKILL.md").matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
    expect([...new Set(links)].sort()).toEqual(files.slice(1).sort());
  });

  it("begins with what an agent looks for", () => {
    expect(textOf("SKILL.md")).toMatch(/^---\nname: mcp-bootstrap\ndescription: .{40,600}\n---\n/);
  });
});
