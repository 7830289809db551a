import { exactJsonText } from "../exact-json/write.ts";
import { COMPACT_SCHEMA_MAX_DEPTH, COMPACT_SCHEMA_MAX_TOKENS } from "../limits.ts";
import { bareObject, isJsonArray, isRecord, type JsonObject, memberOf } from "../json.ts";
import { type Detail, SchemaRenderer } from "./render-schema.ts";
import { tokenBound } from "./token-bound.ts";

/** From everything worth showing to the bare parameters: descriptions go first, then constraints, then what is nested deeply. */
const LADDER: readonly Detail[] = [
  { descriptions: true, constraints: true, depth: COMPACT_SCHEMA_MAX_DEPTH, enumValues: 64 },
  { descriptions: false, constraints: true, depth: COMPACT_SCHEMA_MAX_DEPTH, enumValues: 64 },
  { descriptions: false, constraints: false, depth: COMPACT_SCHEMA_MAX_DEPTH, enumValues: 64 },
  { descriptions: false, constraints: false, depth: 3, enumValues: 16 },
  { descriptions: false, constraints: false, depth: 1, enumValues: 16 },
];
const BAREST: Detail = { descriptions: false, constraints: false, depth: 0, enumValues: 8 };

/**
 * An input schema as a JSON value of at most `COMPACT_SCHEMA_MAX_TOKENS`, for an error that teaches a model the parameters: names,
 * types, what is required and what may be chosen always, the rest as far as it fits. Where even names had to go, `omitted` counts them. Deterministic,
 * total over anything, and bounded in work. Numbers stay as they are written. Without `countTokens` a bound from above is used, so that it may run on a request.
 */
export function compactSchema(schema: unknown, countTokens: (text: string) => number = tokenBound): unknown {
  const fits = (value: unknown): boolean => {
    const text = exactJsonText(value);
    // A token is at most 128 bytes but in JSON hardly ever over 16: far beyond that it cannot fit, and need not be counted.
    return text.length <= COMPACT_SCHEMA_MAX_TOKENS * 16 && countTokens(text) <= COMPACT_SCHEMA_MAX_TOKENS;
  };
  for (const detail of LADDER) {
    const rendered = new SchemaRenderer(schema, detail).render(schema);
    if (fits(rendered)) return rendered;
  }
  return chosenMembers(schema, fits, countTokens);
}

/** As many parameters as fit, the required ones first, each skipped that alone would not. */
function chosenMembers(
  schema: unknown,
  fits: (value: unknown) => boolean,
  countTokens: (text: string) => number,
): unknown {
  const source = isRecord(schema) ? schema : {};
  const properties = memberOf(source, "properties");
  const members: JsonObject = isRecord(properties) ? properties : {};
  const requiredNames = namesOf(memberOf(source, "required"));
  const names = Object.keys(members);
  const ordered = [
    ...names.filter((name) => requiredNames.has(name)),
    ...names.filter((name) => !requiredNames.has(name)),
  ];
  const renderer = new SchemaRenderer(schema, BAREST);
  const chosen: (readonly [string, unknown])[] = [];
  let left = COMPACT_SCHEMA_MAX_TOKENS;
  for (const name of ordered) {
    if (left <= 0) break;
    if (name.length > left) continue;
    const rendered = renderer.render(members[name]);
    const cost =
      countTokens(exactJsonText({ [name]: rendered })) +
      (requiredNames.has(name) ? countTokens(JSON.stringify(name)) + 1 : 0);
    if (cost > left) continue;
    left -= cost;
    chosen.push([name, rendered]);
  }
  const missing = [...requiredNames].filter((name) => !Object.hasOwn(members, name)).length;
  for (;;) {
    const value = assemble(chosen, requiredNames, ordered.length + missing - chosen.length);
    if (chosen.length === 0 || fits(value)) return value;
    chosen.pop();
  }
}

function assemble(
  chosen: readonly (readonly [string, unknown])[],
  required: ReadonlySet<string>,
  omitted: number,
): Record<string, unknown> {
  const properties = bareObject<unknown>();
  for (const [name, rendered] of chosen) properties[name] = rendered;
  const names = chosen.map(([name]) => name).filter((name) => required.has(name));
  return {
    type: "object",
    properties,
    ...(names.length > 0 ? { required: names } : {}),
    ...(omitted > 0 ? { omitted } : {}),
  };
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(isJsonArray(value) ? value.filter((name) => typeof name === "string") : []);
}
