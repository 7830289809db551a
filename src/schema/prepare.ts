import type { Schema } from "@cfworker/json-schema";
import {
  SCHEMA_CEILING_BYTES,
  SCHEMA_CEILING_DEPTH,
  SCHEMA_CEILING_NODES,
  SCHEMA_ENUM_MAX_VALUES,
} from "../limits.ts";
import { assertionsOf } from "./assertions.ts";
import type { Dialect } from "./dialect.ts";
import { bareObject, isJsonArray, isRecord, type JsonObject, memberOf } from "../json.ts";
import { appendToken } from "./json-pointer.ts";
import { refStandsAlone, subschemas } from "./keywords.ts";
import { measure } from "./measure.ts";
import { compilePatterns, type SchemaPatterns } from "./schema-patterns.ts";
import type { PatternProgram } from "./pattern-program.ts";
import type { GraphNode, Report, SchemaGraph } from "./schema-graph.ts";
import type { WorkMeter } from "./work-meter.ts";

export type Prepared = Schema | boolean;

/** An object schema whose `patternProperties` are decided anew for each instance, from the names that occur in it. */
interface PatternObject {
  readonly node: Schema;
  readonly properties: Readonly<Record<string, Prepared>>;
  readonly patterns: readonly { readonly program: PatternProgram; readonly schema: Prepared }[];
}

/** A schema rebuilt for the validator: a fresh graph of objects that shares nothing with the document it came from. */
export interface PreparedSchema {
  readonly root: Prepared;
  /** Targets of `$ref` by the names given to them here. */
  readonly lookup: Record<string, Prepared>;
  /** Patterns by the name of the format that stands for each. */
  readonly formats: ReadonlyMap<string, PatternProgram>;
  readonly patternObjects: readonly PatternObject[];
  readonly asksUnique: boolean;
}

