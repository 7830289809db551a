import { isRecord, memberOf } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";

/** The drafts this room tells apart. Draft 6 differs from 7 only by keywords it lacks, so it is read as 7. */
export type Dialect = "4" | "7" | "2019-09" | "2020-12";

/** What MCP (2025-11-25, basic §JSON Schema) reads a schema without `$schema` as. */
export const DEFAULT_DIALECT: Dialect = "2020-12";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft-06/schema", "7"],
  ["json-schema.org/draft-04/schema", "4"],
  // "The newest", in the drafts that had such an address; nothing newer than draft 7 was ever published there.
  ["json-schema.org/schema", "7"],
]);

/**
 * Which draft a schema is written in: by its `$schema`, whatever the scheme (`http`, `https`) and with or without the
 * empty fragment. Fails for an address that is none of the published drafts, or is not a string at all.
 */
export function readDialect(schema: unknown): Result<Dialect, "unsupported_dialect"> {
  const declared = isRecord(schema) ? memberOf(schema, "$schema") : undefined;
  if (declared === undefined) return ok(DEFAULT_DIALECT);
  if (typeof declared !== "string") return fail("unsupported_dialect");
  const address = /^https?:\/\/([^#]{1,64}?)\/?#?$/u.exec(declared.trim());
  const dialect = DIALECTS.get(address?.[1] ?? "");
  return dialect === undefined ? fail("unsupported_dialect") : ok(dialect);
}
