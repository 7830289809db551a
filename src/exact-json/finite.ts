import { isRecord, type JsonObject, parsedJson } from "../json.ts";
import { surveyExact } from "./survey.ts";

/**
 * A JSON object of bounded depth with plain numbers alone: each exact one as the nearest that JSON can say, which for `1e999` is
 * the largest double. The object itself where it holds none.
 */
export function finiteJson(value: JsonObject): JsonObject {
  if (surveyExact(value).holders.length === 0) return value;
  const finite = parsedJson(JSON.stringify(value));
  return isRecord(finite) ? finite : {};
}
