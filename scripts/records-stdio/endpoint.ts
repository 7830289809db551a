import { fail, ok, type Result } from "../../src/result.ts";

const PATH = "/mcp/records";
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The endpoint that an address means: a Worker's address, below which the read surface is, or that endpoint itself. The
 * bearer goes there, so the way must be closed to others: https, or this machine.
 */
export function readEndpoint(text: string): Result<URL, string> {
  if (!URL.canParse(text)) return fail("--url takes an address like https://loomgate.example.workers.dev");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return fail("--url takes no credentials: the bearer comes in LOOMGATE_RECORDS_TOKEN");
  }
  if (url.search !== "" || url.hash !== "") return fail("--url takes an address without ? or #");
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isSafe) return fail("--url takes https; http only to this machine (localhost, 127.0.0.1, [::1])");
  const path = url.pathname.replace(/\/$/, "");
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return ok(url);
}
