import * as z from "zod";
import { artifactsSchema } from "./config-artifacts-schema.ts";
import { glob } from "./config-glob.ts";
import { recordsSchema } from "./config-records-schema.ts";
import { staticKeys } from "./config-static-schema.ts";
import {
  BROWSE_TOP_K_DEFAULT,
  BROWSE_TOP_K_MAX,
  CALLS_PER_MINUTE_MAX_COUNT,
  CALLS_PER_SESSION_MAX_COUNT,
  CONFIG_SERVER_NAME_MAX_CHARS,
  POLICY_REASON_MAX_CHARS,
  POLICY_RULES_MAX_COUNT,
  RESULT_CACHE_ENTRIES_DEFAULT_COUNT,
  RESULT_CACHE_ENTRIES_MAX_COUNT,
  RESULT_CACHE_TTL_DEFAULT_SECONDS,
  RESULT_CACHE_TTL_MAX_SECONDS,
  REFRESH_INTERVAL_DEFAULT_SECONDS,
  REFRESH_INTERVAL_MAX_SECONDS,
  REFRESH_INTERVAL_MIN_SECONDS,
  RETRY_ATTEMPTS_MAX_COUNT,
  RETRY_BASE_DELAY_DEFAULT_MS,
  RETRY_DELAY_MAX_MS,
  RETRY_JITTER_DEFAULT_SHARE,
  RETRY_MAX_DELAY_DEFAULT_MS,
  SCHEMA_MAX_BYTES_DEFAULT,
  SCHEMA_MAX_DEPTH_DEFAULT,
  SCHEMA_MAX_PROPERTIES_DEFAULT,
  SERVERS_MAX_COUNT,
  UPSTREAM_TIMEOUT_DEFAULT_MS,
  UPSTREAM_TIMEOUT_MAX_MS,
} from "./limits.ts";
import type { SurfaceCode } from "./spine/fault/surface.ts";
import { REPLAY_CONTRACTS } from "./spine/replay/contract.ts";

/** The operations that rules speak of. */
const POLICED_META_TOOLS = [
  "tool_execute",
  "tool_view",
  "tool_hydrate",
  "resource_read",
  "prompt_get",
] as const;

/**
 * The shape of `loomgate.jsonc`. Descriptions show in editors through `loomgate.schema.json`, which is made from this
 * file. A key stands here only when the code behind it exists.
 */

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

const globs = z.array(glob);

const candidateSchema = z.strictObject({
  url: z.string().min(1).describe("The candidate's Streamable HTTP address, as `url` is."),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Sent to the candidate instead of the server's own headers."),
});

/** What every block has, whatever is behind it. */
const commonKeys = {
  namespace: z
    .enum(["server", "infer"])
    .default("server")
    .describe(
      "Where the first part of a tool's id comes from: this server's name, or the tool's own prefix.",
    ),
  include: globs
    .default(["*"])
    .describe(
      "Globs over the upstream's own names of tools and prompts, and over names and URIs of resources: what to list.",
    ),
  exclude: globs.default([]).describe("Globs over the same: what to leave out. Exclude wins."),
  required: z
    .boolean()
    .default(false)
    .describe("A refresh in which this server fails leaves the whole catalog as it was."),
  disabled: z.boolean().default(false).describe("Keeps the block but does not use the server."),
  redact: z
    .boolean()
    .optional()
    .describe(
      "Take what looks like a secret, or is named like one, out of this server's definitions and answers; without it, the gateway's redact decides.",
    ),
};

