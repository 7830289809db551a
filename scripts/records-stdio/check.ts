import { fail, ok, type Result } from "../../src/result.ts";
import type { Credential } from "./credential.ts";
import { CHECK_TIMEOUT_MS } from "./limits.ts";
import { readReceived } from "./messages.ts";
import { noAnswer, type Refusal } from "./refusal.ts";
import type { Server } from "./server.ts";
import { notReady, ownerRefused, type Stop } from "./stop.ts";

const ID = "loomgate-records";
const PING = JSON.stringify({ jsonrpc: "2.0", id: ID, method: "ping" });

/** Asks the server once whether it takes the bearer, with the cheapest request that MCP has. */
export async function checkCredential(
  server: Server,
  credential: Credential,
  nowMs: number,
): Promise<Result<null, Stop>> {
  const answer = await server.post(PING, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  if (!answer.ok) return fail(stopOf(answer.reason, credential, nowMs));
  let next = await answer.value.next();
  while (next.done !== true) {
    const received = readReceived(next.value, new Set([ID]));
    if (received?.answers.length === 1) {
      await answer.value.return(null);
      return ok(null);
    }
    next = await answer.value.next();
  }
  return fail(stopOf(next.value ?? noAnswer("there is no MCP server at this address"), credential, nowMs));
}

function stopOf({ status, code, message }: Refusal, credential: Credential, nowMs: number): Stop {
  const { isReader, expiresAtSeconds } = credential;
  const said = `${code}: ${message}`;
  switch (status) {
    case 401: {
      const isOver = expiresAtSeconds !== null && nowMs >= expiresAtSeconds * 1000;
      return isOver
        ? notReady("credential_expired", `the bearer expired; ${said}`)
        : notReady("credential_invalid", said);
    }
    case 403:
      // A client's or package's bearer is of the right kind: what it lacks is a grant. Any other is one that rules here.
      return isReader ? notReady("credential_invalid", said) : ownerRefused(said);
    case null:
      return notReady("not_connected", message);
    default:
      return notReady("not_connected", `the server answers HTTP ${status}: ${said}`);
  }
}
