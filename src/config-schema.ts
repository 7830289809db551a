import { z } from "zod";
import {
  BROWSE_TOP_K_DEFAULT,
  BROWSE_TOP_K_MAX,
  REFRESH_INTERVAL_DEFAULT_SECONDS,
  REFRESH_INTERVAL_MIN_SECONDS,
  SCHEMA_MAX_BYTES_DEFAULT,
  SCHEMA_MAX_DEPTH_DEFAULT,
  SCHEMA_MAX_PROPERTIES_DEFAULT,
  UPSTREAM_TIMEOUT_DEFAULT_MS,
  UPSTREAM_TIMEOUT_MAX_MS,
} from "./limits.ts";

/**
 * The shape of `loomgate.jsonc`. Descriptions show in editors through `loomgate.schema.json`, which is made from this
 * file. A key stands here only when the code behind it exists.
 */

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

const globs = z.array(z.string().min(1));

const serverSchema = z.strictObject({
  type: z.literal("http").default("http").describe("Streamable HTTP, the only transport a Worker can reach."),
  url: z
    .string()
    .min(1)
    .describe("The server's Streamable HTTP address: https, by host name. `${env:NAME}` is replaced."),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe("Sent with every request to this server. `${env:NAME}` in a value is replaced."),
  namespace: z
    .enum(["server", "infer"])
    .default("server")
    .describe(
      "Where the first part of a tool's id comes from: this server's name, or the tool's own prefix.",
    ),
  include: globs.default(["*"]).describe("Globs over the upstream's own tool names: what to list."),
  exclude: globs
    .default([])
    .describe("Globs over the upstream's own tool names: what to leave out. Exclude wins."),
  timeout_ms: z
    .int()
    .min(1)
    .max(UPSTREAM_TIMEOUT_MAX_MS)
    .default(UPSTREAM_TIMEOUT_DEFAULT_MS)
    .describe("The deadline of one call, in milliseconds, answer included."),
  required: z
    .boolean()
    .default(false)
    .describe("A refresh in which this server fails leaves the whole catalog as it was."),
  disabled: z.boolean().default(false).describe("Keeps the block but does not use the server."),
});

const schemaLimitsSchema = z.strictObject({
  max_bytes: z.int().min(1).default(SCHEMA_MAX_BYTES_DEFAULT).describe("Size of one schema as compact JSON."),
  max_depth: z.int().min(1).default(SCHEMA_MAX_DEPTH_DEFAULT).describe("Nesting of one schema."),
  max_properties: z.int().min(1).default(SCHEMA_MAX_PROPERTIES_DEFAULT).describe("Properties of one schema."),
  on_invalid: z
    .enum(["flag", "reject"])
    .default("flag")
    .describe("What a broken schema does to its tool: listed with a finding, or left out."),
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
    .default(REFRESH_INTERVAL_DEFAULT_SECONDS)
    .describe("How often the servers are listed again, in seconds."),
  schema_limits: schemaLimitsSchema
    .prefault({})
    .describe("What a tool's input schema may measure before it counts as broken."),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("Where the editor finds this schema."),
  mcpServers: z
    .record(z.string().min(1), serverSchema)
    .default({})
    .describe("The MCP servers behind the gateway, by name: the block MCP clients already have."),
  gateway: gatewaySchema.prefault({}).describe("How the gateway behaves."),
});

export type Config = z.output<typeof configSchema>;
export type ServerConfig = z.output<typeof serverSchema>;
export type SchemaLimits = z.output<typeof schemaLimitsSchema>;
