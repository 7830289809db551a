import * as z from "zod";
import {
  RECORD_SOURCE_NAME_MAX_CHARS,
  RECORD_SOURCE_TIMEOUT_DEFAULT_MS,
  RECORD_SOURCE_TIMEOUT_MAX_MS,
  RECORD_SOURCES_MAX_COUNT,
} from "./limits/records.ts";

/** Names stand in grants, warnings and cursors. */
const NAME = new RegExp(`^[a-z0-9][a-z0-9_.-]{0,${RECORD_SOURCE_NAME_MAX_CHARS - 1}}$`);
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const d1SourceSchema = z.strictObject({
  kind: z.literal("d1").describe("The embedded resource server."),
});

const httpSourceSchema = z.strictObject({
  kind: z.literal("http").describe("An external PDPP resource server."),
  name: z
    .string()
    .regex(NAME, "must be a name of lower-case letters, digits, dashes, dots and underscores")
    .describe("What grants name it by."),
  url: z
    .string()
    .refine(
      isBaseUrl,
      "must be an address before its /v1, like https://rs.example, without user, query or fragment",
    )
    .describe("Its address, before `/v1`: https, by host name."),
  token_env: z
    .string()
    .regex(VARIABLE, "must be the name of an environment variable")
    .describe("The variable or secret that holds a client's bearer for it; an owner's is refused."),
  timeout_ms: z
    .int()
    .min(1)
    .max(RECORD_SOURCE_TIMEOUT_MAX_MS)
    .default(RECORD_SOURCE_TIMEOUT_DEFAULT_MS)
    .describe("The deadline of one read, in milliseconds, answer included."),
});

const sourceSchema = z.discriminatedUnion("kind", [d1SourceSchema, httpSourceSchema]);

/** `records`: where the read surface reads. */
export const recordsSchema = z.strictObject({
  sources: z
    .array(sourceSchema)
    .min(1, "needs a source at least: write one, or remove the key")
    .max(RECORD_SOURCES_MAX_COUNT)
    .superRefine(areDifferent)
    .default([{ kind: "d1" }])
    .describe("Where records are kept: in the embedded server, on external ones, or on both."),
});

export type RecordsSettings = z.output<typeof recordsSchema>;
export type HttpRecordSource = z.output<typeof httpSourceSchema>;

/** Whether it can be told to the last letter what is asked: nothing in it changes or hides the path that follows. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (/[?#\\]/.test(text) || username !== "" || password !== "") return false;
  return protocol === "https:" || protocol === "http:";
}

function areDifferent(sources: readonly z.output<typeof sourceSchema>[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const identity = source.kind === "d1" ? "d1" : `http ${source.name}`;
    if (seen.has(identity)) {
      context.addIssue({
        code: "custom",
        path: source.kind === "d1" ? [index] : [index, "name"],
        message: "is there twice: keep one",
      });
    }
    seen.add(identity);
  }
}

/** The external sources, in the configuration's order. */
export function httpRecordSources({
  records,
}: {
  readonly records: RecordsSettings;
}): readonly HttpRecordSource[] {
  return records.sources.flatMap((source) => (source.kind === "http" ? [source] : []));
}
