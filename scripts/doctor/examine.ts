import { envNames, type EnvLookup } from "../../src/config-env.ts";
import type { Config } from "../../src/config.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { committedCounter } from "../committed-ranks.ts";
import { VERSION } from "../../src/version.ts";
import { Told } from "../command-line.ts";
import { adviceFor } from "./advice.ts";
import type { DoctorArguments } from "./arguments.ts";
import { literalCredentials } from "./config/credentials.ts";
import { judgeConfig } from "./config/judge-config.ts";
import { judgePolicyOrder } from "./config/policy-order.ts";
import { configSource } from "./config/source.ts";
import type { AskBounds } from "./deployment/ask.ts";
import { type Deployment, look } from "./deployment/look.ts";
import { failed, type Finding, skipped } from "./finding.ts";
import { keptSecrets, type LocalInstance, localInstance } from "./instance.ts";
import { judgeDeployment } from "./judge/deployment.ts";
import { isLoopback } from "./judge/health.ts";
import { type Report, reportOf } from "./report.ts";

export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** A variable of the configuration, as `npm start` looks it up. */
  readonly lookup: EnvLookup;
  readonly nowMs: number;
  readonly bounds?: AskBounds;
}

const OWN_SECRETS = ["LOOMGATE_KEY", "LOOMGATE_KEY_PREVIOUS", "OPERATOR_TOKEN", "LOOMGATE_TOKEN"];

/** Examines a configuration, and a deployment where there is one. Throws `Told` where a refresh is wanted of none. */
export async function examine(args: DoctorArguments, surroundings: Surroundings): Promise<Report> {
  const { cwd, env, lookup, nowMs, bounds } = surroundings;
  const { url, configFile, stateDir, refresh, strict, named } = args;
  const instance = url === undefined ? localInstance(stateDir) : undefined;
  const deployment = deploymentOf(url, instance, env);
  if (refresh && deployment === undefined) {
    throw new Told(`--refresh: ${nothingOver(stateDir)}, so there is nothing to list anew; ${START}`);
  }
  const isRemote = url !== undefined && !isLoopback(url);
  const source = configSource({ configFile, cwd, lookup, instance, isRemote });
  const verdict =
    source.text === undefined
      ? { findings: [] }
      : judgeConfig(source.text, source.environment, { allowLoopback: !isRemote });
  const { config } = verdict;
  const secrets = [
    deployment?.operatorBearer,
    deployment?.clientBearer,
    ...keptSecrets(stateDir),
    ...OWN_SECRETS.flatMap((name) => [env[name], lookup(name)]),
    ...namedSecrets(source.text, config, lookup),
  ];
  const scrubber = createScrubber(secrets);
  const offline = [...source.findings, ...verdict.findings, ...unsendable(url, env)];
  const policy = config === undefined ? [] : judgePolicyOrder(config);
  if (deployment === undefined) return reportOf([...offline, ...policy, nothingRuns(args)], scrubber);
  const seen = await look(deployment, scrubber, { refresh, bounds });
  const expectations = {
    version: VERSION,
    nowMs,
    config: source.mayRun ? config : undefined,
    wantsOperator: strict,
    wantsRefresh: refresh,
    advice: adviceFor(named, isRemote ? "deployed" : instance === undefined ? "loopback" : "instance"),
  };
  const online = judgeDeployment(seen, expectations, committedCounter());
  return reportOf([...offline, ...policy, ...online], scrubber);
}

function deploymentOf(
  url: string | undefined,
  instance: LocalInstance | undefined,
  env: NodeJS.ProcessEnv,
): Deployment | undefined {
  if (url !== undefined) {
    return {
      origin: new URL(url).origin,
      operatorBearer: bearerIn(env, "OPERATOR_TOKEN"),
      clientBearer: bearerIn(env, "LOOMGATE_TOKEN"),
    };
  }
  if (instance === undefined) return undefined;
  const { admin, operator_token: operatorBearer, token: clientBearer } = instance.dev;
  return { origin: new URL(admin).origin, operatorBearer, clientBearer };
}

/** What a header can carry of a bearer (RFC 6750 §2.1 allows less). */
const SENDABLE = /^[\x21-\x7e]+$/;

function bearerIn(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name] ?? "";
  return SENDABLE.test(value) ? value : undefined;
}

/** Variables that hold a bearer and something that cannot be sent. */
function unsendable(url: string | undefined, env: NodeJS.ProcessEnv): readonly Finding[] {
  if (url === undefined) return [];
  const held = [
    ["OPERATOR_TOKEN", "operator.bearer"],
    ["LOOMGATE_TOKEN", "client.session"],
  ] as const;
  return held.flatMap(([name, check]) => {
    if ((env[name] ?? "") === "" || bearerIn(env, name) !== undefined) return [];
    const what = "holds a blank, a line end or a character that no header can carry";
    return [failed(check, { subject: name, what, mend: "set it to the bearer alone" })];
  });
}

function namedSecrets(
  text: string | undefined,
  config: Config | undefined,
  lookup: EnvLookup,
): readonly (string | undefined)[] {
  const named = envNames(text ?? "").map((name) => lookup(name));
  return config === undefined ? named : [...named, ...literalCredentials(config)];
}

const START = "npm start, or name the folder of what runs with --state, or a deployed Worker with --url";

function nothingOver(stateDir: string): string {
  return `nothing runs over ${stateDir}`;
}

function nothingRuns({ stateDir, named }: DoctorArguments): Finding {
  const what = nothingOver(stateDir);
  return named.state === undefined
    ? skipped("deployment.health", what, START)
    : failed("deployment.health", { what, mend: START });
}
