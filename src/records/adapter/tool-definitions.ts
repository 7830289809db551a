import { RECORDS_PAGE_MAX_COUNT } from "../../limits.ts";
import type { ToolDefinition } from "../../surface.ts";
import type { SourceDescription } from "../source/read-source.ts";

export const RECORD_TOOL_NAMES = ["schema", "query_records", "aggregate", "search", "fetch"] as const;
export type RecordToolName = (typeof RECORD_TOOL_NAMES)[number];

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

type Keywords = Readonly<Record<string, unknown>>;

const string = (description?: string): Keywords => ({
  type: "string",
  ...(description === undefined ? {} : { description }),
});
const strings = (description: string): Keywords => ({
  type: "array",
  items: { type: "string" },
  minItems: 1,
  description,
});
const oneOf = (names: readonly string[], description?: string): Keywords => ({
  ...string(description),
  enum: names,
});
const limit = (unit: string): Keywords => ({
  type: "integer",
  minimum: 1,
  maximum: RECORDS_PAGE_MAX_COUNT,
  description: unit,
});

const connection = string();
const filter: Keywords = {
  type: "object",
  minProperties: 1,
  additionalProperties: {
    anyOf: [
      { type: ["string", "number", "boolean"] },
      {
        type: "object",
        minProperties: 1,
        properties: { gte: {}, gt: {}, lte: {}, lt: {} },
        additionalProperties: false,
      },
    ],
  },
};
const expand = strings("Relations of the stream's expand= line; one hop.");
const expandLimit: Keywords = {
  type: "object",
  minProperties: 1,
  additionalProperties: { type: "integer", minimum: 1 },
  description: 'Children a relation: {"messages":3}.',
};
const fields = strings("Only these fields of each record.");

export const SCHEMA_DETAILS = ["compact", "full"] as const;
export const ORDERS = ["asc", "desc"] as const;
export const COUNTS = ["none", "estimated", "exact"] as const;
export const METRICS = ["count", "sum", "min", "max", "count_distinct"] as const;
export const GRANULARITIES = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export const SEARCH_MODES = ["lexical", "semantic", "hybrid"] as const;

function tool(
  name: RecordToolName,
  title: string,
  description: string,
  properties: Keywords,
  required: readonly string[],
): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    annotations: ANNOTATIONS,
  };
}

/** The five tools with all that any source takes (seed 002: exactly these). */
const ALL_TOOLS: readonly ToolDefinition[] = [
  tool(
    "schema",
    "Discover streams",
    "Lists the granted streams and connections; with stream, what can be asked of it, so that a read is narrow. Call it first. " +
      "Read-only: GET /v1/schema. The server instructions tell how connection_id, filter and paging go.",
    {
      stream: string("A stream's name: its fields, filters, sort, relations, search and aggregation."),
      connection_id: connection,
      detail: oneOf(SCHEMA_DETAILS, "full adds the JSON Schema of one stream; needs stream."),
    },
    [],
  ),
  tool(
    "query_records",
    "Query records",
    "Reads a stream's records, one page at a time, or what changed since a bookmark. Narrow with filter, fields and limit; to " +
      "count or group use aggregate, to find words use search. Read-only: GET /v1/streams/{stream}/records. schema tells " +
      "connection_id and the filters. Text previews the records and has every handle; the structured output has the page in full.",
    {
      stream: string(),
      connection_id: connection,
      limit: limit("Records a page; default 25."),
      cursor: string("next_cursor of the page before."),
      order: oneOf(ORDERS, "Default desc."),
      sort: string("The field of the stream's sort= line, with - for descending."),
      count: oneOf(COUNTS),
      filter: { ...filter, description: 'By field: {"sender":"ann","size":{"gte":5}}. All must hold.' },
      fields,
      view: string("A named projection of the stream; not with fields."),
      expand,
      expand_limit: expandLimit,
      changes_since: string('"beginning", or next_changes_since of the last answer.'),
    },
    ["stream"],
  ),
  tool(
    "aggregate",
    "Aggregate records",
    "Counts, sums or groups a stream's records: use it wherever full records are not needed. Read-only: GET " +
      "/v1/streams/{stream}/aggregate. Which fields and filters a stream has, and its connection_id, is in schema. The structured " +
      "output has every group up to limit.",
    {
      stream: string(),
      connection_id: connection,
      metric: oneOf(METRICS),
      field: string("What is summed or compared; not for count."),
      group_by: string("Count by this field's values."),
      group_by_time: string("Count by this time field, with granularity."),
      granularity: oneOf(GRANULARITIES),
      time_zone: string("IANA name; default UTC."),
      limit: limit("Groups at most; default 10."),
      filter,
    },
    ["stream", "metric"],
  ),
  tool(
    "search",
    "Search records",
    "Finds records by words, best first, over every granted connection or one. Read-only: GET /v1/search. Each hit's id is for " +
      "fetch; narrow with streams, page with cursor, count with aggregate. For connection_id and filter see schema and the server " +
      "instructions. The structured output has all hits of the page in results.",
    {
      q: string("The words."),
      connection_id: connection,
      streams: strings("Only these streams."),
      limit: limit("Hits a page over all connections; default 25."),
      cursor: string(),
      mode: oneOf(SEARCH_MODES, "Default lexical; others only where a stream's search= line has them."),
      filter: { ...filter, description: "Needs exactly one stream in streams." },
    },
    ["q"],
  ),
  tool(
    "fetch",
    "Fetch a record",
    "Reads one record as a document: id, title, text, url, metadata, the same in text and structured output. Read-only: GET " +
      "/v1/streams/{stream}/records/{id}. Narrow with fields; several records are a page of query_records, numbers about them an " +
      "aggregate. An id has its connection_id in it: see the server instructions.",
    {
      id: string("Of search or query_records."),
      connection_id: connection,
      fields,
      expand,
      expand_limit: expandLimit,
    },
    ["id"],
  ),
];

/** The same without what the embedded server never has: other ways of search than by words. */
const EMBEDDED_TOOLS: readonly ToolDefinition[] = ALL_TOOLS.map(({ inputSchema, ...rest }) => {
  const properties = Object.entries(inputSchema["properties"] ?? {}).filter(([name]) => name !== "mode");
  return { ...rest, inputSchema: { ...inputSchema, properties: Object.fromEntries(properties) } };
});

/** The five tools over a source, always in this order and with the same bytes for the same kind of source. */
export function toolsOver({
  kind,
  external,
}: Pick<SourceDescription, "kind" | "external">): readonly ToolDefinition[] {
  return kind === "http" || external === true ? ALL_TOOLS : EMBEDDED_TOOLS;
}
