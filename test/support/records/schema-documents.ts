import fc from "fast-check";

/** A stream as a test wants it; what is not given is plain. */
export interface TestStream {
  readonly name: string;
  readonly fields?: readonly string[];
  /** Not granted. */
  readonly denied?: readonly string[];
  readonly relations?: readonly string[];
  readonly connections?: readonly string[];
  readonly lexical?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly sum?: readonly string[];
}

export interface TestConnector {
  readonly key: string;
  readonly streams: readonly TestStream[];
}

const yes = { declared: true, usable: true };
const no = { declared: false, usable: false };

function capability(stream: TestStream, name: string): object {
  const granted = stream.denied?.includes(name) !== true;
  const on = (names: readonly string[] | undefined): object => (names?.includes(name) === true ? yes : no);
  return {
    schema: { type: "string" },
    granted,
    exact_filter: granted ? yes : { declared: true, usable: false, reason: "field_not_granted" },
    range_filter: { ...yes, operators: ["gte", "lt"] },
    lexical_search: on(stream.lexical),
    semantic_search: no,
    aggregation: { group_by: on(stream.groupBy), sum: on(stream.sum), min: no, max: no },
  };
}

function relation(name: string): object {
  return {
    name,
    stream: name,
    target_stream: name,
    cardinality: "has_many",
    granted: true,
    usable: true,
    default_limit: 2,
    max_limit: 5,
  };
}

function granted(connections: readonly string[] | undefined): object {
  if (connections === undefined) return {};
  return {
    granted_connections: connections.map((id) => ({ connection_id: id, display_name: `Label of ${id}` })),
  };
}

/** A stream's row in the full form of a resource server. */
function fullStream(stream: TestStream): object {
  const fields = stream.fields ?? ["id"];
  return {
    object: "stream_metadata",
    name: stream.name,
    primary_key: ["id"],
    cursor_field: fields[1] ?? "id",
    field_capabilities: Object.fromEntries(fields.map((name) => [name, capability(stream, name)])),
    expand_capabilities: (stream.relations ?? []).map(relation),
    query: { aggregations: { count: true } },
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])),
    },
    views: [{ id: "all", fields }],
    ...granted(stream.connections),
  };
}

/** A document with its streams under their connectors. */
export function nestedDocument(connectors: readonly TestConnector[]): object {
  return {
    object: "schema",
    bearer: { scope: "grant", token_kind: "client" },
    connectors: connectors.map(({ key, streams }) => ({
      object: "connector",
      connector_key: key,
      connector_id: key,
      streams: streams.map(fullStream),
    })),
    meta: { warnings: [] },
  };
}

/** A document with its streams at the top. */
export function flatDocument(connectors: readonly TestConnector[]): object {
  return {
    object: "schema",
    streams: connectors.flatMap(({ key, streams }) =>
      streams.map((stream) => ({ ...fullStream(stream), connector_key: key })),
    ),
  };
}

const plain = fc.string({
  unit: fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyz0123456789_")),
  minLength: 3,
  maxLength: 40,
});

/** Schemas of up to eighty streams, twenty connections and sixty fields. */
export const anySchema: fc.Arbitrary<readonly TestConnector[]> = fc
  .record({
    keys: fc.uniqueArray(plain, { minLength: 1, maxLength: 20 }),
    connections: fc.uniqueArray(plain, { minLength: 1, maxLength: 20 }),
    streams: fc.uniqueArray(plain, { minLength: 1, maxLength: 80 }),
    fields: fc.uniqueArray(plain, { minLength: 1, maxLength: 60 }),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  })
  .map(({ keys, connections, streams, fields, seed }) => {
    const some = <Item>(items: readonly Item[], salt: number): readonly Item[] => {
      const kept = items.filter((_item, index) => ((seed >> ((index + salt) % 29)) + index * salt) % 3 !== 0);
      return kept.length === 0 ? items.slice(0, 1) : kept;
    };
    return keys.map((key, at) => ({
      key,
      streams: streams
        .filter((_name, index) => index % keys.length === at)
        .map((name, index) => ({
          name,
          fields,
          relations: index % 2 === 0 ? streams.slice(0, 3) : [],
          connections: some(connections, index + at),
          lexical: some(fields, index + 1),
          groupBy: some(fields, index + 2),
          sum: some(fields, index + 3),
        })),
    }));
  });
