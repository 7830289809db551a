import {
  UPSTREAM_WANTED_MAX_COUNT,
  UPSTREAM_WANTED_MESSAGE_MAX_CHARS,
  UPSTREAM_WANTED_METHOD_MAX_CHARS,
} from "../limits.ts";
import type { WantedRequest } from "../wanted-request.ts";
import { textPart } from "./answers.ts";
import type { GatewayPorts } from "./ports.ts";
import { upstreamWords } from "./upstream-words.ts";

/** Where programs find what an upstream asked of its client and was refused. */
const WANTED_KEY = "loomgate/wanted";

const ADVICE = "nobody can be asked here; give it with the arguments";

/** What an upstream wanted, as its caller may hear it: a few, each bounded, in words without secrets. */
export function toldWanted(
  wanted: readonly WantedRequest[],
  server: string | undefined,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
): readonly WantedRequest[] {
  return wanted.slice(0, UPSTREAM_WANTED_MAX_COUNT).map((request) => {
    const told = upstreamWords(request.message ?? "", UPSTREAM_WANTED_MESSAGE_MAX_CHARS, server, ports);
    const method = upstreamWords(request.method, UPSTREAM_WANTED_METHOD_MAX_CHARS, server, ports);
    return told === "" ? { method } : { method, message: told };
  });
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

/** `elicitation/create` is elicitation, `roots/list` is roots. */
function nameOf(method: string): string {
  const [name = ""] = method.split("/");
  return name === "" ? "something" : name;
}
