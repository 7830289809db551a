import { parseArgs } from "node:util";
import { fail, ok, type Result } from "../../src/result.ts";
import { readEndpoint } from "./endpoint.ts";
import { type Stop, usage } from "./stop.ts";

export const USAGE = `usage: LOOMGATE_RECORDS_TOKEN=… npx loomgate-records --url URL
  Serves the five read tools of a Loomgate over standard input and output, for clients that speak only stdio.
  --url URL  the Worker's address, like https://loomgate.example.workers.dev, or its endpoint that ends in /mcp/records
  LOOMGATE_RECORDS_TOKEN  a client's or package's bearer, as npm run grant -- create prints it; no other one is taken
exit codes: 64 usage; 77 an owner's, an operator's or an unknown bearer; 78 not connected, or the bearer is no good`;

export type Command = { readonly kind: "help" } | { readonly kind: "serve"; readonly endpoint: URL };

/** Reads the command line: one option. What else the adapter does is not for choosing. */
export function readArguments(argv: readonly string[]): Result<Command, Stop> {
  let values: { readonly url?: string | undefined; readonly help?: boolean | undefined };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: { url: { type: "string" }, help: { type: "boolean", short: "h" } },
    }));
  } catch (error) {
    return fail(usage((error instanceof Error ? error.message : String(error)).split(". ", 1).join("")));
  }
  if (values.help === true) return ok({ kind: "help" });
  if (values.url === undefined) return fail(usage("--url is missing"));
  const endpoint = readEndpoint(values.url);
  return endpoint.ok ? ok({ kind: "serve", endpoint: endpoint.value }) : fail(usage(endpoint.reason));
}
