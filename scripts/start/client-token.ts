import { Told } from "../command-line.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deriveKeyRings } from "../../src/access/keys.ts";
import { verifyBearer } from "../../src/access/bearer.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";
import { type LocalSecrets, type StateFolder, writePrivateFile } from "./state.ts";

const RENEW_BEFORE_MS = 24 * 60 * 60 * 1000;

/**
 * The local client's bearer. It outlives restarts, so that a client set up once stays set up; a new one is made when the
 * key changed, the old one is about to expire or it was revoked.
 */
export async function clientToken(state: StateFolder, secrets: LocalSecrets, admin: Admin): Promise<string> {
  const path = join(state.dir, "client-token");
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept !== "" && (await livingTokenId(kept, secrets, admin)) !== undefined) return kept;
  const created = await callAdmin(admin, "POST", "/tokens", { name: "npm start", principal: "local" });
  const token = memberOf(created, "token");
  if (typeof token !== "string") throw new Told("the Worker made no token");
  writePrivateFile(path, `${token}\n`);
  return token;
}

/** The id of a bearer of this instance that lives on for a day at least; none where it does not. */
export async function livingTokenId(
  bearer: string,
  secrets: LocalSecrets,
  admin: Admin,
): Promise<string | undefined> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: secrets.LOOMGATE_KEY });
  if (!rings.ok) return undefined;
  const claims = await verifyBearer(rings.value.bearer, bearer, Date.now() + RENEW_BEFORE_MS);
  if (!claims.ok) return undefined;
  const tokens = memberOf(await callAdmin(admin, "GET", "/tokens"), "tokens");
  const row = isJsonArray(tokens)
    ? tokens.find((token) => memberOf(token, "id") === claims.value.tokenId)
    : undefined;
  return memberOf(row, "revoked_at_s") === null ? claims.value.tokenId : undefined;
}
