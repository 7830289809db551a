import type { FieldDeclaration, StreamManifest } from "../../src/records/manifest/manifest.ts";

/** A stream as a test needs it: lexical fields and, beside them, `at`, a time that orders and bounds it. */
export function streamOf({
  name = "notes",
  lexical,
}: {
  readonly name?: string;
  readonly lexical: readonly string[];
}): StreamManifest {
  const fields = new Map<string, FieldDeclaration>();
  for (const field of [...lexical, "other"]) {
    fields.set(field, { name: field, kind: "text", schema: { type: "string" }, required: false });
  }
  fields.set("at", {
    name: "at",
    kind: "time",
    schema: { type: "string", format: "date-time" },
    required: false,
  });
  return {
    name,
    semantics: "mutable_state",
    primaryKey: ["id"],
    cursorField: "at",
    consentTimeField: "at",
    fields,
    relationships: [],
    views: [],
    rangeFilters: new Map([["at", ["gte", "lt"]]]),
    lexicalFields: lexical,
    aggregations: null,
    source: {},
  };
}
