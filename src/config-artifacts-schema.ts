import * as z from "zod";
import { glob } from "./config-glob.ts";
import { parseJsonPath } from "./json-path/parse.ts";
import {
  ARTIFACTS_DEFAULT_BYTES,
  ARTIFACTS_DEFAULT_COUNT,
  ARTIFACTS_MAX_BYTES,
  ARTIFACTS_MAX_COUNT,
  INLINE_IMAGE_DEFAULT_BYTES,
  INLINE_IMAGE_MAX_BYTES,
  INLINE_MAX_TOKENS_DEFAULT,
  INLINE_TOKENS_MAX_COUNT,
  JSON_PATH_MAX_CHARS,
  KEEP_PATHS_MAX_COUNT,
} from "./limits.ts";

const jsonPath = z
  .string()
  .max(JSON_PATH_MAX_CHARS)
  .refine((text) => parseJsonPath(text).ok, "must be a JSONPath (RFC 9535), such as $[*].title");

const inlineMaxTokens = z.int().min(0).max(INLINE_TOKENS_MAX_COUNT);

/** `gateway.artifacts`: what of a result is shown, and what becomes of the rest. */
export const artifactsSchema = z.strictObject({
  inline_max_tokens: inlineMaxTokens
    .default(INLINE_MAX_TOKENS_DEFAULT)
    .describe(
      "A result of at most so many tokens (estimated) is shown as it came; of a larger one a summary.",
    ),
  inline: z
    .record(glob, inlineMaxTokens)
    .default({})
    .describe("The same for single tools, by globs over tool ids; the first match counts."),
  inline_image_bytes: z
    .int()
    .min(0)
    .max(INLINE_IMAGE_MAX_BYTES)
    .default(INLINE_IMAGE_DEFAULT_BYTES)
    .describe("Images and other binary content up to this size stay in the answer."),
  class_days: z
    .union([z.literal(1), z.literal(7), z.literal(30)], { error: "write 1, 7 or 30" })
    .default(7)
    .describe("How many days what was kept back can be read."),
  max_bytes: z
    .int()
    .min(1)
    .max(ARTIFACTS_MAX_BYTES)
    .default(ARTIFACTS_DEFAULT_BYTES)
    .describe("What is kept back for one principal at most, in bytes."),
  max_count: z
    .int()
    .min(1)
    .max(ARTIFACTS_MAX_COUNT)
    .default(ARTIFACTS_DEFAULT_COUNT)
    .describe("What is kept back for one principal at most, in artifacts."),
  on_full: z
    .enum(["evict", "refuse"])
    .default("evict")
    .describe("What a full quota does: the oldest artifacts give way, or calls are refused before they run."),
  keep: z
    .record(
      glob,
      z
        .array(jsonPath)
        .min(1, "needs a JSONPath at least: write one, or remove the glob")
        .max(KEEP_PATHS_MAX_COUNT),
    )
    .default({})
    .describe(
      "Parts of large JSON results that are shown in place of a summary: JSONPaths (RFC 9535), by globs over tool ids; the first match counts.",
    ),
});

export type ArtifactSettings = z.output<typeof artifactsSchema>;
