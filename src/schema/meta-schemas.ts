import type { Dialect } from "./dialect.ts";
import type { JsonObject } from "../json.ts";

/**
 * The drafts' meta-schemas as data, written down from the specifications keyword by keyword (draft-zyp/fge/bhutton,
 * "meta-schema" of drafts 4, 7, 2019-09 and 2020-12). The published ones of 2019-09 and 2020-12 recurse through
 * `$recursiveRef` and `$dynamicRef` over several vocabularies, which this validator does not follow; here each is one document that
 * recurses through `$ref: "#"`. That is the same language as long as no vocabulary extends it. Formats are left out: they assert nothing.
 */
const self: JsonObject = { $ref: "#" };
const string: JsonObject = { type: "string" };
const boolean: JsonObject = { type: "boolean" };
const number: JsonObject = { type: "number" };
const count: JsonObject = { type: "integer", minimum: 0 };
const schemaList: JsonObject = { type: "array", minItems: 1, items: self };
const schemaMap: JsonObject = { type: "object", additionalProperties: self };
const names: JsonObject = { type: "array", items: string, uniqueItems: true };
const someNames: JsonObject = { ...names, minItems: 1 };
const namesOrSchema: JsonObject = { type: "object", additionalProperties: { anyOf: [self, names] } };
const simpleType: JsonObject = {
  enum: ["array", "boolean", "integer", "null", "number", "object", "string"],
};
const type: JsonObject = {
  anyOf: [simpleType, { type: "array", items: simpleType, minItems: 1, uniqueItems: true }],
};
const anchor: JsonObject = { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" };
const anchor2019: JsonObject = { type: "string", pattern: "^[A-Za-z][-A-Za-z0-9.:_]*$" };
const address: JsonObject = { type: "string", pattern: "^[^#]*#?$" };
const vocabulary: JsonObject = { type: "object", additionalProperties: boolean };

/** What every draft has. */
const common: JsonObject = {
  $schema: string,
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  maximum: number,
  minimum: number,
  maxLength: count,
  minLength: count,
  pattern: string,
  maxItems: count,
  minItems: count,
  uniqueItems: boolean,
  maxProperties: count,
  minProperties: count,
  properties: schemaMap,
  patternProperties: schemaMap,
  definitions: schemaMap,
  type,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  not: self,
};

/** Keywords that inform and assert nothing: a mistake in one does not make the schema useless. */
const annotations: JsonObject = { title: string, description: string };
const annotations7: JsonObject = {
  ...annotations,
  $comment: string,
  readOnly: boolean,
  writeOnly: boolean,
  examples: { type: "array" },
  format: string,
  contentEncoding: string,
  contentMediaType: string,
};
const annotations2019: JsonObject = { ...annotations7, deprecated: boolean, contentSchema: self };

/** Since draft 6. */
const common7: JsonObject = {
  ...common,
  exclusiveMaximum: number,
  exclusiveMinimum: number,
  required: names,
  enum: { type: "array" },
  additionalProperties: self,
  propertyNames: self,
  contains: self,
  // Not written out: an object literal with a `then` looks like a promise to tools, and this is none.
  ...Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, self])),
  dependencies: namesOrSchema,
};

const common2019: JsonObject = {
  ...common7,
  $id: address,
  $ref: string,
  $vocabulary: vocabulary,
  $defs: schemaMap,
  minContains: count,
  maxContains: count,
  dependentRequired: { type: "object", additionalProperties: names },
  dependentSchemas: schemaMap,
  unevaluatedItems: self,
  unevaluatedProperties: self,
};

const keywords: Readonly<Record<Dialect, JsonObject>> = {
  "4": {
    ...common,
    id: string,
    multipleOf: { type: "number", minimum: 0, exclusiveMinimum: true },
    exclusiveMaximum: boolean,
    exclusiveMinimum: boolean,
    additionalItems: { anyOf: [boolean, self] },
    items: { anyOf: [self, schemaList] },
    required: someNames,
    additionalProperties: { anyOf: [boolean, self] },
    dependencies: { type: "object", additionalProperties: { anyOf: [self, someNames] } },
    enum: { type: "array", minItems: 1, uniqueItems: true },
  },
  "7": {
    ...common7,
    $id: string,
    $ref: string,
    additionalItems: self,
    items: { anyOf: [self, schemaList] },
  },
  "2019-09": {
    ...common2019,
    $anchor: anchor2019,
    $recursiveRef: string,
    $recursiveAnchor: boolean,
    additionalItems: self,
    items: { anyOf: [self, schemaList] },
  },
  "2020-12": {
    ...common2019,
    $anchor: anchor,
    $dynamicAnchor: anchor,
    $dynamicRef: string,
    // Both of 2019-09, kept there only so that nothing else takes their names.
    $recursiveAnchor: anchor,
    $recursiveRef: string,
    prefixItems: schemaList,
    items: self,
  },
};

const informative: Readonly<Record<Dialect, JsonObject>> = {
  "4": { ...annotations, format: string },
  "7": annotations7,
  "2019-09": annotations2019,
  "2020-12": annotations2019,
};

/** The meta-schema of a draft: all of it, or only what decides whether arguments can be judged. */
export function metaSchema(dialect: Dialect, part: "whole" | "assertions"): JsonObject {
  const properties = part === "whole" ? { ...keywords[dialect], ...informative[dialect] } : keywords[dialect];
  if (dialect !== "4") return { type: ["object", "boolean"], properties };
  return {
    type: "object",
    properties,
    dependencies: { exclusiveMaximum: ["maximum"], exclusiveMinimum: ["minimum"] },
  };
}
