import { SURFACE_OUTCOMES } from "../fault/surface.ts";
import { REPLAY_CONTRACTS } from "../replay/contract.ts";
import {
  type AttributeKind,
  ATTEMPTS,
  CODE,
  COUNT,
  FLAG,
  GRANT,
  IDS,
  oneOf,
  STREAM,
  type ValueOf,
} from "./attribute.ts";

/** One kind of event: whether it tells of a success, and the attributes that it must and may have. */
interface EventSpec {
  readonly success: boolean | "either";
  readonly required: Readonly<Record<string, AttributeKind>>;
  readonly optional: Readonly<Record<string, AttributeKind>>;
}

const PRIMITIVE = oneOf(["tool", "resource", "prompt"]);
const SELECTOR = oneOf(["head", "lines", "rows", "json_keys", "json_path", "grep", "bytes", "content"]);
const TRIGGER = oneOf([
  "first_use",
  "interval",
  "operator",
  "unknown_tool",
  "list_changed",
  "promote",
  "rollback",
]);

/** What came back and what of it was shown. */
const RESULT = {
  raw_bytes: COUNT,
  raw_tokens: COUNT,
  shown_bytes: COUNT,
  shown_tokens: COUNT,
  artifact_count: COUNT,
  artifact_bytes: COUNT,
  firewall_triggered: FLAG,
  redactions: COUNT,
} as const;

/**
 * What was asked. Of the arguments only how many there are: their names are a caller's own words wherever a schema takes
 * any member, and its values always.
 */
const CALL = {
  replay: oneOf(REPLAY_CONTRACTS),
  arg_count: COUNT,
  repairs: COUNT,
  generation: COUNT,
} as const;

const SEND = { attempts: ATTEMPTS } as const;
/** Its caller had taken it back. */
const TAKEN_BACK = { cancelled: FLAG } as const;
const FAILURE = { error_code: CODE } as const;
const SENT_FAILURE = {
  ...SEND,
  ...TAKEN_BACK,
  outcome: oneOf(SURFACE_OUTCOMES),
  retryable: FLAG,
} as const;

const CATALOG = {
  server_count: COUNT,
  resource_count: COUNT,
  prompt_count: COUNT,
  skipped_count: COUNT,
  stale_count: COUNT,
  finding_count: COUNT,
  generation: COUNT,
  trigger: TRIGGER,
  error_code: CODE,
} as const;

const REFRESH = {
  ...CATALOG,
  tool_count: COUNT,
  added_count: COUNT,
  removed_count: COUNT,
  changed_count: COUNT,
} as const;

const QUERY = { primitive: PRIMITIVE, query_chars: COUNT, path_depth: COUNT, generation: COUNT } as const;

/** What is asked of records, by the read surface's tools and by REST alike. */
export const RECORD_OPERATIONS = [
  "schema",
  "streams",
  "query_records",
  "fetch",
  "aggregate",
  "search",
  "ingest",
  "other",
] as const;
const RECORDS = { operation: oneOf(RECORD_OPERATIONS), via: oneOf(["mcp", "rest"]) } as const;

/**
 * Every event of a gateway (seed 000 §4.5 and the metadata-only diagnostics of its original), and nothing else. Whether
 * a tool itself reported an error is the `status` of `execute.completed`; `execute.failed` tells that no answer came.
 * Each call ends in exactly one of them.
 */
