import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import type { FieldKind } from "./manifest.ts";

/**
 * What a field of this JSON Schema holds. `null` beside one type changes nothing, whether as a type or as a branch of
 * `anyOf` or `oneOf`; a string of the format `date-time` or `date` is a time or a date.
 */
export function fieldKind(schema: unknown): FieldKind {
  const type = soleType(memberOf(schema, "type"));
  if (type === undefined) {
    const branches = memberOf(schema, "anyOf") ?? memberOf(schema, "oneOf");
    const real = isJsonArray(branches)
      ? branches.filter((branch) => isRecord(branch) && memberOf(branch, "type") !== "null")
      : [];
    // One level is what schema generators write for a field that may be null.
    return real.length === 1 ? kindOfType(soleType(memberOf(real[0], "type")), real[0]) : "other";
  }
  return kindOfType(type, schema);
}

function kindOfType(type: string | undefined, schema: unknown): FieldKind {
  const format = memberOf(schema, "format");
  switch (type) {
    case "string":
      if (format === "date-time") return "time";
      return format === "date" ? "date" : "text";
    case "integer":
    case "number":
    case "boolean":
      return type;
    case undefined:
    default:
      return "other";
  }
}

function soleType(type: unknown): string | undefined {
  const types = (isJsonArray(type) ? type : [type]).filter((name) => name !== "null");
  const [sole] = types;
  return types.length === 1 && typeof sole === "string" ? sole : undefined;
}
