import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memberOf } from "../../src/json.ts";

/** Where the operator's routes are, and the operator's bearer. */
export interface Admin {
  readonly url: string;
  readonly operatorToken: string;
}

/**
 * The deployed Worker at `url`, whose `OPERATOR_TOKEN` the environment has, or else the local one that `npm start` runs
 * over `stateDir`. Throws an `Error` that tells the person what is missing.
 */
export function findAdmin(url: string | undefined, stateDir: string, env: NodeJS.ProcessEnv): Admin {
  if (url !== undefined) {
    const operatorToken = env["OPERATOR_TOKEN"];
    if (operatorToken === undefined || operatorToken === "") {
      throw new Error("set OPERATOR_TOKEN to the deployed Worker's secret of that name");
    }
    return { url: new URL("/admin", url).href, operatorToken };
  }
  const path = join(stateDir, "dev.json");
  const dev: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  const admin = memberOf(dev, "admin");
  const operatorToken = memberOf(dev, "operator_token");
  if (typeof admin !== "string" || typeof operatorToken !== "string") {
    throw new Error(
      `no local Worker runs over ${stateDir}: npm start first, or name a deployed one with --url`,
    );
  }
  return { url: admin, operatorToken };
}

/** Calls an operator's route. Throws an `Error` with the status and the body's own words if it refuses. */
export async function callAdmin(admin: Admin, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${admin.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${admin.operatorToken}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
