import { plainJson } from "../exact-json/plain.ts";
import { memberOf } from "../json.ts";
import {
  UPSTREAM_LARGE_NAME_MAX_CHARS,
  UPSTREAM_PROGRESS_MAX_COUNT,
  UPSTREAM_WORDS_MAX_CHARS,
} from "../limits.ts";
import type { Progress } from "../surface.ts";
import type { WantedList } from "../wanted-request.ts";

/** Who is told of what an upstream says while one request of ours is open. */
export interface Listeners {
  /** The request's own id: nothing else is a token of ours. */
  readonly token: string;
  /** Absent: nobody asked. */
  readonly onProgress?: (progress: Progress) => void;
  readonly wanted: WantedList;
}

/**
 * Takes an upstream's messages that are no answer to us: progress under our own token is told, what it wants of a person
 * is noted, and everything else goes nowhere. What it gives back is the text of a request that the MCP client has to answer,
 * without what was asked: the client answers by the method alone, and its parser would pass over a request it finds
 * irregular, whose sender then waits for ever.
 */
export function listenTo({ token, onProgress, wanted }: Listeners): (message: unknown) => string | undefined {
  let told = 0;
  const tell = (params: unknown): void => {
    if (onProgress === undefined || told >= UPSTREAM_PROGRESS_MAX_COUNT) return;
    if (memberOf(params, "progressToken") !== token) return;
    const progress = progressIn(params);
    if (progress === undefined) return;
    told += 1;
    onProgress(progress);
  };
  return (message) => {
    const method = memberOf(message, "method");
    if (typeof method !== "string" || memberOf(message, "jsonrpc") !== "2.0") return undefined;
    const id = plainJson(memberOf(message, "id"));
    const params = memberOf(message, "params");
    if (id === undefined) {
      if (method === "notifications/progress") tell(params);
      return undefined;
    }
    // Nobody answers a request without a legal id, so nothing was refused.
    if (!isLegalId(id)) return undefined;
    // Only an elicitation speaks to a person; the others speak to a model or a program.
    if (method !== "ping")
      wanted.add({ method, ...(method === "elicitation/create" ? wordsIn(params) : {}) });
    return JSON.stringify({ jsonrpc: "2.0", id, method });
  };
}

/** Numbers that are none in JavaScript, and words that are no text, are left out; without a number there is no progress. */
function progressIn(params: unknown): Progress | undefined {
  const progress = finite(memberOf(params, "progress"));
  if (progress === undefined) return undefined;
  const total = finite(memberOf(params, "total"));
  return { progress, ...(total === undefined ? {} : { total }), ...wordsIn(params) };
}

function finite(value: unknown): number | undefined {
  const number = plainJson(value);
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/**
 * The words whole and as they came, since secrets are looked for in them before they are made a line and cut; none where they
 * are more than anybody is told.
 */
function wordsIn(params: unknown): { readonly message?: string } {
  const message = memberOf(params, "message");
  return typeof message === "string" && message.length <= UPSTREAM_WORDS_MAX_CHARS ? { message } : {};
}

/** As the client's parser takes it; a longer text may have been cut on its way here, and is nobody's. */
function isLegalId(id: unknown): id is string | number {
  return typeof id === "string" ? id.length < UPSTREAM_LARGE_NAME_MAX_CHARS : Number.isSafeInteger(id);
}
