import type { Schema } from "@cfworker/json-schema";
import type { PatternObject } from "./pattern-properties.ts";
import type { PatternProgram } from "./pattern-program.ts";
import type { ValueRules } from "./value-rules.ts";

export type Prepared = Schema | boolean;

/** A schema rebuilt for the validator: a fresh graph of objects that shares nothing with the document it came from. */
export interface PreparedSchema {
  readonly root: Prepared;
  /** Targets of `$ref` by the names given to them here. */
  readonly lookup: Record<string, Prepared>;
  /** Patterns by the name of the format that stands for each. */
  readonly formats: ReadonlyMap<string, PatternProgram>;
  /** States of all compiled patterns: what they take in memory. */
  readonly patternStates: number;
  readonly patternObjects: readonly PatternObject[];
  /** What each schema asks of single values, for numbers that the validator cannot hold. */
  readonly valueRules: readonly ValueRules[];
  readonly asksUnique: boolean;
}

/** The validator's own type of schemas has no boolean where the standard has one. */
export function setKeyword(schema: Schema, keyword: string, value: unknown): void {
  schema[keyword] = value;
}

export function schemaOf(keyword: string, value: unknown): Schema {
  const schema: Schema = {};
  setKeyword(schema, keyword, value);
  return schema;
}
