import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { likelyIds } from "../../../src/catalog/reader/similar.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import { listedName } from "../../../src/identity/listed-name.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../../../src/limits.ts";
import { validateSelection } from "../../../src/routing/selection/validate-selection.ts";

const idOf = (bare: string) => `${bare}#${sha256Hex(bare).slice(0, 8)}`;
const IDS = [
  "github:create_issue",
  "github:create_issue_comment",
  "github:create_pull_request",
  "github:create_branch",
  "github:create_repository",
  "github:get_me",
  "github:listIssues",
  "files:read_file",
  "files:send_fax",
  "files:move",
  "memory:create_entities",
  "notes:move",
].map(idOf);

const offered = (asked: string, count = DID_YOU_MEAN_MAX_COUNT) =>
  likelyIds(asked, IDS, count).map((id) => id.split("#")[0]);

describe("what an unknown id is answered with", () => {
  it.each([
    // White space, case, and a beginning that one id alone has: as the selection contract repairs them.
    [` ${idOf("files:move")}\n`, ["files:move", "notes:move"]],
    ["FILES:MOVE#00000000", ["files:move", "notes:move"]],
    ["files:read", ["files:read_file"]],
    // The hash or the version of another time.
    ["github:create_issue#00000000", ["github:create_issue", "github:create_issue_comment"]],
    ["github:create_issue@2.0", ["github:create_issue", "github:create_issue_comment"]],
    ["github:create_issue", ["github:create_issue", "github:create_issue_comment"]],
    [listedName("github:create_branch#00000000"), ["github:create_branch"]],
    // Other separators and case.
    ["github.createIssue", ["github:create_issue"]],
    ["github__list-issues", ["github:listIssues"]],
    ["github/get_me", ["github:get_me"]],
    ["mcp__github__create_branch", ["github:create_branch"]],
    ["mcp__github__creat_branch", ["github:create_branch"]],
    ["mcp__notes__move", ["notes:move"]],
    // The namespace left out, or another's.
    ["create_branch", ["github:create_branch"]],
    ["gitlab:create_branch", ["github:create_branch"]],
    ["move", ["files:move", "notes:move"]],
    // Slips, in the name and in the namespace.
    ["github:creat_branhc#00000000", ["github:create_branch"]],
    ["memory:create_entitys#00000000", ["memory:create_entities"]],
    ["githb:create_branch", ["github:create_branch"]],
    ["create_brunch", ["github:create_branch"]],
    // The words in another order, one for many, and something added.
    ["github:issue_list", ["github:listIssues"]],
    ["files:file_reads", ["files:read_file"]],
    ["memory:create_entities_batch", ["memory:create_entities"]],
    ["github:create_issue_comments_now", ["github:create_issue_comment", "github:create_issue"]],
  ])("%j is likely %j", (asked, ids) => {
    expect(offered(asked)).toEqual(ids);
  });

  it.each([
    "",
    "   ",
    "#aea9ce2a",
    "::::",
    "weather:get_forecast",
    "github:delete_everything#00000000",
    "github:drop",
    // Too short for a slip: another name.
    "github:get_it",
    // A verb that many share.
    "github:create",
    "create",
    "github:",
    "/github/issues",
    "日本語",
    "_",
    "\ud800\0",
    "__proto__",
    "<|endoftext|>",
    "x".repeat(100_000),
    "github:create_issue".repeat(10_000),
  ])("%s is near nothing", (asked) => {
    expect(offered(asked)).toEqual([]);
  });

  it("a beginning is shown with all that have it, or not at all", () => {
    expect(offered("github:create", 5)).toEqual([
      "github:create_issue",
      "github:create_branch",
      "github:create_repository",
      "github:create_pull_request",
      "github:create_issue_comment",
    ]);
    expect(offered("github:create", 4)).toEqual([]);
  });

  it("is as many as are wanted, each once", () => {
    for (const count of [0, 1, 2, -1]) {
      expect(offered("move", count)).toHaveLength(Math.max(0, count));
    }
  });
});