/** What dropping an uncheckable pattern could turn into a false refusal; without them, dropping can only allow more. */
const NOT_MONOTONE: ReadonlySet<string> = new Set([
  "not",
  "if",
  "then",
  "else",
  "maxContains",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Held schemas that are emitted with their own care, or that apply to nothing. */
const HANDLED: ReadonlySet<string> = new Set(["definitions", "$defs", "patternProperties", "dependencies"]);

/**
 * Rebuilds a resolved schema out of exactly the keywords that the validator must judge, each with a value of the right
 * type. Foreign text never reaches the validator's own reference, format and pattern handling: references are names given
 * here, `format` is an annotation, and a pattern is a format of ours, in the very place where it stood.
 */
export function prepareSchema(
  graph: SchemaGraph,
  meter: WorkMeter,
  lossy: boolean,
  report: Report,
): PreparedSchema {
  return new Preparation(graph, meter, lossy, report).run();
}

/** The validator's own type of schemas has no boolean where the standard has one. */
function setKeyword(schema: Schema, keyword: string, value: unknown): void {
  schema[keyword] = value;
}

export function schemaOf(keyword: string, value: unknown): Schema {
  const schema: Schema = {};
  setKeyword(schema, keyword, value);
  return schema;
}

class Preparation {
  private readonly graph: SchemaGraph;
  private readonly meter: WorkMeter;
  private readonly report: Report;
  private readonly patterns: SchemaPatterns;
  private readonly loose: boolean;
  private readonly made = new Map<JsonObject, Schema>();
  private readonly names = new Map<JsonObject, string>();
  private readonly lookup = bareObject<Prepared>();
  private readonly patternObjects: PatternObject[] = [];
  private asksUnique = false;

  constructor(graph: SchemaGraph, meter: WorkMeter, lossy: boolean, report: Report) {
    this.graph = graph;
    this.meter = meter;
    this.report = report;
    this.patterns = compilePatterns(graph, report);
    this.loose = lossy || this.patterns.unusable > 0;
  }

  run(): PreparedSchema {
    for (const schema of this.graph.nodes.keys()) {
      this.made.set(schema, {});
    }
    for (const node of this.graph.nodes.values()) {
      const made = this.made.get(node.schema);
      if (made !== undefined) this.fill(made, node);
    }
    return {
      root: this.prepared(this.graph.root),
      lookup: this.lookup,
      formats: this.patterns.formats,
      patternObjects: this.patternObjects,
      asksUnique: this.asksUnique,
    };
  }

  private prepared(schema: unknown): Prepared {
    if (isRecord(schema)) return this.made.get(schema) ?? true;
    if (schema !== false) return true;
    // A bare `false` is reported without a place of its own, and this is the same.
    return this.accounted(schemaOf("not", true));
  }

  private fill(made: Schema, node: GraphNode): void {
    const { dialect } = this.graph;
    const lone = refStandsAlone(dialect) && typeof memberOf(node.schema, "$ref") === "string";
    const weight = lone ? 0 : this.assertions(made, node, dialect);
    if (!lone) this.applicators(made, node);
    for (const [index, target] of node.targets.entries()) {
      const reference = this.reference(target);
      if (index === 0) made.$ref = reference;
      else made.allOf = [...(made.allOf ?? []), { $ref: reference }];
    }
    this.account(made, 1 + Math.floor(weight / 8));
  }

  private reference(target: unknown): string {
    if (!isRecord(target)) {
      const name = target === false ? "false" : "true";
      this.lookup[name] ??= this.prepared(target);
      return name;
    }
    const known = this.names.get(target);
    if (known !== undefined) return known;
    const name = `s${this.names.size}`;
    this.names.set(target, name);
    this.lookup[name] = this.prepared(target);
    return name;
  }

  /** Copies what the validator compares with. Returns how much there is to look at each time. */
  private assertions(made: Schema, node: GraphNode, dialect: Dialect): number {
    let weight = 0;
    for (const [keyword, check] of assertionsOf(dialect)) {
      const value = memberOf(node.schema, keyword);
      if (value === undefined) continue;
      if (!check(value)) {
        this.report("not_well_formed", appendToken(node.path, keyword), true);
        continue;
      }
      weight += this.assertion(made, node, keyword, value);
    }
    if (dialect === "4") exclusiveBounds(made, node.schema);
    return weight;
  }

  private assertion(made: Schema, node: GraphNode, keyword: string, value: unknown): number {
    switch (keyword) {
      case "pattern": {
        const format = typeof value === "string" ? this.patterns.formatOf(value) : undefined;
        if (format !== undefined) made.format = format;
        return 1;
      }
      case "uniqueItems":
        if (value === true) this.unique(made);
        return 0;
      case "enum":
      case "const":
        if (keyword === "enum" && isJsonArray(value) && value.length > SCHEMA_ENUM_MAX_VALUES) {
          this.report("enum_exceeded", appendToken(node.path, keyword), false);
        }
        setKeyword(made, keyword, structuredClone(value));
        return bytesOf(value) / 16;
      case "required":
      case "type":
        setKeyword(made, keyword, structuredClone(value));
        return isJsonArray(value) ? value.length : 1;
      case "dependentRequired":
        if (isRecord(value)) return this.dependentNames(made, value);
        return 0;
      default:
        if (typeof value === "number" && !(this.loose && NOT_MONOTONE.has(keyword))) made[keyword] = value;
        return 0;
    }
  }

  private dependentNames(made: Schema, value: JsonObject): number {
    const names = (made.dependentRequired ??= bareObject<string[]>());
    let weight = 0;
    for (const [name, wanted] of Object.entries(value)) {
      if (!isJsonArray(wanted)) continue;
      names[name] = wanted.filter((other) => typeof other === "string");
      weight += 1 + wanted.length;
    }
    return weight;
  }

  private applicators(made: Schema, node: GraphNode): void {
    let width = 0;
    for (const sub of subschemas(node.schema, this.graph.dialect)) {
      if (HANDLED.has(sub.keyword) || (this.loose && NOT_MONOTONE.has(sub.keyword))) continue;
      const schema = this.prepared(sub.schema);
      width += 1;
      if (sub.token === undefined) made[sub.keyword] = schema;
      else if (isJsonArray(node.schema[sub.keyword])) this.append(made, sub.keyword, schema);
      else this.enter(made, sub.keyword, sub.token, schema);
    }
    if (this.loose && made.oneOf !== undefined) {
      made.allOf = [...(made.allOf ?? []), this.accounted({ anyOf: made.oneOf })];
      delete made.oneOf;
    }
    const dependencies = refStandsAlone(this.graph.dialect)
      ? memberOf(node.schema, "dependencies")
      : undefined;
    if (isRecord(dependencies)) this.dependencies(made, dependencies);
    const patterns = memberOf(node.schema, "patternProperties");
    if (isRecord(patterns)) this.patternProperties(made, patterns);
    if (width > 8) this.accountExtra(made, width);
  }

  private readonly extra = new Map<Schema, number>();

  private accountExtra(made: Schema, width: number): void {
    this.extra.set(made, Math.floor(width / 8));
  }

  private append(made: Schema, keyword: string, schema: Prepared): void {
    const list: unknown = made[keyword];
    if (Array.isArray(list)) list.push(schema);
    else made[keyword] = [schema];
  }

  private enter(made: Schema, keyword: string, name: string, schema: Prepared): void {
    const known: unknown = made[keyword];
    const map = isRecord(known) ? known : bareObject<unknown>();
    Object.defineProperty(map, name, { value: schema, enumerable: true, configurable: true, writable: true });
    made[keyword] = map;
  }

  /** Draft 7's one keyword is two since 2019-09, and the validator mistakes names in the old one for keywords. */
  private dependencies(made: Schema, value: JsonObject): void {
    for (const [name, wanted] of Object.entries(value)) {
      if (isJsonArray(wanted)) this.dependentNames(made, { [name]: wanted });
      else this.enter(made, "dependentSchemas", name, this.prepared(wanted));
    }
  }

  private patternProperties(made: Schema, value: JsonObject): void {
    const patterns: { program: PatternProgram; schema: Prepared }[] = [];
    for (const [source, schema] of Object.entries(value)) {
      const program = this.patterns.programOf(source);
      if (program === undefined) delete made.additionalProperties;
      else patterns.push({ program, schema: this.prepared(schema) });
    }
    if (patterns.length > 0)
      this.patternObjects.push({ node: made, properties: made.properties ?? {}, patterns });
  }

  private accounted(made: Schema): Schema {
    this.account(made, 1);
    return made;
  }

  /** The validator reads this memberOf of a schema each time it applies it and never finds a use for it: there the work is counted. */
  private account(made: Schema, weight: number): void {
    const { meter } = this;
    const units = weight + (this.extra.get(made) ?? 0);
    Object.defineProperty(made, "__absolute_recursive_ref__", {
      get: () => {
        meter.spend(units + meter.surcharge);
      },
    });
  }

  private unique(made: Schema): void {
    const { meter } = this;
    this.asksUnique = true;
    Object.defineProperty(made, "uniqueItems", {
      get: () => {
        if (meter.duplicates) meter.spend(meter.pairwise);
        return meter.duplicates;
      },
    });
  }
}

function exclusiveBounds(made: Schema, schema: JsonObject): void {
  for (const [flag, bound] of [
    ["exclusiveMaximum", "maximum"],
    ["exclusiveMinimum", "minimum"],
  ] as const) {
    if (memberOf(schema, flag) !== true || made[bound] === undefined) continue;
    made[flag] = made[bound];
    delete made[bound];
  }
}

function bytesOf(value: unknown): number {
  const ceilings = { bytes: SCHEMA_CEILING_BYTES, depth: SCHEMA_CEILING_DEPTH, nodes: SCHEMA_CEILING_NODES };
  return measure(value, ceilings).bytes;
}
