import type { Config } from "../config.ts";
import { httpRecordSources } from "../config-records-schema.ts";
import { envNames } from "../config-env.ts";
import type { Env } from "../env.ts";
import { memberOf } from "../json.ts";
import { httpServers, serverTargets } from "../server-target.ts";
import { createScrubber, type Scrubber } from "../scrub/scrub.ts";

/** Looks a variable or secret of the Worker up. */
export function envLookup(env: Env): (name: string) => string | undefined {
  return (name) => {
    const value = memberOf(env, name);
    return typeof value === "string" ? value : undefined;
  };
}

/** Takes out everything that counts as a secret: our own keys, and whatever the configuration has from the environment. */
export function scrubberFor(config: Config | undefined, env: Env): Scrubber {
  const lookup = envLookup(env);
  const written = (config === undefined ? [] : httpServers(config)).flatMap(([name, server]) =>
    serverTargets(name, server).flatMap(({ url, headers }) => [url].concat(Object.values(headers))),
  );
  const named = written.flatMap((text) => envNames(text)).map((name) => lookup(name));
  const sources = config === undefined ? [] : httpRecordSources(config);
  const bearers = sources.map(({ token_env: name }) => lookup(name)?.trim());
  const secrets = [env.LOOMGATE_KEY, env.LOOMGATE_KEY_PREVIOUS, env.OPERATOR_TOKEN, ...named, ...bearers];
  if (last === undefined || !isSame(last.secrets, secrets)) {
    last = { secrets, scrubber: createScrubber(secrets) };
  }
  return last.scrubber;
}

type Secrets = readonly (string | undefined)[];

/** Making one takes longer than most texts, and secrets change with a deployment only. */
let last: { readonly secrets: Secrets; readonly scrubber: Scrubber } | undefined;

function isSame(left: Secrets, right: Secrets): boolean {
  return left.length === right.length && left.every((secret, index) => secret === right[index]);
}
