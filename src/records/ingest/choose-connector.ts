import { fail, ok, type Result } from "../../result.ts";

export interface ConnectorCandidate {
  readonly connectorKey: string;
  /** The fields that its manifest declares of the stream; undefined where it has no such stream. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly connectionCount: number;
}

/** What the first lines for a new connection show of where they come from. */
export interface Evidence {
  readonly keys: readonly string[];
  /** The names of members of their data. */
  readonly members: ReadonlySet<string>;
}

export type ConnectorReason = "unknown_connector" | "unknown_stream";

/**
 * Whose a connection is that is named for the first time: the connector that was said, else the one whose key the
 * connection's id is or begins with (the longest, and no letter or digit after it), else the one that has the stream. Of
 * several that have it, those count that declare most of what the lines have, then those whose key the records' keys begin
 * with, then those without a connection, and then the first that was loaded: the answer says which it became.
 */
export function chooseConnector(
  connectionId: string,
  asked: string | undefined,
  connectors: readonly ConnectorCandidate[],
  evidence: Evidence,
): Result<string, ConnectorReason> {
  const named = namedCandidate(connectionId, asked, connectors);
  if (asked !== undefined && named === undefined) return fail("unknown_connector");
  if (named !== undefined)
    return named.fields === undefined ? fail("unknown_stream") : ok(named.connectorKey);
  const having = connectors.filter(({ fields }) => fields !== undefined);
  const declared = ({ fields }: ConnectorCandidate) =>
    [...evidence.members].filter((member) => fields?.has(member)).length;
  const most = Math.max(...having.map(declared));
  const fitting = having.filter((candidate) => declared(candidate) === most);
  const telling = preferred(fitting, ({ connectorKey }) =>
    evidence.keys.every((key) => beginsWith(key, connectorKey)),
  );
  const [chosen] = preferred(telling, ({ connectionCount }) => connectionCount === 0);
  return chosen === undefined ? fail("unknown_stream") : ok(chosen.connectorKey);
}

/** The connector that was said or that the id begins with; undefined where the lines have to tell. */
export function namedConnector(
  connectionId: string,
  asked: string | undefined,
  connectors: readonly ConnectorCandidate[],
): string | undefined {
  return namedCandidate(connectionId, asked, connectors)?.connectorKey;
}

function namedCandidate(
  connectionId: string,
  asked: string | undefined,
  connectors: readonly ConnectorCandidate[],
): ConnectorCandidate | undefined {
  return asked === undefined
    ? longestOf(connectors.filter(({ connectorKey }) => beginsWith(connectionId, connectorKey)))
    : connectors.find(({ connectorKey }) => connectorKey === asked);
}

/** Those of which it is true, or all where it is of none. */
function preferred(
  candidates: readonly ConnectorCandidate[],
  isTrue: (candidate: ConnectorCandidate) => boolean,
): readonly ConnectorCandidate[] {
  const found = candidates.filter(isTrue);
  return found.length === 0 ? candidates : found;
}

function longestOf(candidates: readonly ConnectorCandidate[]): ConnectorCandidate | undefined {
  return candidates.toSorted((one, other) => other.connectorKey.length - one.connectorKey.length)[0];
}

function beginsWith(text: string, connectorKey: string): boolean {
  return text.startsWith(connectorKey) && !/^[\p{L}\p{N}]/u.test(text.slice(connectorKey.length));
}
