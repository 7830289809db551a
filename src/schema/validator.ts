import { analyseSchema, type AnalysisOptions } from "./analyse.ts";
import type { Dialect } from "./dialect.ts";
import type { SchemaFinding } from "./finding.ts";
import { judge, type Verdict } from "./judge.ts";
import { fail, ok, type Result } from "../result.ts";

export interface CompiledSchema {
  readonly dialect: Dialect;
  /** What is wrong with the schema without making it useless. */
  readonly findings: readonly SchemaFinding[];
  /** Judges a parsed JSON value. Never throws, does not change the value, and ends within the counted bounds of `limits.ts`. */
  validate(instance: unknown): Verdict;
}

/**
 * Makes a validator of a foreign schema, or says why its tool cannot be called. The schema is read once and neither kept nor
 * changed. Formats are annotations (JSON Schema 2020-12 validation §7.2.1): the upstream judges them.
 */
export function compileSchema(
  schema: unknown,
  options: AnalysisOptions = {},
): Result<CompiledSchema, SchemaFinding> {
  const { findings, dialect, usable } = analyseSchema(schema, options);
  const fatal = findings.find((finding) => finding.fatal);
  if (fatal !== undefined) return fail(fatal);
  if (usable === undefined) return fail({ code: "not_well_formed", path: "", fatal: true });
  const { prepared, meter } = usable;
  return ok({ dialect, findings, validate: (instance) => judge(instance, prepared, meter) });
}
