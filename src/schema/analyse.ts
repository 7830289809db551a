import {
  SCHEMA_CEILING_BYTES,
  SCHEMA_CEILING_DEPTH,
  SCHEMA_CEILING_NODES,
  SCHEMA_FINDINGS_MAX_COUNT,
} from "../limits.ts";
import { boundedPath } from "./bounded-path.ts";
import { DEFAULT_DIALECT, type Dialect, readDialect } from "./dialect.ts";
import type { FindingCode, SchemaFinding } from "./finding.ts";
import { plainJson } from "../exact-json/plain.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { type Measure, measure } from "./measure.ts";
import { metaValidate } from "./meta-validate.ts";
import { prepareSchema } from "./prepare.ts";
import type { PreparedSchema } from "./prepared-schema.ts";
import { buildGraph, judgeComposition, type Report } from "./schema-graph.ts";
import { WorkMeter } from "./work-meter.ts";

export interface AnalysisOptions {
  /** What the schema describes: a call's arguments, which are an object always, or any value (an output). */
  readonly describes?: "arguments" | "value";
}

export interface Analysis {
  readonly findings: readonly SchemaFinding[];
  readonly dialect: Dialect;
  readonly measure: Measure;
  /** Absent when a finding is fatal. */
  readonly usable: { readonly prepared: PreparedSchema; readonly meter: WorkMeter } | undefined;
}

const CEILINGS = { bytes: SCHEMA_CEILING_BYTES, depth: SCHEMA_CEILING_DEPTH, nodes: SCHEMA_CEILING_NODES };

/** Drafts that a schema without `$schema` may turn out to be written in, the likeliest first. */
const GUESSES: readonly Dialect[] = ["7", "4"];

/**
 * Everything there is to know of a foreign schema, whatever it is: what is wrong with it, and the validator's form of it if
 * arguments can be judged by it. Never throws; the work is bounded by the ceilings, not by the schema.
 */
export function analyseSchema(given: unknown, options: AnalysisOptions): Analysis {
  const findings: SchemaFinding[] = [];
  const seen = new Set<string>();
  const report: Report = (code, path, fatal) => {
    if (!fatal && findings.length >= SCHEMA_FINDINGS_MAX_COUNT) return;
    const bounded = boundedPath(path);
    const key = `${code} ${bounded}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (findings.length < SCHEMA_FINDINGS_MAX_COUNT) findings.push({ code, path: bounded, fatal });
    else if (!findings.some((finding) => finding.fatal))
      findings.splice(-1, 1, { code, path: bounded, fatal });
  };
  const size = measure(given, CEILINGS);
  const done = (dialect: Dialect, usable?: Analysis["usable"]): Analysis => {
    const fatal = findings.some((finding) => finding.fatal);
    return { findings, dialect, measure: size, usable: fatal ? undefined : usable };
  };

  const unreadable = unreadableBecause(given, size, options);
  if (unreadable !== undefined) {
    report(unreadable, "", true);
    return done(DEFAULT_DIALECT);
  }
  // A schema's own numbers are bounds of doubles' size in every draft's practice; only what is judged is kept exactly.
  const schema = plainJson(given);
  const declared = readDialect(schema);
  if (!declared.ok) {
    report(declared.reason, "/$schema", true);
    return done(DEFAULT_DIALECT);
  }
  const dialect = settleDialect(schema, declared.value, report);
  if (findings.some((finding) => finding.fatal)) return done(dialect);
  if (options.describes !== "value") judgeTopLevel(schema, report);

  const meter = new WorkMeter();
  const graph = buildGraph(schema, dialect, report);
  judgeComposition(graph, report);
  const lossy = findings.some(({ code }) => code === "dynamic_ref_unsupported");
  const prepared = prepareSchema(graph, meter, lossy, report);
  return done(dialect, { prepared, meter });
}

function unreadableBecause(
  schema: unknown,
  size: Measure,
  options: AnalysisOptions,
): FindingCode | undefined {
  if (!size.complete) {
    if (size.bytes > CEILINGS.bytes) return "size_exceeded";
    return size.depth >= CEILINGS.depth ? "depth_exceeded" : "nodes_exceeded";
  }
  if (size.bytes > CEILINGS.bytes) return "size_exceeded";
  if (size.foreign) return "not_well_formed";
  if (isRecord(schema)) return undefined;
  return options.describes === "value" && typeof schema === "boolean" ? undefined : "not_well_formed";
}

/** Many servers write draft 7 and forget to say so. Where the default draft finds a mistake and an older one does not, the older one was meant. */
function settleDialect(schema: unknown, declared: Dialect, report: Report): Dialect {
  const problems = metaValidate(schema, declared);
  const mayGuess = isRecord(schema) && memberOf(schema, "$schema") === undefined;
  if (mayGuess && problems.some(({ fatal }) => fatal)) {
    for (const guess of GUESSES) {
      const others = metaValidate(schema, guess);
      if (others.some(({ fatal }) => fatal)) continue;
      report("dialect_guessed", "", false);
      for (const { code, path, fatal } of others) report(code, path, fatal);
      return guess;
    }
  }
  for (const { code, path, fatal } of problems) report(code, path, fatal);
  return declared;
}

/** MCP wants `type: "object"` at the top; a schema of anything else accepts no arguments, one that is silent accepts some. */
function judgeTopLevel(schema: unknown, report: Report): void {
  const type = isRecord(schema) ? memberOf(schema, "type") : undefined;
  if (type === "object" || (isJsonArray(type) && type.includes("object"))) return;
  if (type === undefined) report("top_level_type_missing", "", false);
  else report("top_level_not_object", "/type", true);
}
