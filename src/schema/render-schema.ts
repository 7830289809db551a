import { isExactNumber } from "../exact-json/exact-number.ts";
import { COMPACT_DESCRIPTION_MAX_CHARS, COMPACT_SCHEMA_MAX_NODES } from "../limits.ts";
import { bareObject, isJsonArray, isRecord, type JsonObject, memberOf } from "../json.ts";
import { decodeFragment, resolvePointer } from "./json-pointer.ts";

/** How much of a schema is shown. */
export interface Detail {
  readonly descriptions: boolean;
  /** Bounds, formats, patterns, defaults. */
  readonly constraints: boolean;
  readonly depth: number;
  readonly enumValues: number;
}

const CONSTRAINTS = [
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "default",
];
const CHOICES = ["anyOf", "oneOf", "allOf"];

type Rendered = boolean | Record<string, unknown>;

/** Renders the parts of one schema. Bounded by `depth`, and by the number of nodes looked at over all renderings of one instance. */
export class SchemaRenderer {
  private readonly root: unknown;
  private readonly detail: Detail;
  private nodes = COMPACT_SCHEMA_MAX_NODES;

  constructor(root: unknown, detail: Detail) {
    this.root = root;
    this.detail = detail;
  }

  render(schema: unknown, depth = this.detail.depth): Rendered {
    this.nodes -= 1;
    if (!isRecord(schema)) return schema !== false;
    const shown = bareObject<unknown>();
    this.scalars(schema, shown);
    if (this.nodes <= 0) return shown;
    const target = this.target(schema);
    if (target !== undefined && depth > 0) {
      const inner = this.render(target, depth - 1);
      if (typeof inner === "object") return Object.assign(inner, shown);
    }
    if (depth > 0) this.inner(schema, shown, depth - 1);
    return shown;
  }

  private scalars(schema: JsonObject, shown: Record<string, unknown>): void {
    const type = memberOf(schema, "type");
    if (typeof type === "string" || (isJsonArray(type) && type.every(isShort))) shown["type"] = type;
    const description = memberOf(schema, "description");
    if (this.detail.descriptions && typeof description === "string" && description.trim() !== "") {
      shown["description"] = shorten(description);
    }
    const constant = memberOf(schema, "const");
    if (isShort(constant)) shown["const"] = constant;
    const values = memberOf(schema, "enum");
    if (isJsonArray(values)) {
      const kept = values.slice(0, this.detail.enumValues).filter(isShort);
      shown["enum"] = kept;
      if (kept.length < values.length) shown["omitted"] = values.length - kept.length;
    }
    if (!this.detail.constraints) return;
    for (const keyword of CONSTRAINTS) {
      const value = memberOf(schema, keyword);
      if (value !== null && isShort(value)) shown[keyword] = value;
    }
  }

  private inner(schema: JsonObject, shown: Record<string, unknown>, depth: number): void {
    const properties = memberOf(schema, "properties");
    if (isRecord(properties)) shown["properties"] = this.map(properties, depth);
    const required = memberOf(schema, "required");
    if (isJsonArray(required)) {
      const names = required.slice(0, COMPACT_SCHEMA_MAX_NODES).filter((name) => typeof name === "string");
      if (names.length > 0) shown["required"] = names;
    }
    const additional = memberOf(schema, "additionalProperties");
    if (additional === false || isRecord(additional))
      shown["additionalProperties"] = this.render(additional, depth);
    for (const keyword of ["items", "prefixItems", ...CHOICES]) {
      const value = memberOf(schema, keyword);
      if (isJsonArray(value)) shown[keyword] = this.list(value, depth);
      else if (isRecord(value)) shown[keyword] = this.render(value, depth);
    }
  }

  private map(properties: JsonObject, depth: number): Record<string, Rendered> {
    const shown = bareObject<Rendered>();
    for (const [name, schema] of Object.entries(properties)) {
      if (this.nodes <= 0) break;
      shown[name] = this.render(schema, depth);
    }
    return shown;
  }

  private list(schemas: readonly unknown[], depth: number): readonly Rendered[] {
    const shown: Rendered[] = [];
    for (const schema of schemas) {
      if (this.nodes <= 0) break;
      shown.push(this.render(schema, depth));
    }
    return shown;
  }

  private target(schema: JsonObject): unknown {
    const reference = memberOf(schema, "$ref");
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    const pointer = decodeFragment(reference.slice(1));
    return pointer === undefined ? undefined : resolvePointer(this.root, pointer)?.value;
  }
}

const SHORT_MAX_CHARS = 100;

/** A value that can be shown as it is. */
function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= SHORT_MAX_CHARS;
  if (isExactNumber(value)) return value.text.length <= SHORT_MAX_CHARS;
  return (
    value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}

function shorten(text: string): string {
  const line = text
    .slice(0, COMPACT_DESCRIPTION_MAX_CHARS * 4)
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (line.length <= COMPACT_DESCRIPTION_MAX_CHARS) return line;
  return `${line.slice(0, COMPACT_DESCRIPTION_MAX_CHARS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
