/**
 * What can be wrong with a tool's schema. The first four are the seed's (000 §4.4) and the configured limits'; the rest
 * are this room's. A code is stable: operators filter on it.
 */
export type FindingCode =
  | "not_well_formed"
  | "size_exceeded"
  | "depth_exceeded"
  | "properties_exceeded"
  | "nodes_exceeded"
  | "unsupported_dialect"
  | "dialect_guessed"
  | "external_ref"
  | "unresolved_ref"
  | "ref_cycle"
  | "chain_exceeded"
  | "composition_exceeded"
  | "dynamic_ref_unsupported"
  | "duplicate_id"
  | "pattern_invalid"
  | "pattern_unsupported"
  | "pattern_legacy"
  | "enum_exceeded"
  | "top_level_not_object"
  | "top_level_type_missing"
  | "annotation_malformed";

/**
 * One thing found. `fatal`: arguments cannot be judged by this schema, so its tool answers SCHEMA_INVALID, that tool
 * alone. Otherwise the tool works, and what could not be checked is left to the upstream. `path` is a JSON Pointer into the schema.
 */
export interface SchemaFinding {
  readonly code: FindingCode;
  readonly path: string;
  readonly fatal: boolean;
}
