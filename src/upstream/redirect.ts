import { fail, ok, type Result } from "../result.ts";

/** 0 is how browsers, and `fetch` by its standard, hide a manual redirect; Workers and Node do not. */
const REDIRECTS: ReadonlySet<number> = new Set([0, 301, 302, 303, 307, 308]);

/** Whether a response sends the client elsewhere. */
export function isRedirect(response: Response): boolean {
  return REDIRECTS.has(response.status);
}

/**
 * Where a request may be sent again. Only 307 and 308 say that nothing was done yet; the others turn a POST into a GET or
 * report its result elsewhere. Only the same origin is followed: configured headers are for the origin they were
 * configured for, and a side effect is not repeated at a stranger's.
 */
export function redirectTarget(response: Response, from: URL): Result<URL, string> {
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, from.href)) return fail("without a target");
  if (response.status !== 307 && response.status !== 308) return fail("that changes the method");
  const target = new URL(location, from);
  if (target.origin !== from.origin) return fail("to another origin");
  return ok(target);
}
