import { isJsonArray, isRecord, type JsonObject } from "../../../src/json.ts";
import { replaceWords } from "./words.ts";

type Others = ReadonlyMap<string, string>;

/** What a schema means literally, and what names a part of it. */
const LITERAL = new Set([
  "enum",
  "const",
  "default",
  "examples",
  "pattern",
  "format",
  "type",
  "$ref",
  "$schema",
]);

/** A tool's definition with other words in its name, its texts and its schemas; the schemas stay as they are built. */
export function replaceInTool(definition: JsonObject, others: Others): JsonObject {
  return Object.fromEntries(
    Object.entries(definition).map(([key, value]) => {
      if (key === "inputSchema" || key === "outputSchema") return [key, replaceInSchema(value, others)];
      const isText = key === "name" || key === "title" || key === "description";
      return [key, isText && typeof value === "string" ? replaceWords(value, others) : value];
    }),
  );
}

function replaceInSchema(schema: unknown, others: Others): unknown {
  if (isJsonArray(schema)) return schema.map((entry) => replaceInSchema(entry, others));
  if (!isRecord(schema)) return schema;
  const properties = schema["properties"];
  const names = renamed(isRecord(properties) ? Object.keys(properties) : [], others);
  const nameFor = (name: string): string => names.get(name) ?? name;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (LITERAL.has(key)) return [key, value];
      if (key === "properties" && isRecord(value)) return [key, replaceInMembers(value, nameFor, others)];
      if (isRecord(value) && (key === "$defs" || key === "definitions")) {
        return [key, replaceInMembers(value, (name) => name, others)];
      }
      if (key === "required" && isJsonArray(value)) {
        return [key, value.map((name) => (typeof name === "string" ? nameFor(name) : name))];
      }
      if (typeof value === "string") {
        return [key, key === "description" || key === "title" ? replaceWords(value, others) : value];
      }
      return [key, replaceInSchema(value, others)];
    }),
  );
}

function replaceInMembers(
  members: Record<string, unknown>,
  nameFor: (name: string) => string,
  others: Others,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [nameFor(name), replaceInSchema(value, others)]),
  );
}

/** New names of one object's properties: two never become one. */
function renamed(names: readonly string[], others: Others): ReadonlyMap<string, string> {
  const own = new Set(names);
  const taken = new Set<string>();
  return new Map(
    names.map((name) => {
      const made = replaceWords(name, others);
      const chosen = taken.has(made) || own.has(made) ? name : made;
      taken.add(chosen);
      return [name, chosen];
    }),
  );
}
