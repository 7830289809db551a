/** Local ids (the MCP SDK counts from 0) to ids that are unique for ever, and back, once each. */
export interface RequestIds {
  /** A unique id for a local one: `remote`, or a new one. */
  assign(local: string | number, remote?: string): string;
  /** The local id that an answer's id stands for; undefined for an unknown one, and from the second answer on. */
  take(remote: unknown): string | number | undefined;
}

/**
 * On a resumed upstream session two overlapping calls share one space of request ids at the server. Ids that restart at 0
 * for each client make it send one call's answer to the other; `newId` must therefore never repeat (a UUID).
 */
export function createRequestIds(newId: () => string): RequestIds {
  const locals = new Map<string, string | number>();
  return {
    assign: (local, remote = newId()) => {
      locals.set(remote, local);
      return remote;
    },
    take: (remote) => {
      if (typeof remote !== "string") return undefined;
      const local = locals.get(remote);
      locals.delete(remote);
      return local;
    },
  };
}
