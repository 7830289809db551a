import type { Config } from "../../config.ts";
import type { CallAccount } from "../../dispatch/call-account.ts";
import type { Generation } from "../../spine/fault/generation.ts";
import { counts } from "./call-event.ts";

interface AccountTool {
  readonly id: string;
  readonly server: string;
  /** Of the server's target that the call goes to. */
  readonly targetGeneration: Generation;
}

/** An account as far as events are made of it. */
export type ExecuteAccount = Readonly<CallAccount<AccountTool>>;

/** Whose calls the limits count. */
export type QuotaOwner = Config["gateway"]["rate_limits"]["per"];

/** What was asked, as far as the call got. */
export function askedOf({ replay, argCount, repairs, generation }: ExecuteAccount) {
  return {
    ...(replay === null ? {} : { replay }),
    ...counts({ arg_count: argCount, repairs, generation }),
  };
}
