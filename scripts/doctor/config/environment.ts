import { envNames, type EnvLookup } from "../../../src/config-env.ts";
import type { Config, ServerConfig } from "../../../src/config.ts";

/** What is known of the variables that a configuration refers to. */
export interface Environment {
  readonly lookup: EnvLookup;
  /** Whether a variable without a value here has one where the Worker runs; `unseen`: nobody here knows. */
  readonly elsewhere: (name: string) => "set" | "unset" | "unseen";
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Stands for an address that only the Worker knows: one that nobody objects to. */
const UNSEEN_ADDRESS = "https://unseen.example.com/mcp";
const UNSEEN_VALUE = "unseen";

function isSet(name: string, { lookup }: Environment): boolean {
  return (lookup(name) ?? "") !== "";
}

/** The well-formed names that a server refers to and that have no value here. */
function unsetNames({ url, headers }: ServerConfig, environment: Environment): readonly string[] {
  return envNames([url, ...Object.values(headers)].join("\n")).filter(
    (name) => NAME.test(name) && !isSet(name, environment),
  );
}

/** Variables of enabled servers without a value here: those that are missing, and those that the Worker may have. */
export function missingVariables(
  config: Config,
  environment: Environment,
): { readonly missing: ReadonlyMap<string, readonly string[]>; readonly unseen: readonly string[] } {
  const missing = new Map<string, readonly string[]>();
  const unseen = new Set<string>();
  for (const [server, block] of Object.entries(config.mcpServers)) {
    if (block.disabled) continue;
    for (const name of unsetNames(block, environment)) {
      const standing = environment.elsewhere(name);
      if (standing === "unseen") unseen.add(name);
      if (standing === "unset") missing.set(name, [...new Set([...(missing.get(name) ?? []), server])]);
    }
  }
  return { missing, unseen: [...unseen] };
}

/** A server and a lookup with stand-ins for what has no value here, so that the rest of its block can be judged. */
export function withStandIns(
  server: ServerConfig,
  environment: Environment,
): { readonly server: ServerConfig; readonly lookup: EnvLookup } {
  const addressKnown = envNames(server.url).every((name) => !NAME.test(name) || isSet(name, environment));
  return {
    server: addressKnown ? server : { ...server, url: UNSEEN_ADDRESS },
    lookup: (name) => (isSet(name, environment) ? environment.lookup(name) : UNSEEN_VALUE),
  };
}
