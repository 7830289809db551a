/** One own member of a JSON object that came from outside; undefined when there is none, or no object. */
export function jsonMember(value: unknown, key: string): unknown {
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key];
}

/** Whether a parsed JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
