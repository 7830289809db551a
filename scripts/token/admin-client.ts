import { isJsonArray, memberOf, parsedJson } from "../../src/json.ts";
import { Told } from "../command-line.ts";
import { readDevFile } from "../start/dev-file.ts";

/** Where the operator's routes are, and the operator's bearer. */
export interface Admin {
  readonly url: string;
  readonly operatorToken: string;
}

/**
 * The deployed Worker at `url`, whose `OPERATOR_TOKEN` the environment has, or else the local one that `npm start` runs
 * over `stateDir`.
 */
export function findAdmin(url: string | undefined, stateDir: string, env: NodeJS.ProcessEnv): Admin {
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Told(
        `--url takes the Worker's address, like https://loomgate.example.workers.dev, not "${url}"`,
      );
    }
    const operatorToken = env["OPERATOR_TOKEN"];
    if (operatorToken === undefined || operatorToken === "") {
      throw new Told("set OPERATOR_TOKEN to the deployed Worker's secret of that name");
    }
    return { url: new URL("/admin", url).href, operatorToken };
  }
  const dev = readDevFile(stateDir);
  if (dev === undefined) {
    throw new Told(
      `nothing runs over ${stateDir}: npm start first, name its folder with --state, or a deployed Worker with --url`,
    );
  }
  return { url: dev.admin, operatorToken: dev.operator_token };
}

/**
 * Calls an operator's route, and tells the person what went wrong if it does not do what was asked. A body that is a text is
 * JSON already. `notFound` is told where nothing has the id that the path names.
 */
export async function callAdmin(
  admin: Admin,
  method: string,
  path: string,
  body?: object | string,
  { notFound }: { readonly notFound?: string } = {},
): Promise<unknown> {
  const response = await reach(admin, method, path, body);
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  if (response.status === 404 && notFound !== undefined) throw new Told(notFound);
  const route = `${method} ${new URL(`${admin.url}${path}`).pathname}`;
  if (response.status === 401 || response.status === 403)
    throw new Told(`${route}: the operator's bearer was refused`);
  throw new Told(`${route}: ${response.status} ${readable(text)}`);
}

/** A refusal that lists problems has one a line; any other is shown as it came. */
function readable(text: string): string {
  const refusal = parsedJson(text);
  const problems = memberOf(refusal, "problems");
  if (!isJsonArray(problems)) return text;
  return [String(memberOf(refusal, "error")), ...problems.map(String)].join("\n  ");
}

async function reach(
  admin: Admin,
  method: string,
  path: string,
  body: object | string | undefined,
): Promise<Response> {
  try {
    return await fetch(`${admin.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${admin.operatorToken}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  } catch {
    throw new Told(`${admin.url} does not answer`);
  }
}
