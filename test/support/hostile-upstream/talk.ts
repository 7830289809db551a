import type { ServerResponse } from "node:http";
import { event, openStream, resultOf, textResult, type Behaviour, type SeenRequest } from "./server.ts";

/** A message, or the text of an event that no JSON writer would make. */
export type Said = object | string;

export const FINE = textResult("fine ✓");

export const progress = (progressToken: unknown, members: object = { progress: 1 }) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, ...members },
});

export const question = (id: unknown, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

export const ELICITATION = {
  message: "Which account shall pay?",
  requestedSchema: { type: "object", properties: { account: { type: "string" } } },
};

const textOf = (said: Said): string => (typeof said === "string" ? `data: ${said}\n\n` : event(said));

/** The token that a request asked for progress under. */
export function tokenOf({ params }: SeenRequest): unknown {
  const meta: unknown = params["_meta"];
  return typeof meta === "object" && meta !== null && "progressToken" in meta
    ? meta.progressToken
    : undefined;
}

/** Answers a method with a stream: what it says first, the answer, and what it says behind it. */
export const talks =
  (
    say: (seen: SeenRequest) => readonly Said[],
    {
      after = () => [],
      method = "tools/call",
      answer = true,
    }: {
      readonly after?: (seen: SeenRequest) => readonly Said[];
      readonly method?: string;
      readonly answer?: boolean;
    } = {},
  ): Behaviour =>
  (seen, response) => {
    if (seen.rpcMethod !== method) return false;
    openStream(response);
    const all = [...say(seen), ...(answer ? [resultOf(seen.id, FINE)] : []), ...after(seen)];
    response.end(all.map((said) => textOf(said)).join(""));
    return true;
  };

/**
 * Answers a call only once the client has answered all these questions; `heard` gets its answers. Questions have the ids
 * that are given here.
 */
export function asks(questions: (seen: SeenRequest) => readonly object[], heard: unknown[]): Behaviour {
  let finish: (() => void) | undefined;
  let left = 0;
  return (seen, response: ServerResponse) => {
    if (seen.rpcMethod === "tools/call") {
      openStream(response);
      const all = questions(seen);
      left = all.length;
      finish = () => response.end(event(resultOf(seen.id, FINE)));
      response.write(all.map((each) => event(each)).join(""));
      return true;
    }
    const said: unknown = seen.body === "" ? undefined : JSON.parse(seen.body);
    if (typeof said !== "object" || said === null || "method" in said || !("id" in said)) return false;
    heard.push(said);
    response.writeHead(202).end();
    left -= 1;
    if (left === 0) finish?.();
    return true;
  };
}
