import type { Dialect } from "./dialect.ts";
import type { SchemaFinding } from "./finding.ts";
import { judge } from "./judge.ts";
import { metaSchema } from "./meta-schemas.ts";
import { prepareSchema } from "./prepare.ts";
import type { PreparedSchema } from "./prepared-schema.ts";
import { buildGraph } from "./schema-graph.ts";
import { WorkMeter } from "./work-meter.ts";

type Part = "whole" | "assertions";

/** Made on first use: start-up time is counted, and most isolates meet one or two drafts. */
const compiled = new Map<string, { readonly schema: PreparedSchema; readonly meter: WorkMeter }>();

function compiledMeta(
  dialect: Dialect,
  part: Part,
): { readonly schema: PreparedSchema; readonly meter: WorkMeter } {
  const key = `${dialect} ${part}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const meter = new WorkMeter();
  const graph = buildGraph(metaSchema(dialect, part), dialect, () => {});
  const made = { schema: prepareSchema(graph, meter, false, () => {}), meter };
  compiled.set(key, made);
  return made;
}

/**
 * Holds a schema against its draft's meta-schema. Nothing wrong: no finding. Wrong only in what informs (a description
 * that is null): `annotation_malformed`, and the tool works. Otherwise `not_well_formed`, fatal, at the first place. The caller has bounded
 * the schema's size and depth; one that is within those and still takes too much work is `nodes_exceeded`, fatal.
 */
export function metaValidate(schema: unknown, dialect: Dialect): readonly SchemaFinding[] {
  const whole = check(schema, dialect, "whole");
  if (whole === undefined) return [];
  const asserting = check(schema, dialect, "assertions");
  if (asserting === undefined) return [{ code: "annotation_malformed", path: whole.path, fatal: false }];
  return [
    { code: asserting.guarded ? "nodes_exceeded" : "not_well_formed", path: asserting.path, fatal: true },
  ];
}

function check(
  schema: unknown,
  dialect: Dialect,
  part: Part,
): { readonly path: string; readonly guarded: boolean } | undefined {
  const meta = compiledMeta(dialect, part);
  const verdict = judge(schema, meta.schema, meta.meter, true);
  if (verdict.valid) return undefined;
  return { path: verdict.errors[0]?.path ?? "", guarded: verdict.guard !== undefined };
}
