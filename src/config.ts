import * as z from "zod";
import { type Config, configSchema, type RecordsSettings, type ServerBlock } from "./config-schema.ts";
import { isRecord, memberOf } from "./json.ts";
import { readJsonc } from "./jsonc.ts";
import { fail, ok, type Result } from "./result.ts";

export type {
  ArtifactSettings,
  CacheSettings,
  CallLimits,
  Config,
  HttpRecordSource,
  PolicyRule,
  RateLimits,
  SchemaLimits,
  ServerBlock,
  ServerConfig,
  StaticServerConfig,
} from "./config-schema.ts";

/** One thing wrong with the configuration: the key as written in the file, and what to write instead. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

/** Keys that describe a process to start, which a Worker cannot do. */
const STDIO_KEYS = ["command", "args", "env", "cwd"];

/** What a block may be. */
const TYPES: readonly ServerBlock["type"][] = ["http", "static"];
/** What a source of records may be. */
const SOURCE_KINDS: readonly RecordsSettings["sources"][number]["kind"][] = ["d1", "http"];

/** Transports other gateways accept, and what to do about each. */
const REFUSED_TYPES: ReadonlyMap<string, string> = new Map([
  ["stdio", bridgeAdvice()],
  ["sse", 'HTTP+SSE is deprecated: write "type": "http" with the server\'s Streamable HTTP address'],
  ["streamable-http", 'write "type": "http"'],
]);

function bridgeAdvice(): string {
  return (
    "a Worker cannot start a process: bridge the server with " +
    "`npx mcp-proxy --host 127.0.0.1 --port 8090 --apiKey <key> -- <command> <args>` and write " +
    '"url": "http://127.0.0.1:8090/mcp" with "headers": {"X-API-Key": "${env:NAME}"}; a deployed Worker needs it ' +
    "behind https, under a public name"
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
  const stdio = stdioServers(json.value);
  const parsed = configSchema.safeParse(json.value, { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  // A block that describes a process gets one piece of advice, not one complaint for each of its keys.
  const others = parsed.error.issues.filter(
    ({ path: [top, name] }) => top !== "mcpServers" || typeof name !== "string" || !stdio.has(name),
  );
  return fail([...stdio.values(), ...others.flatMap((issue) => problemsOf(issue))]);
}

/** `key: message`, one a line, as a person reads it in a terminal or a log. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ key, message }) => (key === "" ? message : `${key}: ${message}`)).join("\n");
}

/** The servers whose block describes a process, each with its advice. */
function stdioServers(json: unknown): ReadonlyMap<string, ConfigProblem> {
  const found = new Map<string, ConfigProblem>();
  const servers = memberOf(json, "mcpServers");
  for (const [name, block] of Object.entries(isRecord(servers) ? servers : {})) {
    if (!isRecord(block)) continue;
    const key = STDIO_KEYS.find((candidate) => Object.hasOwn(block, candidate));
    if (key !== undefined) {
      found.set(name, { key: keyOf(["mcpServers", name, key]), message: bridgeAdvice() });
    }
  }
  return found;
}

function problemsOf(issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      key: keyOf([...issue.path, key]),
      message: adviceFor(issue.path, key, issue.input),
    }));
  }
  const refused =
    issue.code === "invalid_union" && issue.path[0] === "mcpServers"
      ? REFUSED_TYPES.get(String(memberOf(issue.input, "type")))
      : undefined;
  return [{ key: keyOf(issue.path), message: refused ?? messageOf(issue) }];
}

function adviceFor(path: readonly PropertyKey[], key: string, block: unknown): string {
  if (path.length === 0 && key === "servers") return "unknown key: write mcpServers";
  return `unknown key: write one of ${allowedKeys(path, block).join(", ")}, or remove it`;
}

/** What to write, in words that need no knowledge of the validator. */
function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `is missing: write ${article(issue.expected)} ${issue.expected}`
        : `write ${article(issue.expected)} ${issue.expected}`;
    case "invalid_value":
      return `${issue.input === undefined ? "is missing: " : ""}write one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array"
        ? `must have at most ${issue.maximum} entries`
        : `must be at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    case "invalid_key": {
      const long = issue.issues.find((each) => each.code === "too_big");
      return `must have a name${long === undefined ? "" : ` of at most ${long.maximum} characters`}`;
    }
    case "invalid_union":
      return `write one of ${(issue.path[0] === "records" ? SOURCE_KINDS : TYPES).map((type) => JSON.stringify(type)).join(", ")}`;
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
      return issue.message;
  }
}

function article(word: string): "a" | "an" {
  return /^[aeiou]/.test(word) ? "an" : "a";
}

/**
 * The keys the schema knows at a place, read from the schema itself so that the advice cannot go stale. Of a block whose keys
 * hang on its type, those of this type; further down, of the type that has the key.
 */
function allowedKeys(path: readonly PropertyKey[], block: unknown): string[] {
  let object = unwrap(configSchema);
  for (const step of path.map(String)) {
    if (object instanceof z.ZodDiscriminatedUnion) {
      object = object.options.map(unwrap).find((option) => step in shapeOf(option)) ?? object;
    }
    if (object instanceof z.ZodRecord) object = unwrap(object.valueType);
    else if (object instanceof z.ZodArray) object = unwrap(object.element);
    else if (object instanceof z.ZodObject) {
      const next = shapeOf(object)[step];
      if (next === undefined) return [];
      object = unwrap(next);
    }
  }
  if (object instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = object.def;
    const type = memberOf(block, discriminator);
    object = object.options.find((option) => isOfType(option, discriminator, type)) ?? object;
  }
  return Object.keys(shapeOf(object));
}

function isOfType(block: z.core.$ZodType, discriminator: string, type: unknown): boolean {
  const own = shapeOf(block)[discriminator];
  return own !== undefined && z.safeParse(own, type).success;
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable
  ) {
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
