import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonPath } from "../../../src/json-path/parse.ts";
import { queryJson } from "../../../src/json-path/query-json.ts";
import { planStreamedPath } from "../../../src/firewall/view/json-path-streamed.ts";
import type { View, ViewPlan, ViewProblem } from "../../../src/firewall/view/plan.ts";
import { readSelector, type Selector } from "../../../src/firewall/view/selector.ts";
import { planView } from "../../../src/firewall/view/view.ts";
import type { Result } from "../../../src/result.ts";
import { recordOf } from "../../support/fake-gateway.ts";
import { type Artifact, textArtifact, tryJson } from "./look.ts";

/**
 * Follows `next` with reads of a few bytes in place of megabytes, so that every token is cut somewhere: a plan is to make
 * the best of fewer bytes than it asked for, as it does of a large artifact's.
 */
function followShort(artifact: Artifact, first: Selector, readBytes: number): readonly View[] {
  const views: View[] = [];
  for (let selector: Selector | undefined = first; selector !== undefined;) {
    const plan = planOf(artifact, selector);
    if (!plan.ok) throw new Error(JSON.stringify(plan.reason));
    const { offset, length, finish } = plan.value;
    const shown = finish(artifact.bytes.slice(offset, offset + Math.min(length, readBytes)));
    if (!shown.ok && /^nothing matches|^the object has none/.test(shown.reason.problem)) return views;
    if (!shown.ok) throw new Error(`${JSON.stringify(selector)}: ${JSON.stringify(shown.reason)}`);
    views.push(shown.value);
    if (views.length > 5 * artifact.bytes.length + 10) throw new Error("it never ends");
    selector = shown.value.next;
    const again = selector === undefined ? undefined : readSelector(selector);
    if (again?.ok === false) throw new Error(`no selector: ${JSON.stringify(selector)}`);
  }
  return views;
}

/** A path is followed as in a large artifact. */
function planOf({ shape }: Artifact, selector: Selector): Result<ViewPlan, ViewProblem> {
  if (selector.type !== "json_path" || shape.lines === null) return planView(shape, selector);
  const query = parseJsonPath(selector.path);
  if (!query.ok) throw new Error(query.reason.problem);
  return planStreamedPath({ ...shape, lines: shape.lines }, selector, query.value);
}

const text = fc.string({
  unit: fc.constantFrom("a", "漢", "😀", '"', "\\", "\n", "{", "]", ",", " ", "\u0001"),
  maxLength: 12,
});
const name = fc.constantFrom("a", "b", "c", "é", '"', "x\\", "1");
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(0, -1.5e300, true, false, null, 1e21),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
}));
const container = value.filter((each) => typeof each === "object" && each !== null);
const reads = fc.integer({ min: 24, max: 120 });
const spaces = fc.constantFrom(0, 1, 4);

describe("what is read in short pieces", () => {
  it("has the same matches of a path, each shown once", () => {
    const step = fc.constantFrom(".a", ".b", ".c", "[0]", "[2]", "[*]", ".*", "['\"']", "['x\\\\']", "['1']");
    const path = fc.array(step, { maxLength: 3 }).map((steps) => `$${steps.join("")}`);
    fc.assert(
      fc.property(container, path, spaces, reads, (root, asked, indent, readBytes) => {
        const document = JSON.stringify(root, null, indent);
        const views = followShort(
          textArtifact(document, "application/json"),
          { type: "json_path", path: asked },
          readBytes,
        ).filter(({ text: shown }) => shown?.startsWith("no match in bytes") !== true);
        const found = queryJson(asked, JSON.parse(document));
        const expected = found.ok ? found.value.map((match) => JSON.stringify(match.value)) : [];
        // A view ends in the middle of a value or behind one, which its text alone does not tell.
        const shown = views.map((view) => (view.text ?? "").replaceAll("\n", "")).join("");
        expect(shown).toBe(expected.join(""));
      }),
      { numRuns: 1000 },
    );
  });

  it("has the same members of an object, each value shown once", () => {
    const object = fc.dictionary(name, value, { minKeys: 1, maxKeys: 6 });
    fc.assert(
      fc.property(
        object,
        fc.subarray(["a", "b", "c", "é", '"', "x\\", "1"], { minLength: 1 }),
        spaces,
        reads,
        (root, keys, indent, readBytes) => {
          const document = JSON.stringify(root, null, indent);
          const read = recordOf(JSON.parse(document));
          const here = Object.keys(read).filter((key) => keys.includes(key));
          const all = { type: "json_keys", keys } as const;
          const artifact = textArtifact(document, "application/json");
          fc.pre(here.length > 0);
          const views = followShort(artifact, all, readBytes);
          let open = "";
          const members: object = {};
          for (const view of views) {
            open += (view.text ?? "").replace(/\nnot there: .*$/, "");
            const parsed = tryJson(open);
            if (parsed === undefined) continue;
            Object.assign(members, parsed);
            open = "";
          }
          expect([open, members]).toEqual(["", Object.fromEntries(here.map((key) => [key, read[key]]))]);
          const missing = keys.filter((key) => !here.includes(key));
          const told = /\nnot there: (.*)$/.exec(views.at(-1)?.text ?? "")?.[1];
          expect(told).toBe(missing.length === 0 ? undefined : JSON.stringify(missing));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("has the same elements of an array, each shown once", () => {
    const element = value.filter((each) => JSON.stringify(each, null, 4).length < 60);
    fc.assert(
      fc.property(
        fc.array(element, { maxLength: 12 }),
        spaces,
        fc.integer({ min: 140, max: 300 }),
        (root, indent, readBytes) => {
          const artifact = textArtifact(JSON.stringify(root, null, indent), "application/json");
          fc.pre(
            artifact.bytes.length > 0 && !/^\[\s*\[[^]*\]\s*\n/.test(JSON.stringify(root, null, indent)),
          );
          const views = followShort(artifact, { type: "rows", start: 0 }, readBytes);
          expect(views.map((view) => view.text).join("")).toBe(
            root.map((each) => `${JSON.stringify(each)}\n`).join(""),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("has the same rows of a table, each shown once", () => {
    const field = fc.string({ unit: fc.constantFrom("a", "漢", '"', ",", "\n", "\r", " "), maxLength: 8 });
    const records = fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(records, fc.integer({ min: 140, max: 300 }), (data, readBytes) => {
        const quoted = (each: string) => `"${each.replaceAll('"', '""')}"`;
        const rows = data.map(([left, right], index) => `${index},${quoted(left)},${quoted(right)}\n`);
        const artifact = textArtifact(`id,left,right\n${rows.join("")}`, "text/csv");
        const views = followShort(artifact, { type: "rows", start: 0 }, readBytes);
        expect(views.map((view) => (view.text ?? "").replace(/^id,left,right\n/, "")).join("")).toBe(
          rows.join(""),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("has the same lines that match", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "漢", "😀", " "), maxLength: 20 });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.integer({ min: 90, max: 200 }),
        (lines, readBytes) => {
          const { bytes, shape } = textArtifact(lines.join("\n"));
          // Every line has its entry, so that no read is spent on what is before it.
          const lineIndex = lines.map((each) => `1.${(Buffer.byteLength(each) + 1).toString(36)}`).join(" ");
          const views = followShort(
            { bytes, shape: { ...shape, lineIndex } },
            { type: "grep", pattern: "b", context: 0, ignore_case: false },
            readBytes,
          );
          const found = views.flatMap((view) => (view.text ?? "").split("\n").slice(0, -1));
          expect(found).toEqual(
            lines.flatMap((each, index) => (each.includes("b") ? [`${index}: ${each}`] : [])),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
