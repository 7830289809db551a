import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { EnvLookup } from "../../../src/config-env.ts";
import { failed, type Finding, passed, warned } from "../finding.ts";
import type { LocalInstance } from "../instance.ts";
import type { Environment } from "./environment.ts";

export interface ConfigSource {
  /** Undefined where it cannot be read. */
  readonly text: string | undefined;
  readonly findings: readonly Finding[];
  readonly environment: Environment;
  /** Whether the deployment that is looked at may run with it. */
  readonly mayRun: boolean;
}

export interface SourceSettings {
  readonly configFile: string | undefined;
  readonly cwd: string;
  readonly lookup: EnvLookup;
  readonly instance: LocalInstance | undefined;
  /** A deployed Worker has variables of its own. */
  readonly isRemote: boolean;
}

/** The configuration to judge: the file that was named, else what runs locally, else the checkout's own. */
export function configSource({ configFile, cwd, lookup, instance, isRemote }: SourceSettings): ConfigSource {
  if (configFile === undefined && instance?.configText !== undefined) {
    const { configText: text, variables } = instance;
    return {
      text,
      findings: [passed("config.file", "the configuration of the running instance")],
      environment: { lookup, elsewhere: (name) => (variables.has(name) ? "set" : "unset") },
      mayRun: true,
    };
  }
  const path = configFile ?? join(cwd, "loomgate.jsonc");
  const shownPath = relative(cwd, path) || path;
  const environment: Environment = { lookup, elsewhere: () => (isRemote ? "unseen" : "unset") };
  const text = readText(path);
  if (text === undefined) {
    const words = { subject: shownPath, what: "cannot be read", mend: "name a file with --config" };
    return { text, findings: [failed("config.file", words)], environment, mayRun: false };
  }
  const isOther = instance?.configText !== undefined && instance.configText !== text;
  return {
    text,
    findings: [
      passed("config.file", shownPath),
      ...(isOther
        ? [
            warned("config.current", {
              subject: shownPath,
              what: "is not what the running instance was started with",
              mend: "start it anew with --config",
            }),
          ]
        : []),
    ],
    environment,
    mayRun: !isOther,
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
