import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted, grouped } from "../../../src/firewall/summary/cut.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";

const hash = fc.stringMatching(/^[0-9a-f]{40}$/);
const author = fc.constantFrom("Ada Byron", "Grace", "李雷", "commit Author: <x>");
const subject = fc.constantFrom(
  "fix: it",
  "commit abcdef1234567",
  "Merge branch 'a'",
  "2 files changed",
  "kept x",
);
const commit = fc.record({
  hash,
  author,
  subject,
  isMerge: fc.boolean(),
  body: fc.constantFrom("", "commit 0123456789abcdef\n    Author: nobody <n@o>\n"),
  stat: fc.option(
    fc.record({ files: fc.integer({ min: 1, max: 9 }), added: fc.nat(2_000), removed: fc.nat(2_000) }),
    {
      nil: undefined,
    },
  ),
});
type Commit = typeof commit extends fc.Arbitrary<infer Value> ? Value : never;

const linesOf = (line: (at: number) => string) => Array.from({ length: 90 }, (_, at) => line(at)).join("\n");

const some = (count: number, what: string, sign: string) =>
  count === 0 ? "" : `, ${count} ${what}${count === 1 ? "" : "s"}(${sign})`;

/** As `git log --shortstat` prints it. */
function printed(
  { hash: id, author: name, subject: words, isMerge, body, stat }: Commit,
  index: number,
): string {
  const merge = isMerge ? "Merge: 1234567 89abcde\n" : "";
  const rest = body === "" ? "" : `    \n    ${body}`;
  const sums =
    stat === undefined
      ? ""
      : `\n ${stat.files} file${stat.files === 1 ? "" : "s"} changed${some(stat.added, "insertion", "+")}${some(stat.removed, "deletion", "-")}\n`;
  return `commit ${id}\n${merge}Author: ${name} <a@b.c>\nDate:   Mon Jun ${index + 1} 10:00:00 2025 +0200\n\n    ${words}\n${rest}${sums}\n`;
}

describe("the summary of git's log", () => {
  it("counts commits, merges, authors and changed lines as they are", () => {
    fc.assert(
      fc.property(fc.array(commit, { minLength: 2, maxLength: 30 }), (commits) => {
        const { kind, text } = summarise(commits.map(printed).join(""));
        const merges = commits.filter(({ isMerge }) => isMerge).length;
        const stats = commits.flatMap(({ stat }) => (stat === undefined ? [] : [stat]));
        const sum = (of: (stat: (typeof stats)[number]) => number) =>
          stats.reduce((total, stat) => total + of(stat), 0);
        expect(kind).toBe("commits");
        expect(text).toContain(
          `Git log of ${commits.length} commits${merges === 0 ? "" : `, ${merges} of them merges`}; `,
        );
        const [first] = commits;
        const own = commits.filter(({ author: name }) => name === first?.author).length;
        expect(text).toContain(`${first?.author} ${own}`);
        const changed = `${counted(
          sum(({ files }) => files),
          "file",
        )}, +${grouped(sum(({ added }) => added))} -${grouped(sum(({ removed }) => removed))}`;
        expect(text.includes(changed)).toBe(stats.length > 0);
        expect(text).toContain(`\n0 ${first?.hash} ${first?.subject}\n`);
        expect(text).toContain(`\nlast: `);
      }),
      { numRuns: 60 },
    );
  });

  it("knows commits one a line, with a graph and names of branches", () => {
    const id = (index: number) => String((7_654_321 * (index + 1)) % 10_000_000).padStart(7, "0");
    const lines = Array.from({ length: 30 }, (_, index) => `* ${id(index)} (HEAD -> a) fix: ${index}`);
    const { kind, text } = summarise(`${lines.slice(0, 9).join("\n")}\n|\\ \n${lines.slice(9).join("\n")}\n`);
    expect(kind).toBe("commits");
    expect(text).toMatch(
      /^Git log of 30 commits, one a line, numbered from 0\n0 7654321 \(HEAD -> a\) fix: 0\n/,
    );
    expect(text).toContain(`\nlast: 30 ${id(29)} `);
  });

  it.each([
    "bf6619fd (Ada 2025-01-11 10:00:00 +0200 1) const a = 0;\n".repeat(9),
    "d41d8cd98f00b204e9800998ecf8427e  a.txt\n".repeat(9),
    "defaced people walk\n".repeat(9),
    "commit 0123456789abcdef\nis what they said\n".repeat(9),
    "12345678 rows of data\nand some more words\n".repeat(9),
    linesOf((at) => `${(16 * at).toString(16).padStart(7, "0")} 457f 464c 0102 0001`),
    "d3dcced HEAD@{0}: pull (finish)\n15926aa HEAD@{1}: commit: x\n71c9f02 HEAD@{2}: commit: y\nd3dcced HEAD@{3}: reset: z\n0c1e2d3 HEAD@{4}: commit: a\n",
    linesOf((at) => `ffffffff81${(4096 * at).toString(16).padStart(6, "0")} T symbol_${at}`),
    linesOf((at) => `${((2_654_435_761 * (at + 1)) % 2 ** 32).toString(16).padStart(8, "0")} file-${at}.txt`),
  ])("is none of %j", (text) => {
    expect(summarise(text).kind).not.toBe("commits");
  });
});

describe("the summary of a plan", () => {
  const actions = ["will be created", "will be updated in-place", "will be destroyed", "must be replaced"];
  const resources = Array.from({ length: 40 }, (_, index) => `aws_instance.web["a b ${index}"]`);
  const plan = [
    ...resources.map((name) => `${name}: Refreshing state... [id=i-1]`),
    "",
    "Terraform used the selected providers to generate the following execution",
    "Terraform will perform the following actions:",
    ...resources.flatMap((name, index) => [
      "",
      `  # ${name} ${actions[index % 4] ?? ""}`,
      ...(index === 2 ? ["  # (because it is not in configuration)"] : []),
      `  ~ resource "aws_instance" "web" {`,
      "        # (28 unchanged attributes hidden)",
      "    }",
    ]),
    "",
    "Plan: 20 to add, 10 to change, 20 to destroy.",
    "",
  ];

  it("says what becomes of how many resources, the sum, and which with their lines, in colours too", () => {
    for (const text of [plan.join("\n"), plan.map((line) => `\u001b[1m${line}\u001b[0m`).join("\n")]) {
      const { kind, text: summary, views } = summarise(text);
      expect(kind).toBe("plan");
      expect(summary).toContain(
        `line ${plan.findIndex((line) => line.startsWith("Plan:"))}: Plan: 20 to add, 10 to change, 20 to destroy.`,
      );
      expect(summary).toContain(actions.map((action) => `${action} 10`).join(", "));
      expect(summary).toContain(
        `\n${plan.indexOf(`  # ${resources[0] ?? ""} will be created`)} ${resources[0] ?? ""} will be created\n`,
      );
      expect(views[0]?.selector).toMatchObject({ type: "grep" });
    }
  });

  it("tells of errors, and leaves alone what is no plan", () => {
    const text = `${plan.slice(0, 10).join("\n")}\n╷\n│ Error: no credentials\n│ \n╵\n│ Error: again\n`;
    expect(summarise(text).text).toContain("; 2 errors\nfirst error, 11: no credentials");
    expect(summarise("Error: it broke\nPlan: none\n".repeat(200)).kind).not.toBe("plan");
  });
});
