import { memberOf, parsedJson } from "../../src/json.ts";
import { fail, ok, type Result } from "../../src/result.ts";
import { notReady, ownerRefused, type Stop } from "./stop.ts";

const TOKEN_VARIABLE = "LOOMGATE_RECORDS_TOKEN";
/** Where a PDPP set-up keeps an owner's credentials. */
const OWNER_VARIABLES = ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"];
const OPERATOR_VARIABLE = "OPERATOR_TOKEN";
/** The kinds that may read through MCP. */
const READING_KINDS = new Set(["client", "package"]);
const OWNER_BEARER = /(?:^|[\s"'=:])lg_owner_/;
/** RFC 6750 §2.1, and longer than any is. */
const BEARER = /^[\w.~+/-]{1,8192}={0,2}$/;

/** A bearer that reads within a grant, as far as it can be told from here; the server has the last word. */
export interface Credential {
  readonly bearer: string;
  /** By its own word a client's or a package's; not so a bearer of another form, whose kind only the server knows. */
  readonly isReader: boolean;
  /** Seconds since 1970, where the bearer tells. */
  readonly expiresAtSeconds: number | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The bearer of the environment. An owner's or an operator's credential ends it, also one that would not be used: an
 * agent's process is no place for it. Messages name variables, never values.
 */
export function readCredential(environment: Environment): Result<Credential, Stop> {
  const bearer = environment[TOKEN_VARIABLE]?.trim() ?? "";
  const owner = ownerVariable(environment);
  if (owner !== undefined) {
    return fail(
      ownerRefused(`${owner} holds an owner's credential: take it out of this process's environment`),
    );
  }
  if (bearer === "") {
    return fail(
      notReady(
        "not_connected",
        `${TOKEN_VARIABLE} is not set: npm run grant -- create prints a bearer for it`,
      ),
    );
  }
  if (bearer === environment[OPERATOR_VARIABLE]?.trim()) {
    return fail(ownerRefused(`${TOKEN_VARIABLE} is the operator's bearer`));
  }
  if (!BEARER.test(bearer)) {
    return fail(notReady("credential_invalid", `${TOKEN_VARIABLE} is no bearer`));
  }
  const kind = /^lg_([^_]*)_/.exec(bearer)?.[1];
  const isReader = kind !== undefined && READING_KINDS.has(kind);
  // One that calls itself ours, and is of no kind that reads, is refused without asking.
  if (bearer.startsWith("lg_") && !isReader) {
    return fail(ownerRefused(`${TOKEN_VARIABLE} is not a client's or a package's bearer`));
  }
  return ok({ bearer, isReader, expiresAtSeconds: isReader ? expiryOf(bearer) : null });
}

function ownerVariable(environment: Environment): string | undefined {
  const named = OWNER_VARIABLES.find((name) => (environment[name]?.trim() ?? "") !== "");
  return named ?? Object.keys(environment).find((name) => OWNER_BEARER.test(environment[name] ?? ""));
}

/** Read only to word a refusal: nobody has checked the bearer's MAC here. */
function expiryOf(bearer: string): number | null {
  // Base64url has `_` in its alphabet: the MAC is the last 43 characters, the payload what is before it.
  const payload = bearer.split("_").slice(2).join("_").slice(0, -44);
  const expires = memberOf(parsedJson(Buffer.from(payload, "base64url").toString("utf8")), "e");
  return typeof expires === "number" ? expires : null;
}
