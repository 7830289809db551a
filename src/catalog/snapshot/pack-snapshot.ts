import { compareCodePoints } from "../../code-points.ts";
import { SNAPSHOT_TOOLS_PER_STEP_COUNT } from "../../limits.ts";
import { listedName } from "../../identity/listed-name.ts";
import { NO_LISTS } from "../../packed/lists.ts";
import { Collected, mergeLists } from "../../packed/merge-lists.ts";
import { bytesOf } from "../../packed/numbers.ts";
import { packSections } from "../../packed/sections.ts";
import { SliceWriter } from "../../packed/slice-writer.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import {
  draftIndex,
  type DraftDocument,
  type IndexDraft,
  type MeaningsSource,
} from "../../routing/index/draft-index.ts";
import { runToEnd } from "../../routing/index/index-build.ts";
import type { NeighbourTable } from "../../routing/neighbours/table.ts";
import type { OtherKind } from "../catalog.ts";
import type { ComposedTool } from "../refresh/compose.ts";
import type { JudgedTool } from "../refresh/judge-tool.ts";
import { buildTree } from "../tree/tree.ts";
import type { SnapshotParts } from "./open-snapshot.ts";
import { idStart, type LeftOut, SNAPSHOT_FORM, type SnapshotHead, type ToolRecord } from "./snapshot.ts";

/** A tool with the place of the shard that it is in. */
export type PlacedTool = ComposedTool & { readonly shard: number };

/** What is kept of each definition, by the key of its judgement. */
export interface SnapshotSources {
  readonly judged: (key: string) => JudgedTool | undefined;
  readonly analysed: (key: string) => AnalysedDocument | undefined;
}

/** The snapshot before, and the key of each of its tools, by place: a tool of the same key is copied from it. */
export interface SnapshotBefore {
  readonly parts: SnapshotParts;
  readonly keys: readonly string[];
}

/** A snapshot that lacks only what the words of its index mean. */
export interface SnapshotDraft extends Pick<IndexDraft, "hasNewWords"> {
  /** The snapshot's bytes, put together once. See `IndexDraft.pack`. */
  pack(meanings: MeaningsSource): Uint8Array;
}

const encoder = new TextEncoder();

function json(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** A tool's record: the same bytes for the same judgement, since the object is built here, key by key. */
function recordOf(server: string, judged: JudgedTool | undefined): ToolRecord | undefined {
  if (judged?.kind !== "accepted") return undefined;
  const { id, upstreamName, listedDescription, card, line, tokens, definitionHash } = judged;
  return {
    id,
    server,
    upstreamName,
    listedName: judged.listedName ?? listedName(id),
    ...(listedDescription === undefined ? {} : { listedDescription }),
    card,
    line,
    tokens,
    definitionHash,
  };
}

interface Namespace {
  readonly namespace: string;
  /** The place of the first of its tools; the others follow it. */
  readonly first: number;
  /** In the order of their ids. */
  readonly tools: PlacedTool[];
}

function namespacesOf(placed: readonly PlacedTool[]): Namespace[] {
  const groups = new Map<string, Namespace>();
  for (const [first, tool] of placed.entries()) {
    const { namespace } = tool.tool;
    const group = groups.get(namespace);
    if (group === undefined) groups.set(namespace, { namespace, first, tools: [tool] });
    else group.tools.push(tool);
  }
  return [...groups.values()].sort((left, right) => compareCodePoints(left.namespace, right.namespace));
}

/**
 * A namespace's part of the tree before, if its ids are those of before: it hangs on nothing else. `oldPlaces` has the place
 * before of each tool that is the same, whose id need not be read.
 */
function treeBefore(
  { namespace, first, tools }: Namespace,
  oldPlaces: Int32Array,
  before: SnapshotParts | undefined,
): Uint8Array | undefined {
  const at = before?.head.namespaces.findIndex(([name]) => name === namespace) ?? -1;
  if (before === undefined || at < 0 || before.head.namespaces[at]?.[1] !== tools.length) return undefined;
  const { ids } = before.index;
  const from = ids.lowerBound(idStart(before.head.kind, namespace));
  const isSame = tools.every(
    ({ tool }, at) => oldPlaces[first + at] === from + at || ids.text(from + at) === tool.id,
  );
  return isSame ? before.trees.bytes(at) : undefined;
}

function treeOf({ namespace, tools }: Namespace): Uint8Array {
  const items = tools.map(({ tool: { id, name } }) => ({ id, namespace, name }));
  return json(buildTree(items).namespaces[0]?.children ?? []);
}

/**
 * Drafts the snapshot of the tools, by id in code point order. What the snapshot before has is copied from its bytes, so
 * that a changed tool costs little more than itself; the bytes are those of a start from nothing, the same for the same
 * tools. Undefined if a judgement is missing. Yields now and then, so that others may have a turn.
 */
export function* draftSnapshot(
  placed: readonly PlacedTool[],
  shards: readonly string[],
  sources: SnapshotSources,
  before?: SnapshotBefore,
  kind?: OtherKind,
  leftOut: LeftOut = [],
): Generator<void, SnapshotDraft | undefined> {
  const places = new Map(before?.keys.map((key, place) => [key, place]));
  const moved = new Int32Array(before?.keys.length ?? 0).fill(-1);
  const oldPlaces = new Int32Array(placed.length).fill(-1);
  const listed = new Collected();
  const records = new SliceWriter();
  const documents: DraftDocument[] = [];
  for (const [place, { server, key, tool }] of placed.entries()) {
    const { id } = tool;
    const old = places.get(key);
    if (old === undefined) {
      const record = recordOf(server, sources.judged(key));
      if (record === undefined) return undefined;
      records.text(JSON.stringify(record));
      listed.add(record.listedName, place, 0);
      documents.push({ id, read: () => sources.analysed(key) });
    } else {
      records.bytes(before?.parts.records.bytes(old) ?? new Uint8Array());
      moved[old] = place;
      oldPlaces[place] = old;
      documents.push({ id, before: old });
    }
    if (place % SNAPSHOT_TOOLS_PER_STEP_COUNT === 0) yield;
  }
  const index = yield* draftIndex(documents, before?.parts.index);
  if (!index.ok) return undefined;
  const namespaces = namespacesOf(placed);
  const trees = new SliceWriter();
  for (const namespace of namespaces) {
    const kept = treeBefore(namespace, oldPlaces, before?.parts);
    trees.bytes(kept ?? treeOf(namespace));
    if (kept === undefined) yield;
  }
  const head: SnapshotHead = {
    ...(kind === undefined ? {} : { kind }),
    namespaces: namespaces.map(({ namespace, tools }) => [namespace, tools.length]),
    shards,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
  const names = mergeLists(before?.parts.listed ?? NO_LISTS, moved, listed, placed.length);
  yield;
  return {
    hasNewWords: index.value.hasNewWords,
    pack: (meanings) =>
      packSections(SNAPSHOT_FORM, [
        json(head),
        index.value.pack(meanings),
        records.packed(),
        bytesOf(Uint32Array.from(placed, ({ shard }) => shard)),
        ...names.sections,
        trees.packed(),
      ]),
  };
}

/** The bytes of a snapshot, at one stretch and from nothing; see `draftSnapshot`. */
export function packSnapshot(
  placed: readonly PlacedTool[],
  shards: readonly string[],
  sources: SnapshotSources,
  neighbours?: NeighbourTable,
): Uint8Array | undefined {
  return runToEnd(draftSnapshot(placed, shards, sources))?.pack({ all: neighbours });
}
