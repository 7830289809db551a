import { UPSTREAM_WANTED_MESSAGE_MAX_CHARS, UPSTREAM_WANTED_METHOD_MAX_CHARS } from "../limits.ts";
import { OTHER_METHOD, WantedList, type WantedRequest } from "../wanted-request.ts";
import { textPart } from "./answers.ts";
import type { GatewayPorts } from "./ports.ts";
import { upstreamWords } from "./upstream-words.ts";

/** Where programs find what an upstream asked of its client and was refused. */
const WANTED_KEY = "loomgate/wanted";

const ADVICE = "nobody can be asked here; give it with the arguments";

/** The requests that MCP has, in our words. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "elicitation"],
  ["sampling/createMessage", "sampling"],
  ["roots/list", "roots"],
  [OTHER_METHOD, "another request"],
]);

/** What an upstream wanted, as its caller may hear it: a few, each once and bounded, in words without secrets. */
export function toldWanted(
  wanted: readonly WantedRequest[],
  server: string | undefined,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
): readonly WantedRequest[] {
  const told = new WantedList();
  for (const { method, message = "" } of wanted) {
    const heard = upstreamWords(method, UPSTREAM_WANTED_METHOD_MAX_CHARS, server, ports);
    told.add({
      method: NAMES.has(method) || heard === method ? method : OTHER_METHOD,
      message: upstreamWords(message, UPSTREAM_WANTED_MESSAGE_MAX_CHARS, server, ports),
    });
  }
  return told.all();
}

/** What stands in an answer's `_meta` of it; nothing where nothing was wanted. */
export function wantedMeta(
  wanted: readonly WantedRequest[] | undefined,
): Readonly<Record<string, readonly WantedRequest[]>> {
  return wanted === undefined || wanted.length === 0 ? {} : { [WANTED_KEY]: wanted };
}

/** The line behind an answer that tells a model of it, as a part of the answer; none where nothing was wanted. */
export function wantedParts(wanted: readonly WantedRequest[] | undefined): readonly unknown[] {
  if (wanted === undefined || wanted.length === 0) return [];
  const asked = wanted.map(
    ({ method, message }) =>
      `${nameOf(method)}${message === undefined ? "" : `: ${JSON.stringify(message)}`}`,
  );
  return [textPart(`note: the server asked for ${asked.join("; ")} and was refused: ${ADVICE}`)];
}

/** What the upstream made up stands in quotes: a note speaks in our voice. */
function nameOf(method: string): string {
  return NAMES.get(method) ?? JSON.stringify(method);
}
