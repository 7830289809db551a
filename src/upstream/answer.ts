import { plainJson } from "../exact-json/plain.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import type { Exchange } from "./exchange.ts";
import type { LargeAnswer } from "./large/large-answer.ts";
import { WireError } from "./wire-fault.ts";

/**
 * Takes the answer to `exchange` out of a parsed message (or a batch of them) before the MCP SDK sees it: its parser
 * refuses results for members that nobody here reads (a null `_meta`), and rebuilds the others. The result waits in the
 * exchange as it came; what is returned is the text of a message that the SDK takes in its place. Undefined where no
 * answer to our request is. The first answer counts; one that is no legal answer throws a {@link WireError}, which says
 * that the upstream did answer.
 */
export function carryAnswer(parsed: unknown, exchange: Exchange): string | undefined {
  if (exchange.carried()) return undefined;
  const messages = isJsonArray(parsed) ? parsed : [parsed];
  const message = messages.find((each) => isAnswerTo(each, exchange.id));
  if (message === undefined) return undefined;
  if (memberOf(message, "jsonrpc") !== "2.0") throw malformed("the answer is not JSON-RPC 2.0");
  const result = memberOf(message, "result") ?? undefined;
  const error = memberOf(message, "error") ?? undefined;
  if (error !== undefined) {
    if (result !== undefined) throw malformed("the answer has a result and an error");
    exchange.refused();
    return rendered(exchange, { error: legalError(error) });
  }
  if (!isRecord(result)) throw malformed("the result is not an object");
  exchange.carry(result);
  return rendered(exchange, { result: exchange.method === "initialize" ? handshakeOf(result) : {} });
}

/**
 * The same for an answer that was read in pieces. Whatever comes of it, nothing stays in the store that no result has in it.
 * `hear` takes a message that is none.
 */
export async function carryLargeAnswer(
  large: LargeAnswer,
  exchange: Exchange,
  hear: Exchange["hear"] = () => undefined,
): Promise<string | undefined> {
  try {
    const read = await large.finish();
    if (!read.ok && read.reason.reason === "too_deep" && isAnswerTo(read.reason.message, exchange.id)) {
      throw malformed("the answer is nested too deep");
    }
    const carried = read.ok ? carryAnswer(read.value, exchange) : undefined;
    if (!exchange.carried()) await large.abandon();
    return carried ?? (read.ok ? hear(read.value) : undefined);
  } catch (error) {
    await large.abandon();
    throw error;
  }
}

/** A message with a method is a question, even under our own id. Servers that write every member write null for none. */
export function isAnswerTo(message: unknown, id: string): boolean {
  return memberOf(message, "id") === id && typeof memberOf(message, "method") !== "string";
}

function legalError(error: unknown): { code: number; message: string } {
  const code = plainJson(memberOf(error, "code"));
  const message = memberOf(error, "message");
  if (typeof code !== "number" || !Number.isSafeInteger(code) || typeof message !== "string") {
    throw malformed("the error is not a JSON-RPC error");
  }
  return { code, message };
}

/** The SDK's client reads this result itself, and takes null for no optional member. */
function handshakeOf(result: Record<string, unknown>): unknown {
  try {
    const read = { ...result, _meta: undefined };
    const text = JSON.stringify(read, (_key, value: unknown) => (value === null ? undefined : value));
    return JSON.parse(text);
  } catch {
    // Only nesting deeper than the stack fails here.
    throw malformed("the handshake's result is nested too deep");
  }
}

function rendered(exchange: Exchange, member: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: "2.0", id: exchange.id, ...member });
}

function malformed(detail: string): WireError {
  return new WireError({ kind: "protocol", answered: true, detail });
}
