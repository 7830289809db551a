/** A comparison that a filter may make besides equality. */
export const RANGE_OPERATORS = ["gte", "gt", "lte", "lt"] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

/** What a declared field holds, as far as filters, order and groups are concerned. `other`: arrays, objects, several types. */
export type FieldKind = "text" | "integer" | "number" | "boolean" | "time" | "date" | "other";

export interface FieldDeclaration {
  readonly name: string;
  readonly kind: FieldKind;
  /** The field's JSON Schema as the manifest has it. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: boolean;
}

export interface Relationship {
  readonly name: string;
  readonly stream: string;
  /** The child's field that holds the parent's key. */
  readonly foreignKey: string;
  readonly cardinality: "has_one" | "has_many";
  /** Null where the stream does not offer the relation for expansion. */
  readonly expand: { readonly defaultLimit: number; readonly maxLimit: number } | null;
}

export interface StreamView {
  readonly id: string;
  readonly label: string | null;
  readonly fields: readonly string[];
}

export interface AggregationDeclarations {
  readonly count: boolean;
  readonly sum: ReadonlySet<string>;
  readonly min: ReadonlySet<string>;
  readonly max: ReadonlySet<string>;
  readonly groupBy: ReadonlySet<string>;
  readonly groupByTime: ReadonlySet<string>;
  readonly countDistinct: ReadonlySet<string>;
}

/** One stream of a manifest, read and judged. */
export interface StreamManifest {
  readonly name: string;
  readonly semantics: "append_only" | "mutable_state";
  readonly primaryKey: readonly string[];
  readonly cursorField: string | null;
  readonly consentTimeField: string | null;
  /** In the order of the manifest. A `Map`, since a field may be called `__proto__`. */
  readonly fields: ReadonlyMap<string, FieldDeclaration>;
  readonly relationships: readonly Relationship[];
  readonly views: readonly StreamView[];
  readonly rangeFilters: ReadonlyMap<string, readonly RangeOperator[]>;
  readonly lexicalFields: readonly string[];
  /** Null where the stream declares none at all. */
  readonly aggregations: AggregationDeclarations | null;
  /** The stream as the manifest has it, for the full schema. */
  readonly source: Readonly<Record<string, unknown>>;
}

export interface ConnectorManifest {
  readonly connectorKey: string;
  readonly connectorId: string;
  readonly displayName: string | null;
  readonly streams: ReadonlyMap<string, StreamManifest>;
}

/** A typed column of `records`: `t1`, `n1`, `d1`, … */
export type Slot = `${"t" | "n" | "d"}${number}`;

/** Which column holds which field of a stream; a scalar field without one is read out of the body, without an index. */
export type StreamSlots = ReadonlyMap<string, Slot>;

/** By what the rows of a stream's records are made. */
export interface StreamForm {
  readonly stream: StreamManifest;
  readonly slots: StreamSlots;
}
