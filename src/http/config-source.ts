import { configTextOf } from "../bundled-config.ts";
import { catalogSettings } from "../catalog/refresh/settings.ts";
import { type Config, type ConfigProblem, formatProblems, parseConfig } from "../config.ts";
import type { Env } from "../env.ts";
import type { Result } from "../result.ts";

/** Gives the judged configuration of an environment; a bad one as its problems. */
export type ConfigSource = (env: Env) => Result<Config, readonly ConfigProblem[]>;

/**
 * Judges each text once an isolate: it changes only with a deployment. A bad one is told to the operator's log when it is
 * first met, and every route but `/health` answers 503 for as long as it stays.
 */
export function configSource(bundledText: string): ConfigSource {
  let judged: { readonly text: string; readonly result: ReturnType<ConfigSource> } | undefined;
  return function configOf(env) {
    const text = configTextOf(env, bundledText);
    if (judged?.text !== text) {
      const result = judge(text);
      if (!result.ok) console.error(`loomgate.jsonc is not usable:\n${formatProblems(result.reason)}`);
      judged = { text, result };
    }
    return judged.result;
  };
}

/** The file's own rules, and those of the servers' names together. */
function judge(text: string): ReturnType<ConfigSource> {
  const config = parseConfig(text);
  if (!config.ok) return config;
  const catalog = catalogSettings(config.value);
  return catalog.ok ? config : catalog;
}
