import type { Config } from "../config.ts";
import { ResultCache } from "../dispatch/cache/result-cache.ts";
import { oncePerObject } from "../once-per-object.ts";
import type { ConfiguredServer, GatewayPorts } from "./ports.ts";

/** One cache for each configuration, which says what may be kept and shared. */
const resultsFor = oncePerObject(
  ({ ttl_s: ttlSeconds, max_entries: maxEntries }: Config["gateway"]["cache"]) =>
    new ResultCache({ ttlMs: ttlSeconds * 1000, maxEntries }),
);

/** A block that is its own server has no tools that anything could be said of. */
const STATIC_FACTS = { replay: {}, trust_hints: false };

/** The operator's controls over calls, as a configuration has them. */
export function controlPorts({
  gateway,
  mcpServers,
}: Config): Pick<GatewayPorts, "controls" | "servers" | "results"> {
  return {
    controls: {
      gateway,
      server: (name) => {
        const block = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
        return block?.type === "static" ? STATIC_FACTS : block;
      },
    },
    servers: serversOf(mcpServers),
    results: resultsFor(gateway.cache),
  };
}

/** Once for each configuration, so that what is made of the list is made once too. */
const serversOf = oncePerObject((blocks: Config["mcpServers"]): readonly ConfiguredServer[] =>
  Object.entries(blocks).map(([name, { type, namespace, include, exclude }]) => ({
    name,
    namespace,
    isStatic: type === "static",
    include,
    exclude,
  })),
);