const httpServerSchema = z.strictObject({
  // Undefined is one of its values, so that a block without it is known for one of a server.
  type: z
    .literal("http")
    .optional()
    .default("http")
    .describe("Streamable HTTP, the only transport a Worker can reach."),
  url: z
    .string()
    .min(1)
    .describe("The server's Streamable HTTP address: https, by host name. `${env:NAME}` is replaced."),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe("Sent with every request to this server. `${env:NAME}` in a value is replaced."),
  namespace: commonKeys.namespace,
  include: commonKeys.include,
  exclude: commonKeys.exclude,
  timeout_ms: z
    .int()
    .min(1)
    .max(UPSTREAM_TIMEOUT_MAX_MS)
    .default(UPSTREAM_TIMEOUT_DEFAULT_MS)
    .describe("The deadline of one call, in milliseconds, answer included."),
  required: commonKeys.required,
  disabled: commonKeys.disabled,
  trust_hints: z
    .boolean()
    .default(false)
    .describe(
      "Believe this server's annotations where they decide something: what may run again, what is cached, what a rule about read-only or destructive tools means.",
    ),
  redact: commonKeys.redact,
  replay: z
    .record(glob, z.enum(REPLAY_CONTRACTS))
    .default({})
    .describe(
      "What may run again, by globs over the upstream's own tool names; the first match counts, and it goes before any hint. Everything else is never_replay.",
    ),
  candidate: candidateSchema
    .optional()
    .describe(
      "Another instance of this server, listed beside it; POST /admin/upstreams/{name}/promote moves the calls there, and rollback returns them.",
    ),
});

const staticServerSchema = z.strictObject({ ...staticKeys, ...commonKeys });

const serverSchema = z.discriminatedUnion("type", [httpServerSchema, staticServerSchema]);

const schemaLimitsSchema = z.strictObject({
  max_bytes: z.int().min(1).default(SCHEMA_MAX_BYTES_DEFAULT).describe("Size of one schema as compact JSON."),
  max_depth: z.int().min(1).default(SCHEMA_MAX_DEPTH_DEFAULT).describe("Nesting of one schema."),
  max_properties: z.int().min(1).default(SCHEMA_MAX_PROPERTIES_DEFAULT).describe("Properties of one schema."),
  on_invalid: z
    .enum(["flag", "reject"])
    .default("flag")
    .describe("What a broken schema does to its tool: listed with a finding, or left out."),
});

const callLimitsSchema = z.strictObject({
  max_calls_per_minute: z
    .int()
    .min(1)
    .max(CALLS_PER_MINUTE_MAX_COUNT)
    .optional()
    .describe("Calls in any sixty seconds."),
  max_calls_per_session: z
    .int()
    .min(1)
    .max(CALLS_PER_SESSION_MAX_COUNT)
    .optional()
    .describe("Calls in one session altogether."),
});

const rateLimitsSchema = z.strictObject({
  per: z
    .enum(["session", "principal"])
    .default("session")
    .describe(
      "Who shares a count: one session's calls, or all of a principal's, so that a second session buys nothing.",
    ),
  tool_browse: callLimitsSchema.optional().describe("Limits of tool_browse."),
  tool_execute: callLimitsSchema.optional().describe("Limits of tool_execute, whatever tool it runs."),
  tool_view: callLimitsSchema.optional().describe("Limits of tool_view."),
  tool_hydrate: callLimitsSchema.optional().describe("Limits of tool_hydrate, whatever tool it describes."),
  resource_browse: callLimitsSchema.optional().describe("Limits of resource_browse."),
  resource_read: callLimitsSchema.optional().describe("Limits of resource_read, whatever resource it reads."),
  prompt_browse: callLimitsSchema.optional().describe("Limits of prompt_browse."),
  prompt_get: callLimitsSchema.optional().describe("Limits of prompt_get, whatever prompt it renders."),
  tools: z
    .record(glob, callLimitsSchema)
    .default({})
    .describe(
      "Limits of single tools, resources and prompts, by globs over their ids; each has a count of its own, and the first match gives its limits.",
    ),
});

