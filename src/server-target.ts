import type { Config, ServerConfig } from "./config.ts";

/** Where a server's calls may go: to the address of its block, or to that of its candidate. */
export const TARGET_NAMES = ["configured", "candidate"] as const;

export type TargetName = (typeof TARGET_NAMES)[number];

/** One place that a server can be reached at, as written in the configuration, and the keys where it is written. */
export interface ServerTarget {
  readonly url: string;
  readonly urlKey: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly headersKey: readonly string[];
}

/** A server's target of this name; undefined where it has no candidate. A candidate without headers has the server's. */
export function serverTarget(
  name: string,
  { url, headers, candidate }: Pick<ServerConfig, "url" | "headers" | "candidate">,
  target: TargetName,
): ServerTarget | undefined {
  const place = ["mcpServers", name];
  const own = { url, urlKey: [...place, "url"], headers, headersKey: [...place, "headers"] };
  if (target === "configured") return own;
  if (candidate === undefined) return undefined;
  const there = [...place, "candidate"];
  return {
    ...own,
    url: candidate.url,
    urlKey: [...there, "url"],
    ...(candidate.headers === undefined
      ? {}
      : { headers: candidate.headers, headersKey: [...there, "headers"] }),
  };
}

/** The servers that are reached over HTTP, by name, in the configuration's order; the others are blocks that serve themselves. */
export function httpServers({
  mcpServers,
}: Pick<Config, "mcpServers">): readonly (readonly [name: string, server: ServerConfig])[] {
  return Object.entries(mcpServers).flatMap(([name, server]) =>
    server.type === "http" ? [[name, server] as const] : [],
  );
}

/** Every target of a server, the configured one first. */
export function serverTargets(
  name: string,
  server: Pick<ServerConfig, "url" | "headers" | "candidate">,
): readonly ServerTarget[] {
  return TARGET_NAMES.map((target) => serverTarget(name, server, target)).filter(
    (target) => target !== undefined,
  );
}
