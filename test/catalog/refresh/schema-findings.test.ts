import { describe, expect, it } from "vitest";
import { createValidatorCache } from "../../../src/schema/validator-cache.ts";
import { RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";
const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });

/** Schemas by the finding that each should be reported with; none for one in order. */
const FLAWED: Readonly<Record<string, object>> = {
  dialect_guessed: object({ a: { minimum: 1, exclusiveMinimum: true } }),
  dynamic_ref_unsupported: object(
    { a: { $dynamicRef: "#n" } },
    { $defs: { one: { $dynamicAnchor: "n" }, two: { $id: "two", $dynamicAnchor: "n" } } },
  ),
  pattern_invalid: object({ a: { pattern: "(" } }),
  pattern_unsupported: object({ a: { pattern: "(a)\\1" } }),
  pattern_legacy: object({ a: { pattern: "\\-" } }),
  annotation_malformed: object({}, { description: null }),
  top_level_type_missing: { properties: {} },
  properties_exceeded: object(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, {}]))),
};
const BROKEN: Readonly<Record<string, object>> = {
  not_well_formed: object({ a: { type: "strng" } }),
  unsupported_dialect: object({}, { $schema: "https://x.example/schema" }),
  external_ref: object({ a: { $ref: "https://x.example/schema" } }),
  unresolved_ref: object({ a: { $ref: "#/$defs/nowhere" } }),
  ref_cycle: { type: "object", $ref: "#" },
  chain_exceeded: chained(100),
  composition_exceeded: doubled(20),
  nodes_exceeded: object({ a: { enum: Array.from({ length: 70_000 }, (_, at) => at) } }),
  top_level_not_object: { type: "string" },
};
const LIMITS = { max_properties: 8, max_depth: 200, max_bytes: 1_000_000 };
const GOOD = tool("good", { inputSchema: object({ a: { type: "string" } }, { $schema: draft7 }) });

function chained(levels: number): object {
  const $defs: Record<string, object> = { l0: {} };
  for (let level = 1; level <= levels; level += 1) $defs[`l${level}`] = { $ref: `#/$defs/l${level - 1}` };
  return object({}, { $defs });
}

function doubled(levels: number): object {
  const $defs: Record<string, object> = { l0: {} };
  for (let level = 1; level <= levels; level += 1) {
    const below = { $ref: `#/$defs/l${level - 1}` };
    $defs[`l${level}`] = { anyOf: [below, below] };
  }
  return object({}, { $defs });
}

async function refreshed(onInvalid: "flag" | "reject", tools: readonly unknown[]) {
  const settings = settingsOf({ hub: {} }, { schema_limits: { ...LIMITS, on_invalid: onInvalid } });
  const { servers, changed } = await new RefreshRig().refresh(settings, { hub: tools });
  const [server] = servers;
  if (server === undefined) throw new Error("no report");
  return { ...server, changed };
}

const toolsOf = (schemas: Readonly<Record<string, object>>): unknown[] =>
  Object.entries(schemas).map(([code, inputSchema]) => tool(code, { inputSchema }));
const reported = (schemas: Readonly<Record<string, object>>): unknown[] =>
  Object.keys(schemas).map((code) => ({ tool: code, code }));

describe("a refresh of foreign schemas", () => {
  it("keeps every tool where schemas are flagged, and reports each flaw by its code", async () => {
    const report = await refreshed("flag", [GOOD, ...toolsOf(FLAWED), ...toolsOf(BROKEN)]);
    expect(report.tools).toBe(1 + Object.keys(FLAWED).length + Object.keys(BROKEN).length);
    expect(report.skipped).toEqual([]);
    expect(report.findings).toEqual([...reported(FLAWED), ...reported(BROKEN)]);
  });

  it("leaves out what cannot be called and what exceeds a limit where schemas are rejected, and that alone", async () => {
    const report = await refreshed("reject", [GOOD, ...toolsOf(FLAWED), ...toolsOf(BROKEN)]);
    const rejected = ["properties_exceeded", ...Object.keys(BROKEN)];
    expect(report.skipped).toEqual(rejected.map((name) => ({ name, reason: "schema_invalid" })));
    expect(report.tools).toBe(Object.keys(FLAWED).length);
    expect(report.findings).toEqual([...reported(FLAWED), ...reported(BROKEN)]);
    expect(report.changed).toBe(true);
  });

  it("flags a tool that cannot be called, as calling it will say, and no other", () => {
    for (const [code, schema] of Object.entries(BROKEN)) {
      const compiled = createValidatorCache().compile(code, schema, 100);
      expect(compiled.ok ? "usable" : compiled.reason.code).toBe(code);
    }
    for (const [code, schema] of Object.entries(FLAWED)) {
      expect({ code, ok: createValidatorCache().compile(code, schema, 100).ok }).toEqual({ code, ok: true });
    }
  });

  it.each(["flag", "reject"] as const)(
    "leaves out what has no legal name whatever its schema, under %s",
    async (onInvalid) => {
      const report = await refreshed(onInvalid, [
        tool("1\u0000st", { inputSchema: BROKEN["ref_cycle"] }),
        GOOD,
      ]);
      expect(report.skipped).toEqual([{ name: "1 st", reason: "bad_name" }]);
      expect(report.tools).toBe(1);
    },
  );
});
