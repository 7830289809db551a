import type { MiddlewareHandler } from "hono";
import { problem, type PdppProblem } from "../records/problem.ts";
import { refuse } from "./answers.ts";
import { unauthorized } from "./authenticate.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { logFor } from "./log.ts";
import { pdppProblem } from "./pdpp.ts";
import { readerStore } from "./records-ports.ts";

/**
 * Stands behind `authenticate`: asks D1 what this very bearer may read now, before anything of the request's body is looked
 * at. A revocation counts from here on, whatever an isolate remembers.
 */
export const admitReader: MiddlewareHandler<HttpEnv> = async function admitReader(c, next) {
  const caller = c.get("caller");
  if (caller.kind !== "bearer") return refuse(c, "forbidden");
  const { tokenId, kind } = caller.claims;
  const access = await asked(c, () => readerStore(c).load(tokenId, kind));
  if (access === undefined) return unavailable(c);
  switch (access.standing) {
    case "covered":
      c.set("reader", access);
      return next();
    case "token_revoked":
      return unauthorized(c);
    case "no_grant":
      return pdppProblem(c, NO_GRANT);
    case "grants_revoked":
      return pdppProblem(c, kind === "package" ? PACKAGE_REVOKED : GRANT_REVOKED);
  }
};

/** The same for an owner who writes: only whether the bearer lives. */
export const admitWriter: MiddlewareHandler<HttpEnv> = async function admitWriter(c, next) {
  const caller = c.get("caller");
  if (caller.kind !== "bearer") return refuse(c, "forbidden");
  const { tokenId } = caller.claims;
  const lives = await asked(c, () => readerStore(c).isLive(tokenId));
  if (lives === undefined) return unavailable(c);
  return lives ? next() : unauthorized(c);
};

async function asked<Value>(c: HttpContext, ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    logFor(c)(`the standing of a bearer is not known: ${String(error)}`);
    return undefined;
  }
}

function unavailable(c: HttpContext): Response {
  return refuse(c, "unavailable", { headers: { "Retry-After": "1" } });
}

const NO_GRANT: PdppProblem = problem(
  "permission_error",
  "This bearer has no grant to read records: ask the operator for one that was made with a grant.",
);
const GRANT_REVOKED: PdppProblem = problem("grant_revoked", "The grant of this bearer was revoked.");
const PACKAGE_REVOKED: PdppProblem = problem("package_revoked", "All grants of this bearer were revoked.");
