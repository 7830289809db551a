/** What a client of `/mcp/proxy` shows its model once, within the 512 characters after which some clients cut. */
export const PROXY_INSTRUCTIONS = [
  "The list has every tool of every server, without its arguments.",
  '1. tool_hydrate {"tool_id":"<name or title from the list>"} shows a tool\'s whole definition, its schema too.',
  '2. tool_execute {"tool_id":"…","args":{…}} runs it: never call a listed tool by its own name. A call whose args do not ' +
    "fit is not run and is answered with the schema.",
  "Results come whole, as the tool gave them. The gateway's own errors are one line of JSON; repeat a call only if it says " +
    "retryable: true.",
].join("\n");
