import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { memberOf } from "../json.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS } from "../limits.ts";
import { isRequestId, requestIdKey } from "../spine/frame/request-id.ts";
import type { Surface } from "../surface.ts";
import { stageMessages } from "./staged-messages.ts";

/**
 * The face for the protocol's versions with a handshake, 2024-10-07 to 2025-11-25, over Streamable HTTP. The SDK's
 * transport is stateless and made anew for each request: sessions are ours and are judged before this is called, and a
 * shared transport could hand one client's answer to another.
 *
 * Answers are one JSON body; nothing is streamed, so the client's `Last-Event-ID` means nothing here.
 */
export async function answerLegacy<Context>(
  request: Pick<Request, "url"> & { header(name: string): string | undefined },
  body: unknown,
  surface: Surface<Context>,
  context: Context,
): Promise<Response> {
  const server = new Server(
    { name: surface.name, version: surface.version },
    {
      capabilities: { tools: {} },
      instructions: surface.instructions,
      // Only elicitation would use it, and no surface elicits; the SDK's default does not run on Workers.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "unused" }),
      },
    },
  );
  const posted = stageMessages(body);
  // The SDK's own handlers copy arguments through a schema, which drops members such as `__proto__`: take them raw.
  server.fallbackRequestHandler = async ({ method }, { requestId }) => {
    switch (method) {
      case "tools/list":
        return { tools: await surface.tools(context) };
      case "tools/call":
        posted.answer(requestId, await callTool(posted.requestOf(requestId), surface, context));
        return {};
      default:
        throw new RpcError(ErrorCode.MethodNotFound, "Method not found");
    }
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

/** The SDK's own class puts the code into the message, which clients then print twice. */
class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
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

/** Where a caller says that two calls are one. */
const IDEMPOTENCY_KEY = "loomgate/idempotency-key";

async function callTool<Context>(
  request: unknown,
  surface: Surface<Context>,
  context: Context,
): Promise<object> {
  const params = memberOf(request, "params");
  const name = memberOf(params, "name");
  if (typeof name !== "string") throw new RpcError(ErrorCode.InvalidParams, "params.name must be a string");
  const origin = { requestKey: requestKeyOf(request), idempotencyKey: idempotencyKeyOf(params) };
  const answer = await surface.call(name, memberOf(params, "arguments") ?? {}, context, origin);
  if (answer === undefined) throw new RpcError(ErrorCode.InvalidParams, "Unknown tool");
  return answer;
}

function requestKeyOf(request: unknown): string | null {
  const id = memberOf(request, "id");
  return isRequestId(id) ? requestIdKey(id) : null;
}

/** A key that cannot be one is refused: a caller that relies on it must not learn by a second execution that it did not count. */
function idempotencyKeyOf(params: unknown): string | null {
  const key = memberOf(memberOf(params, "_meta"), IDEMPOTENCY_KEY);
  if (key === undefined) return null;
  if (typeof key === "string" && key !== "" && key.length <= IDEMPOTENCY_KEY_MAX_CHARS) return key;
  const wanted = `a string of 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} characters`;
  throw new RpcError(ErrorCode.InvalidParams, `params._meta["${IDEMPOTENCY_KEY}"] must be ${wanted}`);
}
