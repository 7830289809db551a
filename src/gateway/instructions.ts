import type { OfferedKinds } from "./meta-tools.ts";

/**
 * What a client shows its model once (MCP 2025-11-25, Lifecycle). All of it within the 512 characters after which some
 * clients cut.
 */
export const INSTRUCTIONS = [
  "Many tools stand behind three.",
  '1. tool_browse {"query":"what you want to do"} finds them; {"path":"/"} lists the namespaces.',
  '2. tool_execute {"tool_id":"<id from browse>","args":{…}} runs one. Not sure of the args? Try: a wrong call is not run ' +
    "and is answered with the schema.",
  '3. A large result is a summary and a line "kept … tool_view {…}": call tool_view with that to read the rest.',
  "Errors are one line of JSON; repeat a call only if it says retryable: true.",
].join("\n");

/** The same, and that there is more, where there is. */
export function instructionsFor({ resource, prompt }: OfferedKinds): string {
  const names = [...(resource ? ["resource_browse"] : []), ...(prompt ? ["prompt_browse"] : [])];
  return names.length === 0 ? INSTRUCTIONS : `${INSTRUCTIONS}\nLikewise: ${names.join(", ")}.`;
}
