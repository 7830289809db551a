import { UNSEEN, unitEscapes } from "../unseen.ts";

/** A value and where it was found: its parent's node and the name or index there. The root has no parent. */
export interface JsonNode {
  readonly value: unknown;
  readonly parent: JsonNode | undefined;
  readonly key: string | number;
}

/** Names and indexes from the root down. */
export type JsonLocation = readonly (string | number)[];

export function rootNode(value: unknown): JsonNode {
  return { value, parent: undefined, key: "" };
}

export function locationOf(node: JsonNode): JsonLocation {
  const location: (string | number)[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) location.push(at.key);
  return location.toReversed();
}

/**
 * A location as a path that finds it (RFC 9535 §2.7): `$['a'][0]`. Beyond what a normalized path escapes, whatever is
 * unseen in a name is escaped too: the path is shown to readers, and parses to the same.
 */
export function normalizedPath(location: JsonLocation): string {
  return `$${location.map((key) => (typeof key === "number" ? `[${key}]` : `[${quoted(key)}]`)).join("")}`;
}

function quoted(name: string): string {
  const escaped = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(UNSEEN, unitEscapes)}'`;
}
