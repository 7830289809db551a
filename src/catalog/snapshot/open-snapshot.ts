import { CATALOG_ID_MAX_CHARS } from "../../limits.ts";
import { isRecord, memberOf } from "../../json.ts";
import { type Lists, openLists, rangeOf } from "../../packed/lists.ts";
import { numbersOf } from "../../packed/numbers.ts";
import { damaged, openSections, type PackedFault } from "../../packed/sections.ts";
import { Slices } from "../../packed/slices.ts";
import { ok, type Result } from "../../result.ts";
import { type IndexParts, indexOver, openParts } from "../../routing/index/open-index.ts";
import type { RoutingIndex } from "../../routing/index/routing-index.ts";
import type { TreeNode } from "../tree/tree.ts";
import type { OtherKind } from "../catalog.ts";
import { idStart, SNAPSHOT_FORM, type SnapshotHead, type SnapshotTool, type ToolRecord } from "./snapshot.ts";

/** Reads JSON out of a snapshot; a test may count. */
export type DecodeJson = (bytes: Uint8Array) => unknown;

const decoder = new TextDecoder();

function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}

/** The inside of each part is trusted: a snapshot is only read after its content hash has held. */
function isHead(value: unknown): value is SnapshotHead {
  return Array.isArray(memberOf(value, "namespaces")) && Array.isArray(memberOf(value, "shards"));
}

function isRecordOfTool(value: unknown): value is ToolRecord {
  return isRecord(value) && typeof value["id"] === "string";
}

function isChildren(value: unknown): value is TreeNode["children"] {
  return Array.isArray(value);
}

/** The parts of a snapshot as views over its bytes. */
export interface SnapshotParts {
  readonly head: SnapshotHead;
  readonly index: IndexParts;
  readonly records: Slices;
  readonly shardPlaces: ArrayLike<number>;
  readonly listed: Lists;
  readonly trees: Slices;
}

/**
 * One content of the catalog, immutable, over its bytes: nothing is decoded but what is asked for. A tool is its place, from
 * 0 to `count`, in the order of ids by code point.
 */
export class Snapshot {
  /** Undefined for tools. */
  readonly kind: OtherKind | undefined;
  readonly count: number;
  readonly index: RoutingIndex;
  /** In code point order. */
  readonly namespaces: readonly { readonly namespace: string; readonly tools: number }[];
  /** Content hashes, in the order of the tools that they hold. */
  readonly shards: readonly string[];
  readonly #parts: SnapshotParts;
  readonly #decode: DecodeJson;
  #ids: readonly string[] | undefined;
  readonly #children = new Map<number, TreeNode["children"]>();

  constructor(parts: SnapshotParts, decode: DecodeJson = decodeJson) {
    this.#parts = parts;
    this.#decode = decode;
    this.kind = parts.head.kind;
    this.count = parts.index.ids.count;
    this.index = indexOver(parts.index);
    this.namespaces = parts.head.namespaces.map(([namespace, tools]) => ({ namespace, tools }));
    this.shards = parts.head.shards;
  }

  id(place: number): string {
    return this.#parts.index.ids.text(place);
  }

  /** All ids in code point order: decoded once, when they are first asked for. */
  get ids(): readonly string[] {
    this.#ids ??= Array.from({ length: this.count }, (_, place) => this.id(place));
    return this.#ids;
  }

  /** Decodes one tool; undefined for a place that there is not. */
  tool(place: number): SnapshotTool | undefined {
    if (place < 0 || place >= this.count) return undefined;
    const value = this.#decode(this.#parts.records.bytes(place));
    if (!isRecordOfTool(value)) return undefined;
    return { ...value, listedDescription: value.listedDescription ?? value.card.description };
  }

  /** The place of a canonical id or a listed name, -1 for neither; no name is both, since only ids have a colon. */
  find(idOrListedName: string): number {
    // Longer than any id, it names nothing, and must not be encoded to find that out.
    if (idOrListedName.length > CATALOG_ID_MAX_CHARS) return -1;
    if (idOrListedName.includes(":")) return this.#parts.index.ids.find(idOrListedName);
    const { from, to } = rangeOf(this.#parts.listed, idOrListedName);
    return from < to ? (this.#parts.listed.numbers[from] ?? -1) : -1;
  }

  /** The place of the first tool whose id is behind a text, which need not be an id. */
  firstAfter(text: string | undefined): number {
    if (text === undefined) return 0;
    // Longer than any id, it stands where its beginning does, and must not be encoded to find that out.
    const { ids } = this.#parts.index;
    const after = text.slice(0, CATALOG_ID_MAX_CHARS + 1);
    const place = ids.lowerBound(after);
    return place < this.count && ids.text(place) === after ? place + 1 : place;
  }

  /** Content hash of the shard that has a tool's definition. */
  shardOf(place: number): string | undefined {
    return this.shards[this.#parts.shardPlaces[place] ?? -1];
  }

  /** What a server's block leaves out of its list, and a template of it may give. */
  leftOut(server: string): readonly string[] {
    return this.#parts.head.leftOut?.find(([name]) => name === server)?.[1] ?? [];
  }

  /** The places of a namespace's tools: they stand together. */
  placesOf(namespace: string): { readonly from: number; readonly to: number } {
    const { ids } = this.#parts.index;
    const start = idStart(this.kind, namespace);
    // `;` is the character after `:`.
    return { from: ids.lowerBound(start), to: ids.lowerBound(`${start.slice(0, -1)};`) };
  }

  /** What is below a namespace, by its place among them: decoded once, when it is first looked into. */
  childrenOf(at: number): TreeNode["children"] {
    const known = this.#children.get(at);
    if (known !== undefined) return known;
    const value = at < this.#parts.trees.count ? this.#decode(this.#parts.trees.bytes(at)) : [];
    const children = isChildren(value) ? value : [];
    this.#children.set(at, children);
    return children;
  }
}

/** Opens without copying; decodes the head alone. */
export function openSnapshotParts(bytes: Uint8Array): Result<SnapshotParts, PackedFault> {
  const opened = openSections(SNAPSHOT_FORM, bytes);
  if (!opened.ok) return opened;
  const section = (at: number): Uint8Array => opened.value[at] ?? new Uint8Array();
  const head = headOf(section(0));
  if (head === undefined) return damaged("head");
  const index = openParts(section(1));
  if (!index.ok) return index;
  const { count } = index.value.ids;
  const [records, trees] = [Slices.open(section(2)), Slices.open(section(7))];
  const [shardPlaces, listed] = [numbersOf(section(3), 4), openLists(opened.value, 4, count)];
  if (records?.count !== count || shardPlaces?.length !== count) return damaged("tools");
  if (listed?.keys.count !== count) return damaged("listed names");
  if (trees?.count !== head.namespaces.length) return damaged("trees");
  return ok({ head, index: index.value, records, shardPlaces, listed, trees });
}

/** Opens a snapshot whose hash has held: views, nothing copied; a reason for another format and for damaged bytes. */
export function openSnapshot(bytes: Uint8Array, decode?: DecodeJson): Result<Snapshot, PackedFault> {
  const parts = openSnapshotParts(bytes);
  return parts.ok ? ok(new Snapshot(parts.value, decode)) : parts;
}

function headOf(bytes: Uint8Array): SnapshotHead | undefined {
  try {
    const value = decodeJson(bytes);
    return isHead(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
