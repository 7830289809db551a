import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { exactJsonText } from "../exact-json/write.ts";
import { isJsonArray, memberOf } from "../json.ts";
import type { CallLine, RpcProblem, Surface } from "../surface.ts";
import { readCancellation } from "./cancellation.ts";
import { EVENT_STREAM_HEADERS } from "./event-text.ts";
import { ProgressStream, type Timer } from "./progress-stream.ts";
import { progressTokenOf } from "./progress-token.ts";
import { INTERNAL_PROBLEM } from "./internal-problem.ts";
import { serve } from "./serve.ts";
import { stageMessages } from "./staged-messages.ts";

/** What answering one POST needs of the side that has the connection. */
export interface FaceLine {
  /** Keeps the Worker alive for what outlasts the answer, or its reader. */
  waitUntil(work: Promise<unknown>): void;
  /** Why the caller is not to have the answer, where its stream has begun and the HTTP status can no longer tell. */
  refusal(): RpcProblem | undefined;
}

type Posted = Pick<Request, "url"> & { header(name: string): string | undefined };

/**
 * The face for the protocol's versions with a handshake, 2024-10-07 to 2025-11-25, over Streamable HTTP. The SDK's
 * transport is stateless and made anew for each request: sessions are ours and are judged before this is called, and a
 * shared transport could hand one client's answer to another.
 *
 * An answer is one JSON body, but for a tool call that stands alone and asks for its progress: that one is a stream, from
 * the first progress on. Nothing is resumed, so the client's `Last-Event-ID` means nothing here.
 */
export async function answerLegacy<Context>(
  request: Posted,
  body: unknown,
  surface: Surface<Context>,
  context: Context,
  line: FaceLine,
): Promise<Response> {
  const token = asksForProgress(body) ? progressTokenOf(memberOf(body, "params")) : undefined;
  if (token !== undefined) {
    const stream = new ProgressStream(token, timer);
    const answer = answerWhole(request, body, surface, context, { onProgress: stream.progress });
    return streamed(answer, stream, memberOf(body, "id"), line);
  }
  const response = await answerWhole(request, body, surface, context, {});
  const cancellation = response.status === 202 ? readCancellation(body) : undefined;
  if (cancellation !== undefined && surface.cancel !== undefined) {
    line.waitUntil(surface.cancel(cancellation.requestKey, cancellation.reason, context));
  }
  return response;
}

function asksForProgress(message: unknown): boolean {
  return memberOf(message, "method") === "tools/call" && memberOf(message, "id") !== undefined;
}

/**
 * The answer as a stream. Nothing is sent before there is something to send, so that a refusal is still an HTTP answer
 * wherever it can be one.
 */
async function streamed(
  answer: Promise<Response>,
  stream: ProgressStream,
  id: unknown,
  line: FaceLine,
): Promise<Response> {
  const end = (problem: RpcProblem): void => {
    stream.end(exactJsonText({ jsonrpc: "2.0", id, error: problem }));
  };
  const work = (async () => {
    try {
      const response = await answer;
      if (response.status !== 200) return response;
      const refusal = line.refusal();
      if (refusal === undefined) stream.end(await response.text());
      else end(refusal);
      return undefined;
    } catch (error) {
      end(INTERNAL_PROBLEM);
      throw error;
    }
  })();
  line.waitUntil(work);
  const refused = await Promise.race([work, stream.begun.then(() => undefined)]);
  if (refused === undefined) return new Response(stream.body, { headers: EVENT_STREAM_HEADERS });
  await stream.body.cancel();
  return refused;
}

async function answerWhole<Context>(
  request: Posted,
  body: unknown,
  surface: Surface<Context>,
  context: Context,
  callLine: CallLine,
): Promise<Response> {
  const begins = memberOf(body, "method") === "initialize";
  const served = begins ? await surface.capabilities?.(context) : undefined;
  const instructions = begins ? await surface.instructionsFor?.(context) : undefined;
  const server = new Server(
    { name: surface.name, version: surface.version },
    {
      capabilities: {
        tools: {},
        ...(served?.resources === true ? { resources: {} } : {}),
        ...(served?.prompts === true ? { prompts: {} } : {}),
        ...(served?.completions === true ? { completions: {} } : {}),
      },
      instructions: instructions ?? surface.instructions,
      // Only elicitation would use it, and no surface elicits; the SDK's default does not run on Workers.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "unused" }),
      },
    },
  );
  const posted = stageMessages(body);
  const hasNeighbours = isJsonArray(body) && body.length > 1;
  // The SDK's own handlers copy arguments through a schema, which drops members such as `__proto__`: take them raw.
  server.fallbackRequestHandler = async (_staged, { requestId }) => {
    const answer = await serve(posted.requestOf(requestId), surface, context, callLine, hasNeighbours);
    if (answer.ok) posted.answer(requestId, answer.value);
    else posted.refuse(requestId, answer.reason);
    return {};
  };
  // The body has been read and is handed over parsed; a request whose stream is used up cannot be passed on.
  const head = new Request(request.url, { method: "POST", headers: headersFor(request) });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(head, { parsedBody: posted.staged });
    if (response.status !== 200) return response;
    return new Response(posted.finish(await response.text()), response);
  } finally {
    await server.close();
  }
}

const READ_HEADERS = ["accept", "content-type", "mcp-protocol-version"];

/** All of a request that the transport judges; nothing else of it, the bearer least of all, reaches the SDK. */
function headersFor(request: { header(name: string): string | undefined }): Headers {
  const headers = new Headers();
  for (const name of READ_HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

const timer: Timer = (delayMs, then) => {
  const timeout = setTimeout(then, delayMs);
  return () => {
    clearTimeout(timeout);
  };
};
