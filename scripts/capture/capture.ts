import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/json.ts";
import { Told } from "../command-line.ts";
import { packageFolder } from "./installed-package.ts";
import { keptCapture, keepCapture } from "./kept-captures.ts";
import { type Launch, listTools } from "./list-tools.ts";
import type { ServerToCapture } from "./server-list.ts";

/** What a server offers: its tools' definitions as `tools/list` gives them. */
export interface CapturedServer {
  readonly name: string;
  readonly tools: readonly JsonObject[];
}

export interface CaptureOptions {
  /** How long one server may take to start and to list. */
  readonly deadlineMs?: number;
  /** Ends all servers early. */
  readonly signal?: AbortSignal;
  /** Where captures are kept between runs; without it every server is started. */
  readonly keepIn?: string;
}

/** Starting a server takes a second or two, ten on a busy machine with cold disks. */
const DEADLINE_MS = 60_000;

/** The tools of some servers, in the servers' order. All are started at once; one that fails fails the capture. */
export async function capture(
  servers: readonly ServerToCapture[],
  { deadlineMs = DEADLINE_MS, signal, keepIn }: CaptureOptions = {},
): Promise<CapturedServer[]> {
  // One that fails ends the others: no process may outlive this call.
  const failed = new AbortController();
  const one = async (server: ServerToCapture): Promise<CapturedServer> => {
    const kept = keepIn === undefined ? undefined : keptCapture(keepIn, server);
    if (kept !== undefined) return { name: server.name, tools: kept };
    const ends = [failed.signal, AbortSignal.timeout(deadlineMs), ...(signal === undefined ? [] : [signal])];
    const tools = await listTools(launchOf(server), { signal: AbortSignal.any(ends), timeout: deadlineMs });
    if (keepIn !== undefined) keepCapture(keepIn, server, tools);
    return { name: server.name, tools };
  };
  const running = servers.map(async (server) => {
    try {
      return await one(server);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  failed.signal.throwIfAborted();
  return Promise.all(running);
}

function launchOf({ name, package: packageName, bin, args, env }: ServerToCapture): Launch {
  const script = join(packageFolder(packageName), bin);
  if (!existsSync(script)) throw new Told(`${packageName} has no ${bin}`);
  return { name, script, args, env };
}

/** Captured tools as the rows of a catalog: ids are `server::name`. */
export function catalogRows(servers: readonly CapturedServer[]): JsonObject[] {
  return servers.flatMap(({ name: server, tools }) =>
    tools.map((tool) => ({ ...tool, id: `${server}::${String(tool["name"])}`, server })),
  );
}