const cacheSchema = z.strictObject({
  read_only: z
    .boolean()
    .default(false)
    .describe("Answer a repeated call of a read-only tool without asking its server again."),
  allow: globs
    .default([])
    .describe(
      "Globs over tool ids: only these, hints or not. Without it, what servers with trust_hints call read-only.",
    ),
  shared: globs.default([]).describe("Globs over tool ids whose answers are the same for every principal."),
  ttl_s: z
    .int()
    .min(1)
    .max(RESULT_CACHE_TTL_MAX_SECONDS)
    .default(RESULT_CACHE_TTL_DEFAULT_SECONDS)
    .describe("How long an answer is used again, in seconds."),
  max_entries: z
    .int()
    .min(1)
    .max(RESULT_CACHE_ENTRIES_MAX_COUNT)
    .default(RESULT_CACHE_ENTRIES_DEFAULT_COUNT)
    .describe("Answers kept; the least recently used gives way."),
});

/** The codes of failures that another try can get past. */
const RETRYABLE_CODES = [
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
  "RATE_LIMITED",
] as const satisfies readonly SurfaceCode[];

const retrySchema = z.strictObject({
  max_attempts: z
    .int()
    .min(1)
    .max(RETRY_ATTEMPTS_MAX_COUNT)
    .default(1)
    .describe(
      "How often a call may be sent altogether, within its server's timeout_ms. What may have run already is sent again only where the tool's replay contract is convergent.",
    ),
  base_delay_ms: z
    .int()
    .min(0)
    .max(RETRY_DELAY_MAX_MS)
    .default(RETRY_BASE_DELAY_DEFAULT_MS)
    .describe("The wait before the second try, in milliseconds; it doubles from try to try."),
  max_delay_ms: z
    .int()
    .min(0)
    .max(RETRY_DELAY_MAX_MS)
    .default(RETRY_MAX_DELAY_DEFAULT_MS)
    .describe(
      "The longest wait between two tries, in milliseconds, unless the server asks for a longer one.",
    ),
  jitter: z
    .number()
    .min(0)
    .max(1)
    .default(RETRY_JITTER_DEFAULT_SHARE)
    .describe("The share of a wait that chance may take off it."),
  retryable_codes: z
    .array(z.enum(RETRYABLE_CODES))
    .default(["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE"])
    .describe("Which failures are tried again at all."),
});

const policyRuleSchema = z.strictObject({
  match: z
    .strictObject({
      meta_tool: z.enum(POLICED_META_TOOLS).optional().describe("The meta-tool that is called."),
      server: z.string().min(1).optional().describe("The configured server's name."),
      tool: glob
        .optional()
        .describe("A glob over the id of a tool, a resource or a prompt, or the upstream's own name of it."),
      tags: z.array(z.string().min(1)).optional().describe("Tags that the tool has, all of them."),
      read_only: z.boolean().optional().describe("Whether the tool is read-only."),
      principal: glob.optional().describe("A glob over the caller's principal."),
    })
    .describe("What the rule is about; a key that is left out matches everything."),
  action: z.enum(["allow", "deny", "require_approval"]).describe("What becomes of a call that matches."),
  reason: z.string().min(1).max(POLICY_REASON_MAX_CHARS).optional().describe("What the caller is told."),
});

const pinSchema = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits: copy the hash that /admin/catalog shows")
    .describe("The catalog's hash, as /admin/catalog and a refresh report show it."),
  mode: z
    .enum(["warn", "strict"])
    .describe("What another catalog may do: be published and told of, or not be published."),
});

