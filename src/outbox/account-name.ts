import { sha256Hex } from "../identity/digest.ts";
import { SERVER_NAME_MAX_CHARS } from "../limits.ts";

const HASH_CHARS = 8;

/**
 * The name under which a configured server's account is kept: its own, or of one too long the beginning with a hash of all
 * behind it, so that two servers never share an account.
 */
export function accountName(server: string): string {
  if (server.length <= SERVER_NAME_MAX_CHARS) return server;
  const beginning = server.slice(0, SERVER_NAME_MAX_CHARS - HASH_CHARS - 1).replace(/[\ud800-\udbff]$/, "");
  return `${beginning}-${sha256Hex(server).slice(0, HASH_CHARS)}`;
}
