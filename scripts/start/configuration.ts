import { Told } from "../command-line.ts";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";
import { catalogSettings } from "../../src/catalog/refresh/settings.ts";
import { envNames, type EnvLookup } from "../../src/config-env.ts";
import { type Config, type ConfigProblem, formatProblems, parseConfig } from "../../src/config.ts";
import { httpRecordSources } from "../../src/config-records-schema.ts";
import { httpSourceProblems } from "../../src/records/source/http-target.ts";
import { upstreamTargets } from "../../src/upstream/targets.ts";

/** Looks a variable up in the process environment, then in `.dev.vars` beside the repository's configuration. */
export function environmentLookup(cwd: string): EnvLookup {
  const path = join(cwd, ".dev.vars");
  const file = existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
  return (name) => process.env[name] ?? file[name];
}

/**
 * Reads a configuration file and judges it, the variables it refers to included. Tells the person every problem.
 */
export function readConfigFile(path: string, cwd: string, lookup: EnvLookup): string {
  const shown = relative(cwd, path) || path;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new Told(existsSync(path) ? `${shown} cannot be read` : `${shown} is not there`);
  }
  const config = parseConfig(text);
  const problems = config.ok ? problemsOf(config.value, lookup) : config.reason;
  if (problems.length > 0) throw new Told(`${shown} is not usable:\n${formatProblems(problems)}`);
  return text;
}

/** What the parts of the Worker that use the configuration would find wrong with it on this machine. */
function problemsOf(config: Config, lookup: EnvLookup): readonly ConfigProblem[] {
  const rules = { allowLoopback: true };
  const judged = [catalogSettings(config), upstreamTargets(config, lookup, rules)];
  return [
    ...judged.flatMap((result) => (result.ok ? [] : result.reason)),
    ...httpSourceProblems(config, lookup, rules),
  ];
}

/** The variables that a configuration text refers to and that are set; the Worker itself reports those that are not. */
export function referencedVariables(text: string, lookup: EnvLookup): Record<string, string> {
  const found: Record<string, string> = {};
  const config = parseConfig(text);
  const bearers = config.ok ? httpRecordSources(config.value).map((source) => source.token_env) : [];
  for (const name of new Set([...envNames(text), ...bearers])) {
    const value = lookup(name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
