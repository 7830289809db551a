import type { Caller } from "../access/caller.ts";
import type { HttpContext } from "./bindings.ts";

/**
 * The cheap outer limit: no wait, no object. A genuine bearer is counted by its token, everybody else by address, so that
 * a flood of forged bearers cannot use up a real one's allowance. Exact quotas are another matter.
 */
export async function passShield(c: HttpContext, caller: Caller): Promise<boolean> {
  if (caller.kind === "bearer") return pass(c.env.SHIELD, caller.claims.tokenId);
  if (caller.kind === "operator") return pass(c.env.SHIELD, "operator");
  return pass(c.env.SHIELD_ANONYMOUS, c.req.header("cf-connecting-ip") ?? "unknown");
}

/** Counts the further messages of a batch: the limit is per message. */
export async function passShieldAgain(c: HttpContext, caller: Caller, messages: number): Promise<boolean> {
  for (let index = 0; index < messages; index += 1) {
    if (!(await passShield(c, caller))) return false;
  }
  return true;
}

async function pass(limiter: RateLimit, key: string): Promise<boolean> {
  const { success } = await limiter.limit({ key });
  return success;
}
