import type { Config } from "../../config.ts";
import type { CallAccount } from "../../dispatch/call-account.ts";
import { counts } from "./call-event.ts";

/** An account as far as events are made of it. */
export type ExecuteAccount = Readonly<CallAccount<{ readonly id: string; readonly server: string }>>;

/** Whose calls the limits count. */
export type QuotaOwner = Config["gateway"]["rate_limits"]["per"];

/** What was asked, as far as the call got. */
export function askedOf({ replay, argCount, repairs, generation }: ExecuteAccount) {
  return {
    ...(replay === null ? {} : { replay }),
    ...counts({ arg_count: argCount, repairs, generation }),
  };
}
