import { type BenchTool, nameOf } from "./bench-tool.ts";

/** What has a server, which can be another. */
interface Hosted {
  readonly server: string;
}

/**
 * Puts grown servers together, so many in one, so that ten thousand entries take no more servers than a configuration may
 * have. An entry whose key its host has already stays with its own server.
 */
export class Hosts<Entry extends Hosted> {
  readonly #together: number;
  readonly #keyOf: (entry: Entry) => string;
  #host = "";
  readonly #guests = new Set<string>();
  #keys = new Set<string>();

  constructor(together: number, keyOf: (entry: Entry) => string) {
    this.#together = together;
    this.#keyOf = keyOf;
  }

  /** The server that has the entry: the first of some, unless that has one of the same key. */
  of(entry: Entry): string {
    const { server } = entry;
    if (!this.#guests.has(server)) {
      if (this.#guests.size % this.#together === 0) {
        this.#host = server;
        this.#keys = new Set();
      }
      this.#guests.add(server);
    }
    const key = this.#keyOf(entry);
    if (this.#keys.has(key)) return server;
    this.#keys.add(key);
    return this.#host;
  }
}

/** The tools in at most so many servers; `kept` are left as they are, and so is everything that fits. */
export function inFewServers(
  tools: readonly BenchTool[],
  kept: ReadonlySet<string>,
  mostServers: number,
): readonly BenchTool[] {
  const grown = new Set(tools.flatMap(({ server }) => (kept.has(server) ? [] : [server])));
  if (grown.size + kept.size <= mostServers) return tools;
  // A tool whose name its host has keeps a server of its own: half of the room is left for those.
  const hosts = new Hosts<BenchTool>(Math.ceil(grown.size / ((mostServers - kept.size) / 2)), nameOf);
  return tools.map((tool) => (kept.has(tool.server) ? tool : { ...tool, server: hosts.of(tool) }));
}
