import { z } from "zod";
import { type Config, configSchema } from "./config-schema.ts";
import { isRecord } from "./json.ts";
import { readJsonc } from "./jsonc.ts";
import { fail, ok, type Result } from "./result.ts";

export type { Config, SchemaLimits, ServerConfig } from "./config-schema.ts";

/** One thing wrong with the configuration: the key as written in the file, and what to write instead. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

/** Keys of the contract whose feature this version does not have, by the place they belong to. */
const UNBUILT_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["records"]],
  ["mcpServers.*", ["trust_hints", "replay", "redact", "candidate"]],
  ["gateway", ["tolerant_args", "redact", "retry", "cache", "rate_limits", "policy", "artifacts", "pin"]],
]);

/** Keys that describe a process to start, which a Worker cannot do. */
const STDIO_KEYS = ["command", "args", "env", "cwd"];

/** Transports other gateways accept, and what to do about each. */
const REFUSED_TYPES: ReadonlyMap<string, string> = new Map([
  ["stdio", bridgeAdvice()],
  ["sse", 'HTTP+SSE is deprecated: write "type": "http" with the server\'s Streamable HTTP address'],
  ["streamable-http", 'write "type": "http"'],
]);

function bridgeAdvice(): string {
  return (
    "a Worker cannot start a process: bridge the server with " +
    "`npx mcp-proxy --port 8090 --apiKey <key> -- <command> <args>`, put that behind https, and write " +
    '"url": "https://<its host>/mcp" with "headers": {"X-API-Key": "${env:NAME}"}'
  );
}

/**
 * Judges the text of `loomgate.jsonc`: its shape, its keys and their values, all problems at once. `${env:…}` stays as
 * written: see `config-env.ts`.
 */
export function parseConfig(text: string): Result<Config, readonly ConfigProblem[]> {
  const json = readJsonc(text);
  if (!json.ok) {
    const { line, column, message } = json.reason;
    return fail([{ key: "", message: `line ${line}, column ${column}: ${message}` }]);
  }
  const stdio = stdioProblems(json.value);
  if (stdio.length > 0) return fail(stdio);
  const parsed = configSchema.safeParse(json.value, { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  return fail(parsed.error.issues.flatMap((issue) => problemsOf(issue)));
}

/** `key: message`, one a line, as a person reads it in a terminal or a log. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ key, message }) => (key === "" ? message : `${key}: ${message}`)).join("\n");
}

/** A server's block that describes a process gets one piece of advice, not one complaint for each of its keys. */
function stdioProblems(json: unknown): ConfigProblem[] {
  if (!isRecord(json) || !isRecord(json["mcpServers"])) return [];
  return Object.entries(json["mcpServers"]).flatMap(([name, block]) => {
    if (!isRecord(block)) return [];
    const key = STDIO_KEYS.find((candidate) => Object.hasOwn(block, candidate));
    if (key === undefined) return [];
    return [{ key: keyOf(["mcpServers", name, key]), message: bridgeAdvice() }];
  });
}

function problemsOf(issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code === "unrecognized_keys") {
    const place = placeOf(issue.path);
    return issue.keys.map((key) => ({
      key: keyOf([...issue.path, key]),
      message: UNBUILT_KEYS.get(place)?.includes(key)
        ? "this version does not have the feature yet: remove the key"
        : `unknown key: write one of ${allowedKeys(place).join(", ")}, or remove it`,
    }));
  }
  const field = issue.path.at(-1);
  const refused =
    field === "type" && typeof issue.input === "string" ? REFUSED_TYPES.get(issue.input) : undefined;
  return [{ key: keyOf(issue.path), message: refused ?? issue.message }];
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path[0] === "mcpServers" && path.length > 1) return ["mcpServers", "*", ...path.slice(2)].join(".");
  return path.join(".");
}

/** The keys the schema knows at a place, read from the schema itself so that the advice cannot go stale. */
function allowedKeys(place: string): string[] {
  let object = unwrap(configSchema);
  for (const step of place === "" ? [] : place.split(".")) {
    if (object instanceof z.ZodRecord) object = unwrap(object.valueType);
    else if (object instanceof z.ZodObject) {
      const shape: Readonly<Record<string, z.core.$ZodType>> = object.shape;
      const next = shape[step];
      if (next === undefined) return [];
      object = unwrap(next);
    }
  }
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap();
  }
  return inner;
}

/** A path as one would write it: `mcpServers.github.url`, `mcpServers["my server"].url`. */
export function keyOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      const text = String(part);
      if (typeof part === "number") return `[${text}]`;
      if (/^[A-Za-z_$][\w$-]*$/.test(text)) return index === 0 ? text : `.${text}`;
      return `[${JSON.stringify(text)}]`;
    })
    .join("");
}
