import { catalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { httpRecordSources } from "../../../src/config-records-schema.ts";
import { type Config, type ConfigProblem, parseConfig } from "../../../src/config.ts";
import { httpSourceTarget } from "../../../src/records/source/http-target.ts";
import { httpServers, TARGET_NAMES } from "../../../src/server-target.ts";
import { upstreamTarget } from "../../../src/upstream/targets.ts";
import { type Check, failed, type Finding, orPassed, passed, skipped } from "../finding.ts";
import { counted, shown } from "../shown.ts";
import { judgeControls } from "./controls.ts";
import { judgeCredentials } from "./credentials.ts";
import { type Environment, missingVariables, withStandInBearer, withStandIns } from "./environment.ts";

export interface ConfigVerdict {
  readonly findings: readonly Finding[];
  /** Absent where the text is no configuration. */
  readonly config?: Config;
}

/**
 * What a configuration's text has wrong, without a request; the order of its policy is judged apart. `allowLoopback`: whether it is for a Worker on this machine; a
 * deployed one reaches no loopback address.
 */
export function judgeConfig(
  text: string,
  environment: Environment,
  { allowLoopback }: { readonly allowLoopback: boolean },
): ConfigVerdict {
  const parsed = parseConfig(text);
  if (!parsed.ok) return { findings: problems("config.keys", parsed.reason) };
  const config = parsed.value;
  const catalog = catalogSettings(config);
  return {
    config,
    findings: [
      passed("config.keys", "every key and value can be read"),
      ...(catalog.ok
        ? [passed("config.servers", counted(catalog.value.servers.length, "server"))]
        : problems("config.servers", catalog.reason)),
      ...judgeVariables(config, environment),
      ...judgeAddresses(config, environment, allowLoopback),
      ...judgeCredentials(text, config),
      ...judgeControls(text, config),
    ],
  };
}

function problems(check: Check, found: readonly ConfigProblem[]): readonly Finding[] {
  return found.map(({ key, message }) =>
    failed(check, { what: message, ...(key === "" ? {} : { subject: key }) }),
  );
}

function judgeVariables(config: Config, environment: Environment): readonly Finding[] {
  const { missing, unseen } = missingVariables(config, environment);
  const found = [...missing].map(([name, places]) =>
    failed("config.variables", {
      subject: places.join(", "),
      what: `the environment variable ${shown(name)} is not set`,
      mend: `set ${shown(name)}, or write it into .dev.vars`,
    }),
  );
  if (unseen.length > 0) {
    return [
      ...found,
      skipped(
        "config.variables",
        `secrets of the Worker, which cannot be seen from here: ${unseen.map((name) => shown(name)).join(", ")}`,
        "`npx wrangler secret list` names those that are set",
      ),
    ];
  }
  return orPassed(found, "config.variables", "every variable that is named is set");
}

function judgeAddresses(
  config: Config,
  environment: Environment,
  allowLoopback: boolean,
): readonly Finding[] {
  const found = httpServers(config).flatMap(([name, written]) => {
    if (written.disabled) return [];
    const { server, lookup } = withStandIns(written, environment);
    const targets = TARGET_NAMES.filter((which) => which === "configured" || server.candidate !== undefined);
    const wrong = targets.flatMap((which) => {
      const target = upstreamTarget(name, server, lookup, { allowLoopback }, which);
      return target.ok ? [] : target.reason;
    });
    // Headers that a candidate has of its server are wrong once.
    const unique = new Map(wrong.map((problem) => [`${problem.key} ${problem.message}`, problem]));
    return problems("config.addresses", [...unique.values()]);
  });
  for (const source of httpRecordSources(config)) {
    const target = httpSourceTarget(source, withStandInBearer(source, environment), { allowLoopback });
    if (!target.ok) found.push(...problems("config.addresses", target.reason));
  }
  return orPassed(found, "config.addresses", "every address and header can be used");
}
