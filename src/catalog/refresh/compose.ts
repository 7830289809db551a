import { compareCodePoints } from "../../code-points.ts";
import type { NamespaceMode } from "../../identity/namespace.ts";
import { CATALOG_DEFINITIONS_MAX_BYTES, CATALOG_ENTRIES_MAX_BYTES } from "../../limits.ts";
import { type Skip, reportName } from "./ingest-report.ts";
import type { ListedTool } from "./judge-tool.ts";

/** A tool with the key of its judgement. */
export type KeyedTool = ListedTool & { readonly key: string };

/** A server's tools as they were last listed; null before its first answer. */
export interface ComposePart {
  readonly name: string;
  readonly mode: NamespaceMode;
  readonly tools: readonly KeyedTool[] | null;
}

export interface ComposedTool {
  readonly server: string;
  /** Key of the tool's judgement. */
  readonly key: string;
  readonly tool: ListedTool;
}

export interface Composed {
  /** By id in code point order. */
  readonly tools: readonly ComposedTool[];
  /** With what was taken before. */
  readonly taken: Taken;
  /** By server, in the order of the parts: what it keeps, and what it lost to others. */
  readonly servers: readonly {
    readonly tools: number;
    readonly skipped: readonly Skip[];
    /** There was no room for all of it. */
    readonly tooLarge: boolean;
  }[];
}

/** The server of each namespace. */
type Owners = ReadonlyMap<string, string>;

/** What of a catalog is taken: its namespaces, and its room. */
export interface Taken {
  readonly owners: Owners;
  readonly entryBytes: number;
  readonly definitionBytes: number;
}

const NOTHING: Taken = { owners: new Map(), entryBytes: 0, definitionBytes: 0 };

/**
 * Who may fill which namespace. A configured namespace is its server's, whether that answers or not; of the others, each
 * belongs to the first inferring server, in the configuration's order, whose last good listing has it. So who answered
 * first decides nothing, and a server that has never answered claims nothing by inference.
 */
function ownersOf(parts: readonly ComposePart[], before: Owners): Owners {
  const owners = new Map(before);
  for (const { name, mode } of parts) if (mode.source === "server") owners.set(mode.namespace, name);
  for (const { name, mode, tools } of parts) {
    if (mode.source === "server") continue;
    for (const { namespace } of tools ?? []) if (!owners.has(namespace)) owners.set(namespace, name);
  }
  return owners;
}

/**
 * Puts the servers' tools together. Ids are unique, since an id names its namespace and a namespace has one server. A
 * server whose tools would make the catalog too large is left out whole: those before it in the configuration stay. Of another
 * kind, what those before it have taken stays theirs: the room that all share, and the namespaces, since whoever writes a
 * policy for a server's namespace means all that is in it.
 */
export function compose(parts: readonly ComposePart[], before: Taken = NOTHING): Composed {
  const owners = ownersOf(parts, before.owners);
  let { entryBytes, definitionBytes } = before;
  const all: ComposedTool[] = [];
  const servers = parts.map(({ name, tools }) => {
    const own = (tools ?? []).filter(({ namespace }) => owners.get(namespace) === name);
    const skipped = (tools ?? [])
      .filter(({ namespace }) => owners.get(namespace) !== name)
      .map(({ upstreamName }): Skip => ({ name: reportName(upstreamName), reason: "namespace_taken" }));
    const entries = own.reduce((sum, tool) => sum + tool.entryBytes, entryBytes);
    const definitions = own.reduce((sum, tool) => sum + tool.definitionBytes, definitionBytes);
    if (entries > CATALOG_ENTRIES_MAX_BYTES || definitions > CATALOG_DEFINITIONS_MAX_BYTES) {
      return { tools: 0, skipped, tooLarge: true };
    }
    entryBytes = entries;
    definitionBytes = definitions;
    for (const tool of own) all.push({ server: name, key: tool.key, tool });
    return { tools: own.length, skipped, tooLarge: false };
  });
  all.sort((a, b) => compareCodePoints(a.tool.id, b.tool.id));
  return { tools: all, taken: { owners, entryBytes, definitionBytes }, servers };
}

/**
 * The same with what fits of the servers that were left out for want of room: of each, in the configuration's order, by id, up
 * to the first that does not fit. `taken` is the room that all kinds have taken, so that a large server costs no other its place.
 */
export function fillRoom(composed: Composed, parts: readonly ComposePart[], taken: Taken): Composed {
  let { entryBytes, definitionBytes } = taken;
  const more: ComposedTool[] = [];
  const servers = composed.servers.map((server, at) => {
    const part = parts[at];
    if (!server.tooLarge || part === undefined) return server;
    const own = (part.tools ?? [])
      .filter(({ namespace }) => composed.taken.owners.get(namespace) === part.name)
      .sort((a, b) => compareCodePoints(a.id, b.id));
    let tools = 0;
    for (const tool of own) {
      const [entries, definitions] = [entryBytes + tool.entryBytes, definitionBytes + tool.definitionBytes];
      if (entries > CATALOG_ENTRIES_MAX_BYTES || definitions > CATALOG_DEFINITIONS_MAX_BYTES) break;
      [entryBytes, definitionBytes] = [entries, definitions];
      more.push({ server: part.name, key: tool.key, tool });
      tools += 1;
    }
    return { ...server, tools };
  });
  if (more.length === 0) return composed;
  const tools = [...composed.tools, ...more].sort((a, b) => compareCodePoints(a.tool.id, b.tool.id));
  return { tools, taken: { owners: composed.taken.owners, entryBytes, definitionBytes }, servers };
}
