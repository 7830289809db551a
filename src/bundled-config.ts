import bundledText from "../loomgate.jsonc";
import type { Env } from "./env.ts";

/** The `loomgate.jsonc` that the Worker was deployed with. */
export const BUNDLED_CONFIG_TEXT: string = bundledText;

/** The text of the configuration in use: the variable `LOOMGATE_CONFIG` replaces the bundled file. */
export function configTextOf(env: Pick<Env, "LOOMGATE_CONFIG">, bundled: string): string {
  return env.LOOMGATE_CONFIG ?? bundled;
}
