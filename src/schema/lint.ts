import type { SchemaLimits } from "../config.ts";
import { analyseSchema, type AnalysisOptions } from "./analyse.ts";
import type { Dialect } from "./dialect.ts";
import type { FindingCode, SchemaFinding } from "./finding.ts";

/** A schema's health, as ingest records it (seed 000 §4.4). */
export interface SchemaReport {
  readonly findings: readonly SchemaFinding[];
  readonly dialect: Dialect;
  /** False when a finding is fatal: executing the tool is SCHEMA_INVALID. */
  readonly usable: boolean;
  /** True when the configuration refuses such a schema (`on_invalid: "reject"`): its tool is left out, that tool alone. */
  readonly rejected: boolean;
  readonly measure: { readonly bytes: number; readonly depth: number; readonly properties: number };
}

/** What `on_invalid: "reject"` refuses besides what is fatal: a schema beyond the configured limits. */
const LIMIT_CODES: ReadonlySet<FindingCode> = new Set([
  "size_exceeded",
  "depth_exceeded",
  "properties_exceeded",
]);

/**
 * Inspects a foreign schema once, at ingest: its size (bytes of compact JSON), nesting (containers, the root's being 0)
 * and number of `properties` against the configured limits, and everything that could mislead or stop the validator. Beyond a
 * configured limit a schema is flagged and works; beyond the fixed ceilings it is fatal. Never throws, whatever the schema is.
 */
export function lintSchema(
  schema: unknown,
  limits: SchemaLimits,
  options: AnalysisOptions = {},
): SchemaReport {
  const analysis = analyseSchema(schema, options);
  const { bytes, depth, properties } = analysis.measure;
  const exceeded: readonly (readonly [FindingCode, boolean])[] = [
    ["size_exceeded", bytes > limits.max_bytes],
    ["depth_exceeded", depth > limits.max_depth],
    ["properties_exceeded", properties > limits.max_properties],
  ];
  const flagged = exceeded
    .filter(([code, is]) => is && !analysis.findings.some((finding) => finding.code === code))
    .map(([code]): SchemaFinding => ({ code, path: "", fatal: false }));
  const findings = [...flagged, ...analysis.findings];
  const usable = analysis.usable !== undefined;
  const healthy = usable && !findings.some(({ code }) => LIMIT_CODES.has(code));
  return {
    findings,
    dialect: analysis.dialect,
    usable,
    rejected: limits.on_invalid === "reject" && !healthy,
    measure: { bytes, depth, properties },
  };
}
