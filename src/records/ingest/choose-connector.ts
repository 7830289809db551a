import { fail, ok, type Result } from "../../result.ts";

export interface ConnectorCandidate {
  readonly connectorKey: string;
  /** Whether its manifest declares the stream. */
  readonly hasStream: boolean;
}

export type ConnectorReason =
  | { readonly reason: "unknown_connector" }
  | { readonly reason: "unknown_stream" }
  /** Nothing tells which of several is meant. */
  | { readonly reason: "ambiguous"; readonly candidates: readonly string[] };

/**
 * Whose a connection is that is named for the first time: the connector that was said, else the one whose key the
 * connection's id is or begins with (the longest, and no letter or digit after it), else the only one that has the stream.
 */
export function chooseConnector(
  connectionId: string,
  asked: string | undefined,
  connectors: readonly ConnectorCandidate[],
): Result<string, ConnectorReason> {
  const having = connectors.filter(({ hasStream }) => hasStream);
  const named =
    asked === undefined
      ? connectors
          .filter(({ connectorKey }) => beginsWith(connectionId, connectorKey))
          .reduce<ConnectorCandidate | undefined>(
            (longest, one) =>
              longest === undefined || one.connectorKey.length > longest.connectorKey.length ? one : longest,
            undefined,
          )
      : connectors.find(({ connectorKey }) => connectorKey === asked);
  if (asked !== undefined && named === undefined) return fail({ reason: "unknown_connector" });
  if (named !== undefined) {
    return named.hasStream ? ok(named.connectorKey) : fail({ reason: "unknown_stream" });
  }
  const [only] = having;
  if (only === undefined) return fail({ reason: "unknown_stream" });
  return having.length === 1
    ? ok(only.connectorKey)
    : fail({ reason: "ambiguous", candidates: having.map(({ connectorKey }) => connectorKey) });
}

function beginsWith(connectionId: string, connectorKey: string): boolean {
  return (
    connectionId.startsWith(connectorKey) && !/^[\p{L}\p{N}]/u.test(connectionId.slice(connectorKey.length))
  );
}
