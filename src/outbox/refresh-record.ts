import * as z from "zod";
import {
  ENTRY_UPSTREAMS_MAX_COUNT,
  RECORD_FINDINGS_MAX_COUNT,
  RECORD_IDS_MAX_COUNT,
  RECORD_REASON_MAX_CHARS,
  SERVER_NAME_MAX_CHARS,
} from "../limits.ts";
import { TARGET_NAMES } from "../server-target.ts";
import { ROLLOUT_STATES } from "../spine/health/rollout-state.ts";

/** How the tools of a server's other target stand to those of its active one. */
export const COMPARISONS = [
  /** The same ids with the same definitions. */
  "identical",
  /** Every id with the same contract; more tools, other words or metadata. */
  "compatible",
  /** A tool is missing, or has another contract. */
  "breaking",
  /** One of the two was never listed, or an older version kept too little of it. */
  "unknown",
] as const;

/** A hash of a definition's part never stands here: ids and codes do, which are short, and words of ours. */
const id = z.string().max(256);
const ids = z.array(id).max(RECORD_IDS_MAX_COUNT);
const count = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What changed from one published catalog to the next, as far as a status shows it. `omitted` ids are left out. */
export const diffRecordSchema = z.object({
  added: ids,
  removed: ids,
  changed: z
    .array(z.object({ id, change: z.enum(["contract", "metadata", "wording"]) }))
    .max(RECORD_IDS_MAX_COUNT),
  /** Tools whose argument names changed have another id: they stand in `removed` and `added`, and here as pairs. */
  replaced: z.array(z.object({ id, was: id })).max(RECORD_IDS_MAX_COUNT),
  omitted: count.optional(),
});

export const pinRecordSchema = z.object({
  mode: z.enum(["warn", "strict"]),
  expected: hash,
  /** Of the catalog that was found; null where none could be made. */
  actual: hash.nullable(),
  matches: z.boolean(),
});

/** A server's other target, as the last refresh found it. */
export const candidateRecordSchema = z.object({
  status: z.enum(["listed", "rejected"]),
  /** From the active target to this one; absent where it is rejected. */
  comparison: z.enum(COMPARISONS).optional(),
  tools: count.optional(),
  reason: z.string().max(RECORD_REASON_MAX_CHARS).optional(),
});

/** Absent where there are none. */
const otherKinds = { resources: count.optional(), prompts: count.optional() };

const serverRecordSchema = z.object({
  name: z.string().min(1).max(SERVER_NAME_MAX_CHARS),
  status: z.enum(["ok", "stale", "failed"]),
  tools: count,
  ...otherKinds,
  skipped: count,
  /** The first of them; `finding_count` counts all. */
  findings: z
    .array(z.object({ tool: z.string().max(160), code: z.string().max(64) }))
    .max(RECORD_FINDINGS_MAX_COUNT),
  finding_count: count,
  reason: z.string().max(RECORD_REASON_MAX_CHARS).optional(),
  /** Where the server's calls go. These four are absent in what an older version told. */
  target: z.enum(TARGET_NAMES).optional(),
  /** The active target's. */
  generation: count.optional(),
  rollout: z.enum(ROLLOUT_STATES).optional(),
  candidate: candidateRecordSchema.optional(),
});

/** One refresh of one configuration's catalog, as the operator's status shows it. Times are epoch milliseconds. */
export const refreshRecordSchema = z.object({
  /** The hash of the configuration's catalog settings. */
  config: z.string().min(1).max(128),
  /** 0: there has never been a catalog. */
  generation: count,
  /** The hash that `gateway.pin` names: of what every tool is. Null without a catalog. */
  hash: hash.nullable(),
  tools: count,
  ...otherKinds,
  refreshed_at_ms: count,
  /** Seconds until the next one. */
  interval_s: count,
  changed: z.boolean(),
  failure: z.string().max(RECORD_REASON_MAX_CHARS).optional(),
  servers: z.array(serverRecordSchema).max(ENTRY_UPSTREAMS_MAX_COUNT),
  /** Servers behind those that the entry had no room for. Absent where there are none. */
  omitted_servers: count.optional(),
  /** Of the last publication that changed anything; absent in the first. */
  diff: diffRecordSchema.optional(),
  /** The generation that `diff` led to. */
  diff_generation: count.optional(),
  pin: pinRecordSchema.optional(),
});

export type RefreshRecord = z.output<typeof refreshRecordSchema>;
export type DiffRecord = z.output<typeof diffRecordSchema>;
export type CandidateRecord = z.output<typeof candidateRecordSchema>;
export type Comparison = (typeof COMPARISONS)[number];
export type PinRecord = z.output<typeof pinRecordSchema>;
