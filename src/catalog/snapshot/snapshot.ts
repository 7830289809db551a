import type { SectionForm } from "../../packed/sections.ts";
import type { OtherKind } from "../catalog.ts";
import type { Card } from "../cards/card.ts";

/**
 * Raise it with any change to the form or meaning of a snapshot, its index or a shard: two formats never share a pointer.
 * So too with any change to how trees are built or words expanded: a snapshot copies both from the one before.
 */
export const SNAPSHOT_FORMAT = 3;

/** A tool in a snapshot. */
export interface SnapshotTool {
  readonly id: string;
  readonly server: string;
  readonly upstreamName: string;
  readonly listedName: string;
  readonly listedDescription: string;
  readonly card: Card;
  readonly line: string;
  readonly tokens: number;
  readonly definitionHash: string;
}

/** A tool's bytes: without the listed description where that is the card's, as most are. */
export type ToolRecord = Omit<SnapshotTool, "listedDescription"> &
  Partial<Pick<SnapshotTool, "listedDescription">>;

/**
 * The sections of a snapshot (`packed/sections.ts`), in this order. A tool is its place among the ids in code point order,
 * which is its document in the index too. "Texts" are slices (`packed/slices.ts`).
 *
 *     0  JSON   {"namespaces": [[namespace, tools], …] in code point order, "shards": [hash, …]}, before them "kind" if not tools, behind them "leftOut"
 *     1         the packed index (`routing/index/index-form.ts`); it has the ids
 *     2  texts  by tool: JSON of a `ToolRecord`
 *     3  u32    by tool: the place of its shard in `shards`
 *     4  lists  by listed name: its one tool (`packed/lists.ts`, sections 4, 5 and 6)
 *     7  texts  by namespace: JSON of its node's children in the tree
 */
export const SNAPSHOT_FORM: SectionForm = { magic: 0x4e_53_47_4c, version: SNAPSHOT_FORMAT, sections: 8 };

/** Section 0. What changes without a change of content (staleness) is in the pointer. */
export interface SnapshotHead {
  /** Absent for tools. Ids begin with it, and within it with their namespace. */
  readonly kind?: OtherKind;
  readonly namespaces: readonly (readonly [namespace: string, tools: number])[];
  /** Content hashes, in the order of the tools that they hold. */
  readonly shards: readonly string[];
  /** Absent where nothing is. */
  readonly leftOut?: LeftOut;
}

/** By server, in code point order: URIs and templates that its block's `exclude` left out, and that a template of it may give. */
export type LeftOut = readonly (readonly [server: string, texts: readonly string[]])[];

/** What the ids of a namespace's items begin with. */
export function idStart(kind: OtherKind | undefined, namespace: string): string {
  return `${kind === undefined ? "" : `${kind}::`}${namespace}:`;
}
