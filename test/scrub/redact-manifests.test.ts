import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);

describe("a manifest of a secret in YAML", () => {
  it.each([
    [
      "behind its kind",
      "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  user: YWRh\n  url: cG9z\ntype: Opaque\n",
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  user: ${MARK}\n  url: ${MARK}\ntype: Opaque\n`,
    ],
    [
      "before it, with a block",
      'stringData:\n  a: "b c"\n  conf: |\n    x = 1\n    y = 2\n  d: e\nkind: "Secret"\n',
      `stringData:\n  a: "${MARK}"\n  conf: |\n    ${MARK}\n    ${MARK}\n  d: ${MARK}\nkind: "Secret"\n`,
    ],
    [
      "in a list",
      "items:\n- apiVersion: v1\n  data:\n    a: YWRh\n  kind: Secret\n- data:\n    a: b\n  kind: ConfigMap\n",
      `items:\n- apiVersion: v1\n  data:\n    a: ${MARK}\n  kind: Secret\n- data:\n    a: b\n  kind: ConfigMap\n`,
    ],
    [
      "beside another",
      "kind: ConfigMap\ndata:\n  a: b\n---\r\nkind: Secret\r\ndata:\r\n  a: YWRh\r\n",
      `kind: ConfigMap\ndata:\n  a: b\n---\r\nkind: Secret\r\ndata:\r\n  a: ${MARK}\r\n`,
    ],
  ])("loses its data: %s", (_, text, clean) => {
    expect(redactor?.text(text).text).toBe(clean);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
  });

  it.each([
    "kind: ConfigMap\ndata:\n  a: b\n",
    "kind: SecretStore\ndata:\n  a: b\n",
    "kind: Secret\nmetadata:\n  name: x\n",
    "data:\n  a: b\n---\nkind: Secret\n",
  ])("is none, or holds none: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });

  it.each([
    ["between its data and its kind", "", "data:\n  a: h1\n", "kind: Secret\n"],
    ["in a block of its data", "  ", "data:\n  a: h1\n  b: |\n", "kind: Secret\n"],
    ["before its kind", "", "apiVersion: v1\n", "kind: Secret\ndata:\n  a: h1\n"],
    [
      "before its kind, in a list",
      "  ",
      "items:\n- apiVersion: v1\n",
      "  kind: Secret\n  data:\n    a: h1\n",
    ],
    ["behind its kind", "", "kind: Secret\n", "data:\n  a: h1\n"],
    ["behind its data", "", "kind: Secret\ndata:\n  a: h1\n", "type: Opaque\n"],
  ])("loses its data beside a line of any length: %s", (_, indent, before, behind) => {
    for (const length of [50, 5_000, 100_000]) {
      const lines = ["metadata:", "  annotations:", `    last-applied: ${"x".repeat(length)}`, ""];
      const annotation = lines.map((line) => (line === "" ? "" : indent + line)).join("\n");
      const text = `${before}${annotation}${behind}`;
      expect(redactor?.text(text).text).toContain(`a: ${MARK}`);
      expect(redactor?.text(text).text).not.toContain("h1");
      const stream = redactor?.stream();
      expect(`${stream?.push(text)}${stream?.end()}`).toBe(redactor?.text(text).text);
    }
  });

  it("waits for its kind with all that a secret may hold in lines, and not with a million empty ones", () => {
    const block = `stringData:\n  a: |\n${`    ${"h".repeat(64)}\n`.repeat(21_846)}kind: Secret\n`;
    expect(redactor?.text(block).text).not.toContain("hh");
    const stream = redactor?.stream();
    const given = stream?.push(`data:\n  a: b\n${"\n".repeat(400_000)}`) ?? "";
    expect(given).toContain("a: b");
    expect((given + (stream?.end() ?? "")).length).toBe(400_013);
  });

  it("is redacted once, whatever stands in it, and read in time that grows with its length", () => {
    const piece = fc.constantFrom(
      ..."kind: Secret\n|data:\n|  a: b\n|  c: >-\n|    x\n|- |  |---\n|stringData:\n|  d: 'e'\n|\n".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const once = redactor?.text(`kind: Secret\n${pieces.join("")}`).text ?? "";
        expect(redactor?.text(once)).toEqual({ text: once, count: 0 });
      }),
      { numRuns: 500 },
    );
    for (const unit of ["kind: Secret\n", "- kind: Secret\n", "data:\n  a: b\n", " a: b\n"])
      expect(redactor?.text(`kind: Secret\n${unit.repeat(50_000)}`).text).toContain("kind");
  });
});