export const EVENTS = {
  "catalog.loaded": { success: "either", required: { tool_count: COUNT }, optional: CATALOG },
  "catalog.refresh": { success: "either", required: { changed: FLAG }, optional: REFRESH },
  "catalog.refresh.live": { success: "either", required: { changed: FLAG }, optional: REFRESH },
  "browse.completed": {
    success: true,
    required: { card_count: COUNT },
    optional: {
      ...QUERY,
      total_count: COUNT,
      card_tokens: COUNT,
      schema_tokens_avoided: COUNT,
      ambiguous: FLAG,
      weak: FLAG,
      tool_ids: IDS,
    },
  },
  "browse.failed": { success: false, required: FAILURE, optional: { ...QUERY, retryable: FLAG } },
  "hydrate.completed": {
    success: true,
    required: {},
    optional: { schema_bytes: COUNT, schema_tokens: COUNT, generation: COUNT },
  },
  "hydrate.failed": { success: false, required: FAILURE, optional: { retryable: FLAG, generation: COUNT } },
  "view.completed": {
    success: true,
    required: { selector_type: SELECTOR },
    optional: { shown_bytes: COUNT, shown_tokens: COUNT, total_bytes: COUNT, continues: FLAG },
  },
  "view.failed": {
    success: false,
    required: FAILURE,
    optional: { selector_type: SELECTOR, retryable: FLAG },
  },
  "execute.completed": {
    success: "either",
    required: { ...SEND, status: oneOf(["ok", "error", "partial"]) },
    optional: { ...CALL, ...RESULT, ...TAKEN_BACK, cache_hit: FLAG },
  },
  "execute.failed": { success: false, required: FAILURE, optional: { ...CALL, ...SENT_FAILURE } },
  "execute.dry_run": {
    success: "either",
    required: { args_valid: FLAG },
    optional: { ...CALL, error_code: CODE },
  },
  "execute.cache_hit": { success: true, required: {}, optional: { ...CALL, ...RESULT, age_ms: COUNT } },
  "execute.denied": {
    success: false,
    required: { ...FAILURE, action: oneOf(["deny", "require_approval"]) },
    optional: { ...CALL, rule_index: COUNT, dry_run: FLAG },
  },
  "execute.rate_limited": {
    success: false,
    required: {
      scope: oneOf([
        "meta_tool_minute",
        "meta_tool_session",
        "tool_minute",
        "tool_session",
        // The same call is running still, or as many of the principal's as may.
        "in_flight",
        "upstream",
      ]),
    },
    optional: {
      ...CALL,
      ...SEND,
      ...TAKEN_BACK,
      retry_after_ms: COUNT,
      per: oneOf(["session", "principal"]),
    },
  },
  "read.completed": { success: "either", required: SEND, optional: { ...CALL, ...RESULT, ...TAKEN_BACK } },
  "read.failed": { success: false, required: FAILURE, optional: { ...CALL, ...SENT_FAILURE } },
  "prompt.completed": { success: "either", required: SEND, optional: { ...CALL, ...RESULT, ...TAKEN_BACK } },
  "prompt.failed": { success: false, required: FAILURE, optional: { ...CALL, ...SENT_FAILURE } },
  /** Of records only under which grant, which stream and how many: keys, fields' values, queries and filters have no place. */
  "records.completed": {
    success: true,
    required: RECORDS,
    optional: { grant: GRANT, stream: STREAM, row_count: COUNT },
  },
  "records.failed": {
    success: false,
    required: { ...RECORDS, ...FAILURE },
    optional: { grant: GRANT, stream: STREAM, http_status: COUNT },
  },
} as const satisfies Readonly<Record<string, EventSpec>>;

type Vocabulary = typeof EVENTS;

export type EventName = keyof Vocabulary;

export type AttributesOf<Name extends EventName> = {
  readonly [Key in keyof Vocabulary[Name]["required"]]: ValueOf<Vocabulary[Name]["required"][Key]>;
} & {
  readonly [Key in keyof Vocabulary[Name]["optional"]]?: ValueOf<Vocabulary[Name]["optional"][Key]>;
};

export type SuccessOf<Name extends EventName> = Vocabulary[Name]["success"] extends boolean
  ? Vocabulary[Name]["success"]
  : boolean;

export function isEventName(value: unknown): value is EventName {
  return typeof value === "string" && Object.hasOwn(EVENTS, value);
}

/** The vocabulary's entry, as a reader of any event needs it. */
export function specOf(name: EventName): EventSpec {
  return EVENTS[name];
}
