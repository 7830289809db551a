import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../src/config.ts";
import { httpRecordSources } from "../../src/config-records-schema.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { GRANT_MEMBERS_MAX_COUNT } from "../../src/limits/records.ts";
import { Told } from "../command-line.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";
import { livingTokenId } from "./client-token.ts";
import { type LocalSecrets, type StateFolder, writePrivateFile } from "./state.ts";

/**
 * The bearer that reads records here: all connections and external sources that there are when it is made. It outlives
 * restarts as the client's does; a new one is made where it no longer reads, or the configuration has got another source.
 * Nothing where there is nothing to read.
 */
export async function recordsToken(
  state: StateFolder,
  secrets: LocalSecrets,
  admin: Admin,
  configText: string,
): Promise<string | undefined> {
  const path = join(state.dir, "records-token");
  const config = parseConfig(configText);
  const sources = config.ok ? httpRecordSources(config.value).map(({ name }) => name) : [];
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept !== "" && (await readsAll(kept, sources, secrets, admin))) return kept;
  const connections = await connectionIds(admin);
  const members = Math.max(0, GRANT_MEMBERS_MAX_COUNT - sources.length);
  if (connections.length + sources.length === 0) return undefined;
  const created = await callAdmin(admin, "POST", "/grants", {
    name: "npm start: records",
    principal: "local",
    connections: connections
      .slice(0, members)
      .map((connection_id) => ({ connection_id, streams: [{ name: "*" }] })),
    sources,
  });
  const token = memberOf(created, "token");
  if (typeof token !== "string") throw new Told("the Worker made no token to read records with");
  writePrivateFile(path, `${token}\n`);
  return token;
}

/** Whether a kept bearer lives, has a grant that does, and reads every source of the configuration. */
async function readsAll(
  bearer: string,
  sources: readonly string[],
  secrets: LocalSecrets,
  admin: Admin,
): Promise<boolean> {
  const tokenId = await livingTokenId(bearer, secrets, admin);
  if (tokenId === undefined) return false;
  const listed = memberOf(await callAdmin(admin, "GET", "/grants"), "grants");
  const living = (isJsonArray(listed) ? listed : []).filter(
    (grant) => memberOf(grant, "token_id") === tokenId && memberOf(grant, "revoked_at_ms") === null,
  );
  const named = new Set(living.map((grant) => memberOf(grant, "source")));
  return living.length > 0 && sources.every((source) => named.has(source));
}

async function connectionIds(admin: Admin): Promise<readonly string[]> {
  const connections = memberOf(await callAdmin(admin, "GET", "/records/connections"), "connections");
  return (isJsonArray(connections) ? connections : [])
    .filter((connection) => memberOf(connection, "being_removed") !== true)
    .map((connection) => String(memberOf(connection, "id")));
}
