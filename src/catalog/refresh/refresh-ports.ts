import type { DiffRecord } from "../../outbox/refresh-record.ts";
import type { Result } from "../../result.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import type { lintSchema } from "../../schema/lint.ts";
import type { Fault } from "../../spine/fault/fault.ts";
import type { TargetName } from "../../server-target.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import type { Inventory } from "../drift/inventory.ts";
import type { Finding, Skip } from "./ingest-report.ts";
import type { ListedEntry } from "./listed-entry.ts";
import type { NeighbourTable } from "../../routing/neighbours/table.ts";
import type { JudgedTool, ListedTool } from "./judge-tool.ts";
import type { RolloutStore } from "../rollout/rollout-ports.ts";
import type { PerKind, Pointer } from "../snapshot/pointer.ts";
import type { ShardItem } from "../snapshot/shards.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";

/** Why a server could not be listed. `message` is public; `detail` is for the operator's log. */
export interface ListFailure {
  readonly message: string;
  readonly detail: string;
  /** What the server's account is told, in our own words; absent where nothing was sent to it. */
  readonly fault?: Fault;
}

/** One kind's entries as they came, or why they could not be listed. */
export type ListedEntries = Result<ListedEntry[], ListFailure>;

/** What a server lists. Each kind fails for itself; one that the server says it does not have is absent. */
export interface ListedServer {
  readonly tools: ListedEntries;
  readonly resources?: ListedEntries | undefined;
  /** Resource templates. */
  readonly templates?: ListedEntries | undefined;
  readonly prompts?: ListedEntries | undefined;
}

/** A tool of a listing: the key of its judgement, and the hash of the text that was judged. */
export interface KeptTool extends ListedTool {
  readonly key: string;
  readonly textHash: string;
}

/** A server's last good listing of tools, of resources and their templates together, or of prompts. */
export interface Listing {
  /** Hash of everything beside it that it was judged by; absent, like `digest` and `tools`, in one of an older version. */
  readonly basis?: string;
  /** Of the listing as it came: see `digestLists`. */
  readonly digest?: string;
  /** Keys of all judgements, those of skipped tools too. */
  readonly keys: readonly string[];
  /** What was accepted. */
  readonly tools?: readonly KeptTool[];
  readonly skipped: readonly Skip[];
  readonly findings: readonly Finding[];
  /** Entries of both lists that were left out. */
  readonly omitted: number;
  /** URIs and templates that the block's `exclude` left out, where a template may give them all the same. */
  readonly leftOut?: readonly string[];
}

/** What a configuration's catalog is at present. */
export interface Published {
  readonly pointer: Pointer;
  /** What the content was made from: see `publishCatalog`. */
  readonly identity: string;
  /** Keys of all its values in KV. */
  readonly contents: readonly string[];
  /** What of that is whose, where it has more than tools. */
  readonly parts?: PublishedParts;
  /** Whether the pointer stands in KV as it is here. */
  readonly pointerWritten: boolean;
  /** Absent where an older version published it. */
  readonly facts?: PublishedFacts;
}

/** One kind of a published catalog: like a catalog's own, and its hash is in the pointer. */
export interface PublishedKind {
  readonly identity: string;
  readonly contents: readonly string[];
}

/** The contents of several kinds may share values. */
export interface PublishedParts {
  /** Keys of the tools' values. */
  readonly tools: readonly string[];
  readonly kinds: PerKind<PublishedKind>;
}

/** What is told of a catalog that was published. */
export interface PublishedFacts {
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
  readonly tools: number;
  /** How many there are of the other kinds, of those there are. */
  readonly kinds?: PerKind<number>;
  /** What changed last, be it long ago, and the generation that it led to. */
  readonly drift?: { readonly generation: number; readonly diff: DiffRecord };
}

/** What the catalog's object remembers. Synchronous, as its SQLite is. */
export interface RefreshStore {
  readonly rollouts: RolloutStore;
  /** Everything that the work writes, or, where it throws, nothing. */
  atomically(work: () => void): void;
  recall(key: string): JudgedTool | undefined;
  keep(
    key: string,
    judged: JudgedTool,
    parts?: { readonly definition: string; readonly analysed: AnalysedDocument },
  ): void;
  analysed(key: string): AnalysedDocument | undefined;
  /** A definition's JSON as the upstream gave it. */
  definition(hash: string): string | undefined;
  listing(source: string): Listing | undefined;
  saveListing(source: string, listing: Listing, nowMs: number): void;
  /** The content hash of a shard that was built from this plan before. */
  shard(planHash: string): string | undefined;
  saveShard(planHash: string, hash: string, items: readonly ShardItem[]): void;
  /** Keeps a snapshot with the key of each of its tools, by place. */
  saveSnapshot(hash: string, bytes: Uint8Array, keys: readonly string[]): void;
  /** A snapshot that was kept and is still in use. */
  savedSnapshot(hash: string): { readonly bytes: Uint8Array; readonly keys: readonly string[] } | undefined;
  /** Whether a value is known to stand in KV. */
  hasWritten(key: string): boolean;
  /** To be called before a write, so that what a crash leaves behind is found and deleted. */
  beginWrite(key: string): void;
  markWritten(key: string): void;
  published(config: string): Published | undefined;
  /** Numbers that were never used before, even if this run ends at once. */
  nextGeneration(): number;
  nextRevision(): number;
  /** Lifts both counters over what an earlier life of the object has published. */
  seed(pointer: Pointer): void;
  readonly isSeeded: boolean;
  publish(config: string, published: Published, nowMs: number): void;
  /** The tools of the configuration's catalog, if what is kept is the one of this fingerprint. */
  inventory(config: string, fingerprint: string): Inventory | undefined;
  saveInventory(config: string, fingerprint: string, tools: Inventory): void;
  /** KV keys that no generation of the last day refers to. */
  garbage(nowMs: number, count: number): readonly string[];
  forget(key: string): void;
  /** Deletes judgements and definitions that neither a listing nor a published catalog refers to. */
  sweepRows(nowMs: number, count: number): void;
}

/** Why nothing can be counted: the vocabulary cannot be read, or is not the one that this version counts by. */
export interface CounterFault {
  readonly reason: "vocabulary_unreadable" | "vocabulary_unusable";
  /** For the operator's log. */
  readonly detail: string;
}

export type LoadedCounter = Result<TokenCounter, CounterFault>;

/** The table of words that mean nearly the same, as this deployment has it. */
export interface NeighbourSource {
  /** Equal for equal tables, told without reading one; undefined if it cannot be told now. */
  version(): Promise<string | undefined>;
  /** Undefined if there is none that can be read, which is logged. To be let go after use: it is large. */
  load(): Promise<NeighbourTable | undefined>;
}

export interface RefreshPorts {
  readonly store: RefreshStore;
  readonly kv: SnapshotStore;
  /** Lists one server of the configuration at a target, within its own deadline. The lists are handed over: ingest empties them. */
  readonly list: (server: string, target: TargetName) => Promise<ListedServer>;
  /** To be asked where something is to be counted, and let go with the run: what it counts by is large. */
  readonly loadCounter: () => Promise<LoadedCounter>;
  readonly lint: typeof lintSchema;
  readonly neighbours: NeighbourSource;
  /** Lets those who wait for the object have their turn, between two stretches of work. */
  readonly pause: () => Promise<void>;
  readonly nowMs: () => number;
  /** The operator's log. */
  readonly log: (text: string) => void;
}
