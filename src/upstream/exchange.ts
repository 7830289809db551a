import { parseExactJson } from "../exact-json/parse.ts";
import type { WireFault } from "./wire-fault.ts";

/** One request of ours on the wire, and what is noticed about it until its answer is here. */
export interface Exchange {
  /** Unique for ever: the JSON-RPC id the upstream sees. */
  readonly id: string;
  /** The JSON-RPC method. */
  readonly method: string;
  /** The request is handed to the network now: from here on its side effect is possible. */
  dispatched(): void;
  /** A fault that stands if no answer comes; a later one replaces it, and after the answer none counts. */
  note(fault: WireFault): void;
  /** The text of the message that ends an event stream; no upstream can guess it. */
  readonly endMarker: string;
  /** Keeps the result as it came, past the MCP SDK's parser. */
  carry(result: Record<string, unknown>): void;
  /** Whether the answer's result is kept. */
  carried(): boolean;
  /** The answer is an error: as with a result, nothing is heard behind it. */
  refused(): void;
  /** Reads a JSON text of the upstream's: exactly where what it says goes on to callers. Throws for what is no JSON. */
  parse(text: string): unknown;
  /** Takes a message that is no answer; gives the text of one that the client has to answer. */
  hear(message: unknown): string | undefined;
  /** The request's own text, where the SDK's would round numbers. */
  readonly exactBody: string | undefined;
}

/** What the connection reads from an exchange. */
export interface ExchangeState extends Exchange {
  readonly sent: () => boolean;
  readonly answered: () => boolean;
  readonly fault: () => WireFault | undefined;
  /** The answer's result as it came. */
  readonly result: () => Record<string, unknown> | undefined;
  /** The answer is here, with an error of the upstream's or without. */
  answer(error?: WireFault): void;
  /** Whether a notification's method is the one that ends this exchange's stream. */
  isEnd(method: string): boolean;
  /** Whether an HTTP body is this request. */
  matches(body: string): boolean;
}

/**
 * The request's id and method stand first in its body, so a body is recognised by its head and never parsed again; an
 * answer to the server, even to one that copies our id, has no method.
 */
export function requestHead(id: string, method: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method }).slice(0, -1);
}

/** Arguments and results pass through, and definitions are shown as they came: their numbers stay as they are written. */
const EXACT_METHODS: ReadonlySet<string> = new Set([
  "tools/call",
  "resources/read",
  "prompts/get",
  "completion/complete",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
]);

export function createExchange(
  id: string,
  method: string,
  newId: () => string,
  { hear, exactBody }: Pick<Exchange, "hear" | "exactBody">,
): ExchangeState {
  const head = requestHead(id, method);
  const endMethod = newId();
  let sent = false;
  let isOver = false;
  let answered = false;
  let fault: WireFault | undefined;
  let result: Record<string, unknown> | undefined;
  return {
    id,
    method,
    dispatched: () => {
      sent = true;
    },
    note: (noticed) => {
      if (!answered) fault = noticed;
    },
    endMarker: JSON.stringify({ jsonrpc: "2.0", method: endMethod }),
    carry: (came) => {
      result = came;
      isOver = true;
    },
    refused: () => {
      isOver = true;
    },
    carried: () => result !== undefined,
    parse: EXACT_METHODS.has(method) ? parseExactly : parsePlainly,
    hear: (message) => (isOver ? undefined : hear(message)),
    exactBody,
    sent: () => sent,
    answered: () => answered,
    fault: () => fault,
    result: () => result,
    answer: (error) => {
      fault = error;
      answered = true;
    },
    isEnd: (candidate) => candidate === endMethod,
    matches: (body) => body.startsWith(head),
  };
}

function parseExactly(text: string): unknown {
  const parsed = parseExactJson(text, { duplicates: "last" });
  if (!parsed.ok) throw new SyntaxError("not JSON");
  return parsed.value;
}

function parsePlainly(text: string): unknown {
  return JSON.parse(text);
}
