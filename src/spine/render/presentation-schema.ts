import { isRecord, type JsonObject, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { DETAILS, RENDER_MODES } from "./mode.ts";

export type PresentationSchemaProblem =
  | { readonly reason: "not_an_object_schema" }
  | { readonly reason: "invalid_properties" }
  | { readonly reason: "property_taken"; readonly property: string };

/**
 * A copy of a tool's input schema with the properties `render` and `detail`, closed with `additionalProperties: false`
 * unless it says itself what else there may be. It offers the modes' own words; readers take the aliases as well. A tool
 * that has such a property already would get an argument that means two things, and is refused.
 */
export function withPresentationProperties(schema: unknown): Result<JsonObject, PresentationSchemaProblem> {
  if (!isRecord(schema) || memberOf(schema, "type") !== "object")
    return fail({ reason: "not_an_object_schema" });
  const stated = memberOf(schema, "properties") ?? {};
  if (!isRecord(stated)) return fail({ reason: "invalid_properties" });
  const added = { render: wordOf(RENDER_MODES), detail: wordOf(DETAILS) };
  const taken = Object.keys(added).find((name) => Object.hasOwn(stated, name));
  if (taken !== undefined) return fail({ reason: "property_taken", property: taken });
  return ok({
    ...schema,
    // Spread defines members, so that a property called `__proto__` is one.
    properties: { ...stated, ...added },
    ...(Object.hasOwn(schema, "additionalProperties") ? {} : { additionalProperties: false }),
  });
}

function wordOf(words: readonly string[]): JsonObject {
  return { type: "string", enum: [...words] };
}
