import * as fc from "fast-check";
import { event, resultOf, textResult, type Behaviour } from "./server.ts";

/** One generated way to answer a request. `ID` in a body stands for the request's id. */
export interface GeneratedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cuts: readonly number[];
  readonly ending: "end" | "reset" | "hang";
}

const ID = "ID";
const answerBody = JSON.stringify(resultOf(ID, textResult("fine")));

const json = fc.oneof(
  fc.constant(answerBody),
  fc.json(),
  fc.constant(`[${answerBody},${answerBody}]`),
  fc.constant(answerBody.slice(0, -3)),
  fc.json().map((value) => `{"jsonrpc":"2.0","id":"${ID}","result":${value}}`),
  fc.json().map((value) => `{"jsonrpc":"2.0","id":"${ID}","error":${value}}`),
  fc.integer().map((code) => `{"jsonrpc":"2.0","id":"${ID}","error":{"code":${code},"message":"m"}}`),
  fc.constant(`{"jsonrpc":"2.0","id":"${ID}","method":"ping"}`),
  fc.constant('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}'),
);

const stream = fc
  .array(
    fc.oneof(
      json.map((text) => `data: ${text}\n\n`),
      fc.constant(event({ jsonrpc: "2.0", id: 1, method: "ping" })),
      fc.string(),
    ),
  )
  .map((events) => events.join(""));

/** Any status, content type, body and place to cut it, ended in any way. */
export const generatedAnswer: fc.Arbitrary<GeneratedAnswer> = fc.record({
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant(200) },
    { weight: 2, arbitrary: fc.integer({ min: 200, max: 599 }) },
  ),
  contentType: fc.constantFrom(
    "application/json",
    "text/event-stream",
    "text/event-stream",
    "text/html",
    "",
    "application/json;x",
  ),
  headers: fc.dictionary(
    fc.constantFrom("mcp-session-id", "retry-after", "location", "www-authenticate", "x-any"),
    fc.stringMatching(/^[!-~]{0,20}$/),
  ),
  body: fc.oneof(json, stream, stream, fc.string({ unit: "binary" })),
  cuts: fc.array(fc.nat(400), { maxLength: 4 }),
  ending: fc.constantFrom("end", "end", "end", "reset", "hang"),
});

/** Answers every POST that carries a request of `rpcMethod` as generated; a fresh generation for each try. */
export const answerWith =
  (rpcMethod: string, current: () => GeneratedAnswer | undefined): Behaviour =>
  async (seen, response) => {
    const answer = current();
    if (seen.rpcMethod !== rpcMethod || answer === undefined) return false;
    const { status, contentType, headers, body, cuts, ending } = answer;
    response.writeHead(status, { ...(contentType !== "" && { "content-type": contentType }), ...headers });
    response.flushHeaders();
    const bytes = Buffer.from(body.replaceAll(ID, String(seen.id)));
    let from = 0;
    for (const cut of [...cuts.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b), bytes.length]) {
      if (cut > from) response.write(bytes.subarray(from, cut));
      from = Math.max(from, cut);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (ending === "end") response.end();
    if (ending === "reset") response.destroy();
    return true;
  };