const word = fc.constantFrom(
  "get",
  "set",
  "list",
  "create",
  "delete",
  "issue",
  "file",
  "user",
  "v2",
  "a",
  "b",
);
const bareId = fc
  .tuple(
    fc.constantFrom("github", "gitlab", "git", "files", "a"),
    fc.array(word, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("_", "-", "."),
  )
  .map(([namespace, words, separator]) => `${namespace}:${words.join(separator)}`);
const catalog = fc.uniqueArray(bareId, { minLength: 1, maxLength: 60 }).map((ids) => ids.map(idOf));

interface Slip {
  readonly kind: "left out" | "added" | "replaced" | "swapped";
  readonly at: number;
  readonly letter: string;
}

const slip: fc.Arbitrary<Slip> = fc.record({
  kind: fc.constantFrom("left out", "added", "replaced", "swapped"),
  at: fc.nat(),
  letter: fc.constantFrom("a", "z", "Q", "0", "_", " ", ":", "#", "é", "\ud800"),
});

function slipped(id: string, { kind, at, letter }: Slip): string {
  const place = at % id.length;
  const [before, after] = [id.slice(0, place), id.slice(place + 1)];
  const own = id.charAt(place);
  switch (kind) {
    case "left out":
      return before + after;
    case "added":
      return before + letter + own + after;
    case "replaced":
      return before + letter + after;
    case "swapped":
      return before + after.slice(0, 1) + own + after.slice(1);
  }
}

describe("in any catalog", () => {
  it("one slip anywhere in an id has the id among the three", () => {
    fc.assert(
      fc.property(catalog, fc.nat(), slip, (ids, pick, how) => {
        const meant = ids[pick % ids.length] ?? "";
        expect(likelyIds(slipped(meant, how), ids, DID_YOU_MEAN_MAX_COUNT)).toContain(meant);
      }),
      { numRuns: 2_000 },
    );
  });

  it("a tool whose schema changed is found by its old id", () => {
    fc.assert(
      fc.property(catalog, fc.nat(), (ids, pick) => {
        const meant = ids[pick % ids.length] ?? "";
        const old = meant.replace(/#.*$/, "#ffffffff");
        const found = likelyIds(old, ids, DID_YOU_MEAN_MAX_COUNT);
        const letters = (id: string) => (id.split("#")[0] ?? "").replaceAll(/[-_.]/g, "");
        // Names that differ by their separators alone are each other's equals here.
        const equals = ids.filter((id) => letters(id) === letters(meant));
        expect(equals.length > DID_YOU_MEAN_MAX_COUNT || found.includes(meant)).toBe(true);
      }),
    );
  });

  it("a random text gives nothing", () => {
    // Without the marks of an id: what stands before a mark may be a short name, and is then rightly meant.
    const letters = fc.constantFrom(...Array.from("jkqvwxyz0123456789_"));
    fc.assert(
      fc.property(catalog, fc.string({ unit: letters, minLength: 14, maxLength: 60 }), (ids, asked) => {
        expect(likelyIds(asked, ids, DID_YOU_MEAN_MAX_COUNT)).toEqual([]);
      }),
    );
  });

  it("any text gives some of the ids, each once, and first what a selection would be repaired to", () => {
    const asked = fc.oneof(
      fc.string({ unit: "binary" }),
      bareId,
      word,
      fc.constantFrom("git", "GIT", "a:", " a"),
    );
    fc.assert(
      fc.property(catalog, asked, (ids, text) => {
        const found = likelyIds(text, ids, DID_YOU_MEAN_MAX_COUNT);
        expect(found.length).toBeLessThanOrEqual(DID_YOU_MEAN_MAX_COUNT);
        expect(new Set(found).size).toBe(found.length);
        for (const id of found) expect(ids).toContain(id);
        const { selected_id: repaired } = validateSelection(ids, text, { repair: true });
        expect(found[0]).toBe(repaired ?? found[0]);
        expect(likelyIds(text, ids.toReversed(), DID_YOU_MEAN_MAX_COUNT)).toEqual(found);
      }),
    );
  });
});
