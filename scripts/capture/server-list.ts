import { readFileSync } from "node:fs";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { Told } from "../command-line.ts";

/** A server that is started from an installed package. In `args` and `env`, `{folder}` is its own temporary folder. */
export interface ServerToCapture {
  readonly name: string;
  readonly package: string;
  /** The script that Node runs, inside the package. */
  readonly bin: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Reads a `capture.json`: `{"servers": [{"name", "package", "bin", "args"?, "env"?}]}`. */
export function readServerList(file: string): ServerToCapture[] {
  const list = memberOf(parse(file), "servers");
  if (!isJsonArray(list) || list.length === 0)
    throw new Told(`${file}: servers is a list with something in it`);
  const servers = list.map((entry, index) => readServer(entry, `${file}: server ${index + 1}`));
  const names = servers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Told(`${file}: two servers are called ${twice}`);
  return servers;
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Told(`${file}: ${error instanceof Error ? error.message : "cannot be read"}`);
  }
}

function readServer(entry: unknown, place: string): ServerToCapture {
  const text = (key: string): string => {
    const value = memberOf(entry, key);
    if (typeof value !== "string" || value === "") throw new Told(`${place}: ${key} is a text`);
    return value;
  };
  const args = memberOf(entry, "args") ?? [];
  const env = memberOf(entry, "env") ?? {};
  if (!isJsonArray(args) || !isRecord(env)) throw new Told(`${place}: args is a list, env an object`);
  return {
    name: text("name"),
    package: text("package"),
    bin: text("bin"),
    args: args.map((value) => textOf(value, place)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, textOf(value, place)])),
  };
}

function textOf(value: unknown, place: string): string {
  if (typeof value !== "string") throw new Told(`${place}: args and env hold texts`);
  return value;
}
