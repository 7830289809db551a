import type { ServerConfig } from "../../../src/config.ts";
import { serverTargets } from "../../../src/server-target.ts";

/** A text of a server's block or of its candidate's, and where it is written. */
export interface Placed {
  readonly key: readonly string[];
  readonly value: string;
}

type Block = Pick<ServerConfig, "url" | "headers" | "candidate">;

/** The addresses of a server and of its candidate, as written. */
export function placedUrls(name: string, block: Block): readonly Placed[] {
  return serverTargets(name, block).map(({ url, urlKey }) => ({ key: urlKey, value: url }));
}

/** The headers of both, each once: a candidate without any has its server's. */
export function placedHeaders(name: string, block: Block): readonly (Placed & { readonly header: string })[] {
  const maps = new Map(serverTargets(name, block).map(({ headers, headersKey }) => [headers, headersKey]));
  return [...maps].flatMap(([headers, key]) =>
    Object.entries(headers).map(([header, value]) => ({ header, key: [...key, header], value })),
  );
}
