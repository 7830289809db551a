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
import { extendPath } from "./bounded-path.ts";
import { refStandsAlone, subschemas } from "./keywords.ts";
import { measure } from "./measure.ts";
import type { PatternObject } from "./pattern-properties.ts";
import type { PatternProgram } from "./pattern-program.ts";
import { type Prepared, type PreparedSchema, schemaOf, setKeyword } from "./prepared-schema.ts";
import { compilePatterns, type SchemaPatterns } from "./schema-patterns.ts";
import { COUNTED_TEXT } from "./text-checks.ts";
import { type ValueRules, valueRulesOf } from "./value-rules.ts";
import type { GraphNode, Report, SchemaGraph } from "./schema-graph.ts";
import type { WorkMeter } from "./work-meter.ts";

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

/** Members looked at in the time of one unit. */
const UNIT = 8;

interface Weight {
  /** What the validator looks at each time. */
  readonly weight: number;
  /** Objects and arrays among what it compares with. */
  readonly containers: number;
}

const NO_WEIGHT: Weight = { weight: 0, containers: 0 };
/** Names that the engine lists in the time of one unit. */
const NAMES_PER_UNIT = 128;

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
  private readonly valueRules: ValueRules[] = [];
  private readonly extra = new Map<Schema, number>();
  private asksUnique = false;
  private anything: Schema | undefined;

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
      patternStates: this.patterns.states,
      patternObjects: this.patternObjects,
      valueRules: this.valueRules,
      asksUnique: this.asksUnique,
    };
  }

  private prepared(schema: unknown): Prepared {
    if (isRecord(schema)) return this.made.get(schema) ?? this.allowed();
    if (schema !== false) return this.allowed();
    // A bare `false` is reported without a place of its own, and this is the same.
    return this.accounted(schemaOf("not", true));
  }

  /** The validator takes `true` for nothing at all, and would walk a long array for it uncounted. */
  private allowed(): Schema {
    return (this.anything ??= this.accounted({}));
  }

  private fill(made: Schema, node: GraphNode): void {
    const { dialect } = this.graph;
    const lone = refStandsAlone(dialect) && typeof memberOf(node.schema, "$ref") === "string";
    const { weight, containers } = lone ? NO_WEIGHT : this.assertions(made, node, dialect);
    if (!lone) this.applicators(made, node);
    for (const [index, target] of node.targets.entries()) {
      const reference = this.reference(target);
      if (index === 0) made.$ref = reference;
      else made.allOf = [...(made.allOf ?? []), { $ref: reference }];
    }
    this.account(made, 1 + Math.floor(weight / UNIT), containers);
    const rules = valueRulesOf(made);
    if (rules !== undefined) this.valueRules.push(rules);
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
  private assertions(made: Schema, node: GraphNode, dialect: Dialect): Weight {
    // What fails is told of, and that takes memory: each keyword may.
    let weight = -UNIT;
    let containers = 0;
    for (const [keyword, check] of assertionsOf(dialect)) {
      const value = memberOf(node.schema, keyword);
      if (value === undefined) continue;
      if (!check(value)) {
        this.report("not_well_formed", extendPath(node.path, keyword), true);
        continue;
      }
      weight += UNIT / 2 + this.assertion(made, node, keyword, value);
      if (keyword === "enum" || keyword === "const") containers += containersIn(value);
    }
    if (dialect === "4") exclusiveBounds(made, node.schema);
    if (made.minLength !== undefined || made.maxLength !== undefined) made.format ??= COUNTED_TEXT;
    return { weight: Math.max(0, weight), containers };
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
          this.report("enum_exceeded", extendPath(node.path, keyword), false);
        }
        setKeyword(made, keyword, structuredClone(value));
        return bytesOf(value) / 16;
      case "required":
        setKeyword(made, keyword, structuredClone(value));
        return isJsonArray(value) ? UNIT * value.length : 0;
      case "type":
        setKeyword(made, keyword, structuredClone(value));
        return isJsonArray(value) ? value.length : 0;
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
      weight += 1 + UNIT * wanted.length;
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
    if (width > UNIT) this.accountExtra(made, width);
  }

  private accountExtra(made: Schema, width: number): void {
    this.extra.set(made, Math.floor(width / UNIT));
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
    if (patterns.length > 0) this.patternObjects.push({ made, properties: made.properties ?? {}, patterns });
  }

  private accounted(made: Schema): Schema {
    this.account(made, 1, 0);
    return made;
  }

  /**
   * The validator reads this member of a schema each time it applies it and never finds a use for it: there the work is
   * counted. Comparing with a container lists the instance's names once for each.
   */
  private account(made: Schema, weight: number, containers: number): void {
    const { meter } = this;
    const units = weight + (this.extra.get(made) ?? 0);
    Object.defineProperty(made, "__absolute_recursive_ref__", {
      get: () => {
        const { surcharge, widest } = meter.dear;
        meter.spend(units + surcharge + (containers * widest) / NAMES_PER_UNIT);
      },
    });
  }

  private unique(made: Schema): void {
    const { meter } = this;
    this.asksUnique = true;
    Object.defineProperty(made, "uniqueItems", {
      get: () => {
        const { duplicates, pairwise } = meter.dear;
        if (duplicates) meter.spend(pairwise);
        return duplicates;
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

const CEILINGS = { bytes: SCHEMA_CEILING_BYTES, depth: SCHEMA_CEILING_DEPTH, nodes: SCHEMA_CEILING_NODES };

function bytesOf(value: unknown): number {
  return measure(value, CEILINGS).bytes;
}

function containersIn(value: unknown): number {
  return measure(value, CEILINGS).containers;
}
