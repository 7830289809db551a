import { Told } from "../command-line.ts";

/** A word of a command line, as far as it says what is granted. */
export interface GrantWord {
  readonly name: string;
  readonly value: string;
}

interface StreamChoice {
  readonly name: string;
  readonly fields?: readonly string[];
  readonly resources?: readonly string[];
}

export interface ConnectionChoice {
  readonly connection_id: string;
  readonly streams: readonly StreamChoice[];
}

interface Group {
  readonly connections: string[];
  readonly streams: string[];
  readonly resources: string[];
}

/**
 * Reads `--connection`, `--stream` and `--resource` in their order: streams and records belong to the connections in front
 * of them, and those in front of every connection, or behind one group of connections alone, to all.
 */
export function connectionsOf(words: readonly GrantWord[]): readonly ConnectionChoice[] {
  const groups: Group[] = [{ connections: [], streams: [], resources: [] }];
  let current: Group | undefined = groups[0];
  for (const { name, value } of words) {
    if (name === "connection" && (current === groups[0] || (current?.streams.length ?? 0) > 0)) {
      current = { connections: [], streams: [], resources: [] };
      groups.push(current);
    }
    if (name === "connection") current?.connections.push(value);
    if (name === "stream") current?.streams.push(value);
    if (name === "resource") current?.resources.push(value);
  }
  const saying = groups.filter(({ streams }) => streams.length > 0);
  const [common] = saying;
  return groups.flatMap((group) =>
    group.connections.map((connection) => {
      const own = group.streams.length > 0 ? group : saying.length === 1 ? common : groups[0];
      if (own === undefined || own.streams.length === 0) {
        throw new Told(`--connection ${connection} has no --stream: name some behind it, or '*' for all`);
      }
      const resources = own === group ? group.resources : [...own.resources, ...group.resources];
      return { connection_id: connection, streams: streamsOf(own.streams, resources) };
    }),
  );
}

function streamsOf(streams: readonly string[], resources: readonly string[]): readonly StreamChoice[] {
  const kept = resources.map((resource) => split(resource, "--resource takes STREAM:KEY"));
  const choices = streams.map((stream): StreamChoice => {
    const [name, fields] = stream.includes(":")
      ? split(stream, "--stream takes S or S:field,field")
      : [stream, undefined];
    const keys = kept.flatMap(([of, key]) => (of === name ? [key] : []));
    return {
      name,
      ...(fields === undefined ? {} : { fields: fields.split(",") }),
      ...(keys.length === 0 ? {} : { resources: keys }),
    };
  });
  const lost = kept.find(([of]) => !choices.some(({ name }) => name === of));
  if (lost !== undefined) throw new Told(`--resource ${lost.join(":")}: name its stream with --stream first`);
  return choices;
}

function split(text: string, usage: string): [string, string] {
  const at = text.indexOf(":");
  if (at < 1 || at === text.length - 1) throw new Told(`${usage}, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}
