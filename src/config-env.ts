import { type ConfigProblem, keyOf } from "./config.ts";
import { fail, ok, type Result } from "./result.ts";
import type { ServerTarget } from "./server-target.ts";

/** Looks a variable up: in a Worker among its variables and secrets, in a script in the process environment. */
export type EnvLookup = (name: string) => string | undefined;

const REFERENCE = /\$\{env:([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The names that a text refers to, legal or not, in order of appearance. */
export function envNames(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] ?? "");
}

/**
 * Replaces each `${env:NAME}` of a value. A name that is not set, or set to nothing, is a problem that names the key:
 * a header sent without its secret would look like the server's fault. What is put in is not looked at again.
 */
export function expandEnv(
  key: string,
  text: string,
  lookup: EnvLookup,
): Result<string, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const expanded = text.replaceAll(REFERENCE, (_whole, name: string) => {
    if (!NAME.test(name)) {
      problems.push({ key, message: "what stands in ${env:…} is no variable's name: write ${env:NAME}" });
      return "";
    }
    const value = lookup(name);
    if (value === undefined || value === "") {
      problems.push({ key, message: `the environment variable ${name} is not set` });
      return "";
    }
    return value;
  });
  if (problems.length > 0) return fail(problems);
  if (expanded.includes("${")) {
    // Only the text as written is searched: a secret may well contain `${`.
    const rest = text.replaceAll(REFERENCE, "");
    if (rest.includes("${"))
      return fail([{ key, message: "only ${env:NAME} is replaced: write it so, or drop the ${" }]);
  }
  return ok(expanded);
}

/** A server's address and headers as they go out. */
export interface ExpandedServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Puts the variables into a server's address and headers; all that is missing at once. */
export function expandTarget(
  { url: address, urlKey, headers: written, headersKey }: ServerTarget,
  lookup: EnvLookup,
): Result<ExpandedServer, readonly ConfigProblem[]> {
  const url = expandEnv(keyOf(urlKey), address, lookup);
  const headers = Object.entries(written).map(
    ([header, value]) => [header, expandEnv(keyOf([...headersKey, header]), value, lookup)] as const,
  );
  const problems = [url, ...headers.map(([, value]) => value)].flatMap((value) =>
    value.ok ? [] : value.reason,
  );
  if (!url.ok || problems.length > 0) return fail(problems);
  return ok({
    url: url.value,
    headers: Object.fromEntries(
      headers.flatMap(([header, value]) => (value.ok ? [[header, value.value]] : [])),
    ),
  });
}
