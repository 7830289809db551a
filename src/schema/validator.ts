import { analyseSchema, type AnalysisOptions } from "./analyse.ts";
import type { Dialect } from "./dialect.ts";
import type { SchemaFinding } from "./finding.ts";
import { judge, type Verdict } from "./judge.ts";
import { fail, ok, type Result } from "../result.ts";

export interface CompiledSchema {
  readonly dialect: Dialect;
  /** What is wrong with the schema without making it useless. */
  readonly findings: readonly SchemaFinding[];
  /** States of its compiled patterns: what it takes in memory beside what its source says. */
  readonly patternStates: number;
  /** Judges a parsed JSON value, in which numbers may be `ExactNumber`s. Never throws, does not change the value, and ends within the counted bounds of `limits.ts`. */
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
  const { patternStates } = prepared;
  return ok({ dialect, findings, patternStates, validate: (instance) => judge(instance, prepared, meter) });
}
