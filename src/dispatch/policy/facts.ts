import { serverNamespace } from "../../identity/namespace.ts";
import { parsePrimitiveId } from "../../identity/primitive-id.ts";
import { withoutRank } from "../globs.ts";

/** What policy knows of a tool. */
export interface ToolFacts {
  readonly toolId: string;
  /** `null` where the tool is in the catalog no more. */
  readonly upstreamName: string | null;
  /** Names of configured servers: the tool's own, or all that it may have come from. */
  readonly servers: readonly string[];
  /** False for a tool that the catalog has no more: `servers` are then possibilities, and its tags are unknown. */
  readonly serverKnown: boolean;
  readonly tags: readonly string[];
  /** What its server says of it; counts only with `hintsTrusted`. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly hintsTrusted: boolean;
  /** Its server may take its names in any case: a rule that restricts holds in whatever case its glob is written. */
  readonly inAnyCase?: true;
}

/** A catalog's tool, as far as policy looks at it. */
export interface ListedTool {
  readonly id: string;
  readonly upstreamName: string;
  readonly server: string;
  readonly card: {
    readonly tags: readonly string[];
    readonly safety: "" | "read_only" | "destructive";
    readonly side_effects: boolean;
  };
}

/** The facts of a resource or a prompt: MCP gives them no hints, and makes them read-only by what they are. */
export function factsOfRead({ id, upstreamName, server }: ListedTool): ToolFacts {
  return {
    toolId: id,
    upstreamName,
    servers: [server],
    serverKnown: true,
    tags: [],
    readOnly: true,
    destructive: false,
    hintsTrusted: true,
  };
}

/** A configured server and where its tools' namespaces come from. Disabled ones count: their artifacts are still there. */
export interface NamedServer {
  readonly name: string;
  readonly namespace: "server" | "infer";
}

/** The facts of a tool that the catalog has. One that calls itself read-only and destructive is not read-only. */
export function factsOfTool({ id, upstreamName, server, card }: ListedTool, trustHints: boolean): ToolFacts {
  return {
    toolId: id,
    upstreamName,
    servers: [server],
    serverKnown: true,
    tags: card.tags,
    readOnly: card.safety === "read_only" && !card.side_effects,
    destructive: card.safety === "destructive",
    hintsTrusted: trustHints,
  };
}

/**
 * The facts of a tool that the catalog has no more, from its id alone: it may have come from the server whose namespace
 * the id has, and from any whose tools' names decide. An id that is none may have come from every server.
 */
export function factsOfLostTool(toolId: string, servers: readonly NamedServer[]): ToolFacts {
  const parsed = parsePrimitiveId(withoutRank(toolId));
  const isRead = parsed.ok && parsed.value.kind !== "tool";
  const mayBe = ({ name, namespace }: NamedServer): boolean => {
    if (!parsed.ok || namespace === "infer") return true;
    const own = serverNamespace(name);
    return own.ok && own.value === parsed.value.namespace;
  };
  return {
    toolId,
    upstreamName: null,
    servers: servers.filter(mayBe).map(({ name }) => name),
    serverKnown: false,
    tags: [],
    readOnly: isRead,
    destructive: false,
    hintsTrusted: isRead,
  };
}