const gatewaySchema = z.strictObject({
  top_k: z
    .int()
    .min(1)
    .max(BROWSE_TOP_K_MAX)
    .default(BROWSE_TOP_K_DEFAULT)
    .describe("How many cards tool_browse returns unless asked otherwise."),
  cache_stable: z
    .boolean()
    .default(false)
    .describe("Repeat known cards first and byte for byte, for clients that cache prompts."),
  allowed_origins: z
    .array(
      z.string().refine(isOrigin, "must be an origin: scheme, host and port, like https://app.example.com"),
    )
    .default([])
    .describe("Origins of browsers that may call. A request without an Origin header always may."),
  refresh_interval_s: z
    .int()
    .min(REFRESH_INTERVAL_MIN_SECONDS)
    .max(REFRESH_INTERVAL_MAX_SECONDS)
    .default(REFRESH_INTERVAL_DEFAULT_SECONDS)
    .describe("How often the servers are listed again, in seconds."),
  tolerant_args: z
    .boolean()
    .default(false)
    .describe(
      "Repair arguments whose meaning is beyond doubt, such as a number sent as text, before they are checked.",
    ),
  redact: z
    .boolean()
    .default(false)
    .describe(
      "Take what looks like a secret, or is named like one, out of definitions and answers before anything of them is kept or shown.",
    ),
  cache: cacheSchema.prefault({}).describe("The cache of read-only answers."),
  rate_limits: rateLimitsSchema
    .prefault({})
    .describe("How often the meta-tools and single tools may be called."),
  policy: z
    .array(policyRuleSchema)
    .max(POLICY_RULES_MAX_COUNT)
    .default([])
    .describe(
      "What may be called, by rules in order: the first that matches decides, and what none matches is allowed.",
    ),
  retry: retrySchema.prefault({}).describe("Trying a failed call again."),
  schema_limits: schemaLimitsSchema
    .prefault({})
    .describe("What a tool's input schema may measure before it counts as broken."),
  artifacts: artifactsSchema
    .prefault({})
    .describe("What of a result is shown, and what becomes of the rest."),
  pin: pinSchema
    .nullable()
    .default(null)
    .describe("The catalog that is expected, so that no server changes its tools unseen; null expects none."),
});

/** More would not fit what is kept of them. */
function hasRoomForServers(servers: object): boolean {
  return Object.keys(servers).length <= SERVERS_MAX_COUNT;
}

/** A rule about a server that is not there would never match, and whoever wrote it would not learn that. */
function namesConfiguredServers(
  config: { readonly mcpServers: object; readonly gateway: { readonly policy: readonly PolicyRule[] } },
  context: z.RefinementCtx,
): void {
  for (const [index, { match }] of config.gateway.policy.entries()) {
    if (match.server === undefined || Object.hasOwn(config.mcpServers, match.server)) continue;
    const path = ["gateway", "policy", index, "match", "server"];
    const known = Object.keys(config.mcpServers).join(", ");
    context.addIssue({
      code: "custom",
      path,
      message: `names no server: write one of mcpServers (${known})`,
    });
  }
}

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where the editor finds this schema."),
    mcpServers: z
      .record(z.string().min(1).max(CONFIG_SERVER_NAME_MAX_CHARS), serverSchema)
      .refine(hasRoomForServers, `has more than ${SERVERS_MAX_COUNT} servers: remove some`)
      .default({})
      .describe("The MCP servers behind the gateway, by name: the block MCP clients already have."),
    gateway: gatewaySchema.prefault({}).describe("How the gateway behaves."),
    records: recordsSchema.prefault({}).describe("Where the read surface reads."),
  })
  .superRefine(namesConfiguredServers);

export type Config = z.output<typeof configSchema>;
/** A block with a server behind it. */
export type ServerConfig = z.output<typeof httpServerSchema>;
/** A block that is its own server. */
export type StaticServerConfig = z.output<typeof staticServerSchema>;
export type ServerBlock = ServerConfig | StaticServerConfig;
export type SchemaLimits = z.output<typeof schemaLimitsSchema>;
export type PolicyRule = z.output<typeof policyRuleSchema>;
export type CallLimits = z.output<typeof callLimitsSchema>;
export type RateLimits = z.output<typeof rateLimitsSchema>;
export type { ArtifactSettings } from "./config-artifacts-schema.ts";
export type { HttpRecordSource, RecordsSettings } from "./config-records-schema.ts";
export type CacheSettings = z.output<typeof cacheSchema>;
