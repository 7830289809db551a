import { envNames, type EnvLookup } from "../../../src/config-env.ts";
import { httpRecordSources } from "../../../src/config-records-schema.ts";
import { type Config, type HttpRecordSource, keyOf, type ServerConfig } from "../../../src/config.ts";
import { httpServers } from "../../../src/server-target.ts";
import { placedHeaders, placedUrls } from "./placed.ts";

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

/** The well-formed names that a server's targets refer to and that have no value here, each with the key of its block. */
function unsetNames(
  server: string,
  block: ServerConfig,
  environment: Environment,
): readonly (readonly [name: string, place: string])[] {
  return [
    ...placedUrls(server, block).map(({ key, value }) => [key.slice(0, -1), value] as const),
    ...placedHeaders(server, block).map(({ key, value }) => [key.slice(0, -2), value] as const),
  ].flatMap(([place, text]) =>
    envNames(text)
      .filter((name) => NAME.test(name) && !isSet(name, environment))
      .map((name) => [name, keyOf(place)] as const),
  );
}

/** The names that the configuration refers to and that have no value here, each with the key of its block. */
function unsetIn(
  config: Config,
  environment: Environment,
): readonly (readonly [name: string, place: string])[] {
  const servers = httpServers(config).flatMap(([server, block]) =>
    block.disabled ? [] : unsetNames(server, block, environment),
  );
  const sources = httpRecordSources(config).flatMap(({ name, token_env: variable }) =>
    isSet(variable, environment) ? [] : [[variable, keyOf(["records", "sources", name])] as const],
  );
  return [...servers, ...sources];
}

/**
 * Variables of enabled servers, their candidates and sources of records without a value here: those that are missing, with the keys of the blocks
 * that name them, and those that the Worker may have.
 */
export function missingVariables(
  config: Config,
  environment: Environment,
): { readonly missing: ReadonlyMap<string, readonly string[]>; readonly unseen: readonly string[] } {
  const missing = new Map<string, readonly string[]>();
  const unseen = new Set<string>();
  for (const [name, place] of unsetIn(config, environment)) {
    const standing = environment.elsewhere(name);
    if (standing === "unseen") unseen.add(name);
    if (standing === "unset") missing.set(name, [...new Set([...(missing.get(name) ?? []), place])]);
  }
  return { missing, unseen: [...unseen] };
}

/** A server and a lookup with stand-ins for what has no value here, so that the rest of its block can be judged. */
export function withStandIns(
  server: ServerConfig,
  environment: Environment,
): { readonly server: ServerConfig; readonly lookup: EnvLookup } {
  const known = (address: string): string =>
    envNames(address).every((name) => !NAME.test(name) || isSet(name, environment))
      ? address
      : UNSEEN_ADDRESS;
  const { url, candidate } = server;
  return {
    server: {
      ...server,
      url: known(url),
      ...(candidate === undefined ? {} : { candidate: { ...candidate, url: known(candidate.url) } }),
    },
    lookup: (name) => (isSet(name, environment) ? environment.lookup(name) : UNSEEN_VALUE),
  };
}

/** A lookup with a stand-in for a source's bearer that has no value here. */
export function withStandInBearer(
  { token_env: variable }: Pick<HttpRecordSource, "token_env">,
  environment: Environment,
): EnvLookup {
  return (name) => (name === variable && !isSet(name, environment) ? UNSEEN_VALUE : environment.lookup(name));
}
