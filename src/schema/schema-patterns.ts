import { PATTERN_COMPILE_MAX_STATES, SCHEMA_PATTERNS_MAX_STATES } from "../limits.ts";
import { isRecord, memberOf } from "../json.ts";
import { extendPath } from "./bounded-path.ts";
import { refStandsAlone } from "./keywords.ts";
import { compilePattern, type PatternProgram } from "./pattern-program.ts";
import type { Report, SchemaGraph } from "./schema-graph.ts";

/** All patterns of one schema, compiled. */
export interface SchemaPatterns {
  /** Programs of `pattern`, by the name that the prepared schema gives each as its `format`. */
  readonly formats: ReadonlyMap<string, PatternProgram>;
  readonly unusable: number;
  readonly states: number;
  formatOf(source: string): string | undefined;
  programOf(source: string): PatternProgram | undefined;
}

/** Compiles every `pattern` and every name in `patternProperties`. One that cannot be checked is reported, not fatal: it is left to the upstream. */
export function compilePatterns(graph: SchemaGraph, report: Report): SchemaPatterns {
  const programs = new Map<string, PatternProgram | undefined>();
  const names = new Map<string, string>();
  const formats = new Map<string, PatternProgram>();
  const work = { states: PATTERN_COMPILE_MAX_STATES };
  let states = 0;
  let unusable = 0;

  const compile = (source: string, path: string): PatternProgram | undefined => {
    if (programs.has(source)) return programs.get(source);
    const compiled = compilePattern(source, work);
    if (!compiled.ok) report(compiled.reason, path, false);
    const fits = compiled.ok && states + compiled.value.states <= SCHEMA_PATTERNS_MAX_STATES;
    if (compiled.ok && fits) states += compiled.value.states;
    else if (compiled.ok) report("pattern_unsupported", path, false);
    if (compiled.ok && fits && !compiled.value.unicode) report("pattern_legacy", path, false);
    const program = compiled.ok && fits ? compiled.value : undefined;
    if (program === undefined) unusable += 1;
    programs.set(source, program);
    return program;
  };

  for (const { schema, path } of graph.nodes.values()) {
    if (refStandsAlone(graph.dialect) && typeof memberOf(schema, "$ref") === "string") continue;
    const pattern = memberOf(schema, "pattern");
    if (typeof pattern === "string") {
      const program = compile(pattern, extendPath(path, "pattern"));
      if (program !== undefined && !names.has(pattern)) {
        const name = `loomgate-pattern-${names.size}`;
        names.set(pattern, name);
        formats.set(name, program);
      }
    }
    const properties = memberOf(schema, "patternProperties");
    if (!isRecord(properties)) continue;
    for (const source of Object.keys(properties))
      compile(source, extendPath(extendPath(path, "patternProperties"), source));
  }
  return {
    formats,
    unusable,
    states,
    formatOf: (source) => names.get(source),
    programOf: (source) => programs.get(source),
  };
}
