import { Told } from "../command-line.ts";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parse } from "jsonc-parser";
import { isRecord } from "../../src/json.ts";
import { type Child, startChild } from "./child-process.ts";
import { type StateFolder, writePrivateFile } from "./state.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

export interface WorkerSettings {
  readonly port: number;
  /** The text of the `loomgate.jsonc` in use. */
  readonly configText: string;
  /** Secret variables by name. They travel in the process environment and are written to no file. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The deployed Worker's own settings, moved to a state folder and pointed at one configuration. */
function localWranglerConfig(settings: WorkerSettings, base: Record<string, unknown>): object {
  return {
    ...base,
    $schema: undefined,
    main: join(ROOT, String(base["main"])),
    alias: absolutePaths(base["alias"]),
    d1_databases: absoluteMigrations(base["d1_databases"]),
    assets: absoluteAssets(base["assets"]),
    vars: { LOOMGATE_CONFIG: settings.configText, LOOMGATE_DEVELOPMENT: "1" },
    secrets: { required: Object.keys(settings.secrets) },
  };
}

function readWranglerConfig(): Record<string, unknown> {
  const text = readFileSync(join(ROOT, "wrangler.jsonc"), "utf8");
  const config: unknown = parse(text, [], { allowTrailingComma: true });
  if (!isRecord(config)) throw new Told("wrangler.jsonc is not an object");
  return { ...config };
}

/** Writes the settings of this instance, for the commands below. */
export function writeWranglerConfig(state: StateFolder, settings: WorkerSettings): void {
  const config = localWranglerConfig(settings, readWranglerConfig());
  writePrivateFile(configFileOf(state), `${JSON.stringify(config, null, 2)}\n`);
}

/** Brings the state folder's database to the newest schema. Throws an `Error` that names the log file. */
export async function migrate(state: StateFolder): Promise<void> {
  const child = startChild({
    name: "migrations",
    command: [
      process.execPath,
      WRANGLER,
      "d1",
      "migrations",
      "apply",
      "DB",
      "--local",
      "--config",
      configFileOf(state),
      "--persist-to",
      state.bindings,
    ],
    env: wranglerEnv(state),
    cwd: state.dir,
    logFile: join(state.logs, "migrations.log"),
  });
  const code = await child.exited;
  if (code !== 0) throw new Told(`the database could not be migrated; the log: ${child.logFile}`);
}

/** Starts `wrangler dev` over the state folder's bindings. */
export function startWorker(state: StateFolder, settings: WorkerSettings): Child {
  const command = [
    process.execPath,
    WRANGLER,
    "dev",
    "--config",
    configFileOf(state),
    "--ip",
    "127.0.0.1",
    "--port",
    String(settings.port),
    "--inspector-port",
    "0",
    "--persist-to",
    state.bindings,
    "--show-interactive-dev-session=false",
  ];
  return startChild({
    name: "worker",
    command,
    env: { ...wranglerEnv(state), ...settings.secrets },
    cwd: state.dir,
    logFile: join(state.logs, "worker.log"),
  });
}

/** What wrangler needs of the environment, and nothing that names an account: a local run reaches no network. */
function wranglerEnv(state: StateFolder): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    CI: "1",
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    // Keeps the inspector's bridge away from the Worker: with it one body that is no gzip ends the runtime, and large
    // answers cost gigabytes. `--inspector-port` alone only moves it.
    VSCODE_INSPECTOR_OPTIONS: "{}",
    // Its explorer would serve every binding, read and write, to whoever reaches the port.
    X_LOCAL_EXPLORER: "false",
    WRANGLER_LOG_PATH: state.logs,
    // Two instances must not find each other through the registry that wrangler keeps in the home folder.
    WRANGLER_REGISTRY_PATH: join(state.dir, "registry"),
  };
}

function configFileOf(state: StateFolder): string {
  return join(state.dir, "wrangler.json");
}

/** Paths in a wrangler configuration are relative to its file, which has moved. */
function absoluteMigrations(databases: unknown): unknown {
  if (!Array.isArray(databases)) return databases;
  return databases.map((database: unknown) =>
    isRecord(database)
      ? { ...database, migrations_dir: join(ROOT, String(database["migrations_dir"])) }
      : database,
  );
}

function absoluteAssets(assets: unknown): unknown {
  return isRecord(assets) ? { ...assets, directory: join(ROOT, String(assets["directory"])) } : assets;
}

function absolutePaths(alias: unknown): Record<string, string> {
  if (typeof alias !== "object" || alias === null) return {};
  return Object.fromEntries(Object.entries(alias).map(([name, path]) => [name, join(ROOT, String(path))]));
}
