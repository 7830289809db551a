import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblems, parseConfig } from "../../src/config.ts";
import { CONFIG_SCHEMA_FILE, configSchemaText } from "../config-schema-text.ts";
import { ROOT } from "./run-tool.ts";

/** The configuration that a deployment would carry is usable, and the editors' schema says what the code says. */
export function configFile(): string[] {
  const problems: string[] = [];
  const config = parseConfig(readFileSync(join(ROOT, "loomgate.jsonc"), "utf8"));
  if (!config.ok) problems.push(formatProblems(config.reason));
  if (readFileSync(join(ROOT, CONFIG_SCHEMA_FILE), "utf8") !== configSchemaText()) {
    problems.push(`${CONFIG_SCHEMA_FILE} is out of date: npm run config-schema`);
  }
  return problems;
}
