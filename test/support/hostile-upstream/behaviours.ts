import { STRANGE_TOOLS } from "./strange-tools.ts";
import { gzipSync } from "node:zlib";
import {
  errorOf,
  event,
  initializeResult,
  openStream,
  resultOf,
  sendJson,
  textResult,
  type Behaviour,
  type SeenRequest,
} from "./server.ts";
import type { ServerResponse } from "node:http";

type Answer = (seen: SeenRequest, response: ServerResponse, nth: number) => unknown;

/** Steps in for one JSON-RPC method only. */
const on =
  (rpcMethod: string, answer: Answer): Behaviour =>
  (seen, response, nth) => {
    if (seen.rpcMethod !== rpcMethod) return false;
    answer(seen, response, nth);
    return true;
  };

const onCall = (answer: Answer) => on("tools/call", answer);
const onList = (answer: Answer) => on("tools/list", answer);
const onInitialize = (answer: Answer) => on("initialize", answer);

const status = (code: number, body = "", headers = {}) =>
  onCall((_, response) => {
    response.writeHead(code, { "content-type": "text/plain", ...headers }).end(body);
  });

const redirect = (code: number, location: (seen: SeenRequest) => string) =>
  onCall((seen, response) => {
    response.writeHead(code, { location: location(seen) }).end();
  });

const MEGABYTE = 1024 * 1024;

/** Writes a long text in pieces, waiting for the client to read. */
async function pour(response: ServerResponse, bytes: number): Promise<void> {
  const piece = "x".repeat(64 * 1024);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
    if (response.write(piece)) continue;
    await drained(response);
  }
}

/** Resolves when there is room again, or nobody left to write to. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      response.off("drain", wake).off("close", wake);
      resolve();
    };
    response.on("drain", wake).on("close", wake);
  });
}

const bigJson = (bytes: number) =>
  onCall(async ({ id }, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const [head = "", tail = ""] = JSON.stringify(resultOf(id, textResult("SPLIT"))).split("SPLIT");
    response.write(head);
    await pour(response, bytes);
    response.end(tail);
  });

const bigEvent = (bytes: number) =>
  onCall(async ({ id }, response) => {
    openStream(response);
    const [head = "", tail = ""] = event(resultOf(id, textResult("SPLIT"))).split("SPLIT");
    response.write(head);
    await pour(response, bytes);
    response.end(tail);
  });

const page = (tools: readonly unknown[], nextCursor?: unknown) => ({
  tools,
  ...(nextCursor !== undefined && { nextCursor }),
});
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

const note = (text: string) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: text },
});

/** Misbehaviour around `tools/call`, by name. */
export const CALLS = {
  hangBeforeHeaders: onCall(() => undefined),
  hangAfterHeaders: onCall((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  }),
  hangMidBody: onCall(({ id }, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},`);
  }),
  hangMidStream: onCall((_, response) => {
    openStream(response);
    response.write(event(note("working")));
  }),
  slowDrip: onCall((_, response) => {
    openStream(response);
    const drip = setInterval(() => response.write(": still here\n"), 5);
    response.on("close", () => {
      clearInterval(drip);
    });
  }),
  resetBeforeHeaders: onCall((_, response) => response.destroy()),
  resetMidBody: onCall(({ id }, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},`, () => response.destroy());
  }),
  resetMidStream: onCall((_, response) => {
    openStream(response);
    response.write(event(note("working")), () => response.destroy());
  }),
  unauthorized: status(401, "who are you, port 4010?", { "www-authenticate": "Bearer" }),
  forbidden: status(403, "no"),
  sessionGone: status(404, JSON.stringify(errorOf(null, -32001, "Session not found"))),
  tooManyBare: status(429),
  tooManySeconds: status(429, "slow down", { "retry-after": "17" }),
  tooManyDate: status(429, "slow down", { "retry-after": "Fri, 27 Nov 2026 00:01:00 GMT" }),
  tooManyNonsense: status(429, "slow down", { "retry-after": "soon" }),
  internal: status(500, "Traceback: token=hunter2"),
  internalWithRpc: onCall(({ id }, response) => sendJson(response, errorOf(id, -32603, "boom"), 500)),
  badGateway: status(502),
  unavailable: status(503),
  requestTimeout: status(408),
  gatewayTimeout: status(504),
  teapot: status(418, "port 4010 refused: unauthorized timeout rate limit"),
  badRequestPlain: status(400, "nonsense"),
  badRequestWithOurId: onCall(({ id }, response) =>
    sendJson(response, errorOf(id, -32602, "bad session colour"), 400),
  ),
  accepted: status(202),
  noContent: status(204),
  html: onCall((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>"),
  ),
  noContentType: onCall((_, response) => response.writeHead(200).end("hello")),
  emptyBody: onCall((_, response) => sendJson(response, "")),
  malformed: onCall((_, response) => sendJson(response, '{"jsonrpc":"2.0","id":')),
  jsonNull: onCall((_, response) => sendJson(response, "null")),
  wrongId: onCall((_, response) => sendJson(response, resultOf("someone-else", textResult("not yours")))),
  numericId: onCall((_, response) => sendJson(response, resultOf(0, textResult("not yours")))),
  wrongIdInStream: onCall((_, response) => {
    openStream(response);
    response.end(event(resultOf("someone-else", textResult("not yours"))));
  }),
  resultAndError: onCall(({ id }, response) =>
    sendJson(response, { ...resultOf(id, textResult("both")), ...errorOf(id, -32000, "both") }),
  ),
  resultIsText: onCall(({ id }, response) => sendJson(response, resultOf(id, "text"))),
  resultIsAList: onCall(({ id }, response) => sendJson(response, resultOf(id, [textResult("listed")]))),
  resultIsNull: onCall(({ id }, response) => sendJson(response, resultOf(id, null))),
  resultIsTextInStream: onCall(({ id }, response) => {
    openStream(response);
    response.write(event(resultOf(id, "text")) + event(resultOf(id, textResult("too late"))));
  }),
  errorWithoutCode: onCall(({ id }, response) =>
    sendJson(response, { jsonrpc: "2.0", id, error: { message: "something" } }),
  ),
  neitherResultNorError: onCall(({ id }, response) => sendJson(response, { jsonrpc: "2.0", id })),
  answerOfNoVersion: onCall(({ id }, response) => sendJson(response, { id, result: textResult("hi") })),
  endsInsideACharacter: onCall(({ id }, response) => {
    openStream(response);
    const bytes = Buffer.from(event(resultOf(id, textResult("fine ✓"))));
    response.end(bytes.subarray(0, bytes.indexOf(Buffer.from("✓")) + 1));
  }),
  emptyStream: onCall((_, response) => {
    openStream(response);
    response.end();
  }),
  primedThenEnded: onCall((_, response) => {
    openStream(response);
    response.end("id: 1\nretry: 1\ndata:\n\n");
  }),
  rpcError: onCall(({ id }, response) => sendJson(response, errorOf(id, -32603, "401 unauthorized timeout"))),
  rpcErrorInStream: onCall(({ id }, response) => {
    openStream(response);
    response.end(event(errorOf(id, -32050, "custom")));
  }),
  unknownTool: onCall(({ id, params }, response) =>
    sendJson(response, errorOf(id, -32602, `Unknown tool: ${String(params["name"])}`)),
  ),
  methodNotFound: onCall(({ id }, response) => sendJson(response, errorOf(id, -32601, "Method not found"))),
  invalidParams: onCall(({ id }, response) =>
    sendJson(response, errorOf(id, -32602, "colour: unknown tool or dye")),
  ),
  json20MB: bigJson(20 * MEGABYTE),
  json50MB: bigJson(50 * MEGABYTE),
  json80MB: bigJson(80 * MEGABYTE),
  event20MB: bigEvent(20 * MEGABYTE),
  event80MB: bigEvent(80 * MEGABYTE),
  bigThenReset: onCall(async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    await pour(response, 6 * MEGABYTE);
    response.destroy();
  }),
  noGzip: onCall((_, response) => {
    response
      .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
      .end("not gzip");
  }),
  gzipBomb: onCall((_, response) => {
    const bomb = gzipSync(Buffer.alloc(96 * MEGABYTE, " "));
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb);
  }),
  redirectToLoopbackName: redirect(307, () => "http://localhost:1/mcp"),
  redirectToAddress: redirect(307, () => "https://169.254.169.254/latest/meta-data/"),
  redirectToHttp: redirect(308, () => "http://example.com/mcp"),
  redirectToOtherOrigin: redirect(307, () => "https://evil.example.com/mcp"),
  redirectLoop: redirect(307, ({ url }) => url),
  redirectNowhere: redirect(307, () => "http://[::"),
  redirectFound: redirect(302, () => "/elsewhere"),
  redirectSeeOther: redirect(303, () => "/elsewhere"),
  illegalSessionId: onCall(({ id }, response) =>
    sendJson(response, resultOf(id, textResult("hi")), 200, { "mcp-session-id": "a b\u00e9" }),
  ),
} satisfies Record<string, Behaviour>;

/** Unusual but right: each must give the answer `{"content":[{"type":"text","text":"fine ✓"}]}`. */
export const FINE_CALLS = {
  json: onCall(({ id }, response) => sendJson(response, resultOf(id, textResult("fine ✓")))),
  contentTypeWithParameters: onCall(({ id }, response) =>
    sendJson(response, resultOf(id, textResult("fine ✓")), 200, {
      "content-type": "Application/JSON; charset=utf-8",
    }),
  ),
  batch: onCall(({ id }, response) =>
    sendJson(response, [note("first"), resultOf(id, textResult("fine ✓"))]),
  ),
  answersTwice: onCall(({ id }, response) => {
    openStream(response);
    response.end(event(resultOf(id, textResult("fine ✓"))) + event(resultOf(id, textResult("second"))));
  }),
  othersFirst: onCall(({ id }, response) => {
    openStream(response);
    response.write(
      event(resultOf(0, textResult("not yours"))) + event(errorOf("other", -32000, "not yours")),
    );
    response.end(event(resultOf(id, textResult("fine ✓"))));
  }),
  cutInsideACharacter: onCall(async ({ id }, response) => {
    openStream(response);
    const bytes = Buffer.from(event(resultOf(id, textResult("fine ✓"))));
    const cut = bytes.indexOf(Buffer.from("✓")) + 1;
    response.write(bytes.subarray(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.end(bytes.subarray(cut));
  }),
  noBlankLineAtTheEnd: onCall(({ id }, response) => {
    openStream(response);
    response.end(`data: ${JSON.stringify(resultOf(id, textResult("fine ✓")))}`);
  }),
  carriageReturns: onCall(({ id }, response) => {
    openStream(response);
    response.end(event(resultOf(id, textResult("fine ✓"))).replaceAll("\n", "\r\n"));
  }),
  carriageReturnsAlone: onCall(({ id }, response) => {
    openStream(response);
    response.write(event(resultOf(id, textResult("fine ✓"))).replaceAll("\n", "\r"));
  }),
  nullMembers: onCall(({ id }, response) =>
    sendJson(response, {
      ...resultOf(id, textResult("fine ✓")),
      error: null,
      method: null,
      params: null,
      trace: { a: 1 },
    }),
  ),
  nullMembersInStream: onCall(({ id }, response) => {
    openStream(response);
    response.end(event({ ...resultOf(id, textResult("fine ✓")), error: null }));
  }),
  illegalNeighbour: onCall(({ id }, response) =>
    sendJson(response, [null, { id: 1 }, resultOf(id, textResult("fine ✓"))]),
  ),
  malformedAfterwards: onCall(({ id }, response) => {
    openStream(response);
    response.end(event(resultOf(id, textResult("fine ✓"))) + event(resultOf(id, "text")));
  }),
  malformedEventFirst: onCall(({ id }, response) => {
    openStream(response);
    response.end(`data: {"jsonrpc"\n\n: comment\n\n${event(resultOf(id, textResult("fine ✓")))}`);
  }),
  bigEventFirst: onCall(async ({ id }, response) => {
    openStream(response);
    response.write("data: ");
    await pour(response, 6 * MEGABYTE);
    response.end(`\n\n${event(resultOf(id, textResult("fine ✓")))}`);
  }),
  manyEventsFirst: onCall(async ({ id }, response) => {
    openStream(response);
    const one = event(note("x".repeat(60_000)));
    for (let sent = 0; sent < 100; sent += 1) {
      if (!response.write(one)) await drained(response);
    }
    response.end(event(resultOf(id, textResult("fine ✓"))));
  }),
  streamStaysOpen: onCall(({ id }, response) => {
    openStream(response);
    response.write(event(resultOf(id, textResult("fine ✓"))));
  }),
  sameOriginRedirect: (seen, response) => {
    if (seen.rpcMethod !== "tools/call") return false;
    if (seen.url === "/moved") return sendJson(response, resultOf(seen.id, textResult("fine ✓")));
    response.writeHead(307, { location: "/moved" }).end();
    return true;
  },
} satisfies Record<string, Behaviour>;

/** Misbehaviour in the handshake. */
export const HANDSHAKES = {
  unknownVersion: onInitialize(({ id }, response) =>
    sendJson(response, resultOf(id, initializeResult({ protocolVersion: "1999-01-01" })), 200, {
      "mcp-session-id": "s",
    }),
  ),
  illegalSessionId: onInitialize(({ id }, response) =>
    sendJson(response, resultOf(id, initializeResult()), 200, { "mcp-session-id": "a b\u00e9" }),
  ),
  longSessionId: onInitialize(({ id }, response) =>
    sendJson(response, resultOf(id, initializeResult()), 200, { "mcp-session-id": "s".repeat(2000) }),
  ),
  noServerInfo: onInitialize(({ id }, response) =>
    sendJson(response, resultOf(id, { protocolVersion: "2025-06-18", capabilities: {} })),
  ),
  unauthorized: onInitialize((_, response) => response.writeHead(401).end()),
  down: onInitialize((_, response) => response.writeHead(503).end()),
  hangs: onInitialize(() => undefined),
  notFound: onInitialize((_, response) => response.writeHead(404).end("session? what session?")),
  initializedRefused: on("notifications/initialized", (_, response) => response.writeHead(500).end()),
} satisfies Record<string, Behaviour>;

/** Misbehaviour around `tools/list`. */
export const LISTS = {
  threePages: onList(({ id, params }, response) => {
    const nth = Number(params["cursor"] ?? 0);
    sendJson(response, resultOf(id, page([tool(`t${nth}`)], nth < 2 ? String(nth + 1) : undefined)));
  }),
  nullCursor: onList(({ id }, response) => sendJson(response, resultOf(id, page([tool("a")], null)))),
  repeatedCursor: onList(({ id }, response) => sendJson(response, resultOf(id, page([tool("a")], "again")))),
  endlessCursors: onList(({ id }, response, nth) => sendJson(response, resultOf(id, page([], `c${nth}`)))),
  endlessTools: onList(({ id }, response, nth) =>
    sendJson(
      response,
      resultOf(
        id,
        page(
          Array.from({ length: 9000 }, (_, at) => tool(`t${nth}-${at}`)),
          `c${nth}`,
        ),
      ),
    ),
  ),
  endlessBytes: onList(({ id }, response, nth) =>
    sendJson(
      response,
      resultOf(id, page([{ name: `t${nth}`, description: "x".repeat(3 * MEGABYTE) }], `c${nth}`)),
    ),
  ),
  numericCursor: onList(({ id }, response) => sendJson(response, resultOf(id, page([tool("a")], 7)))),
  toolsIsAnObject: onList(({ id }, response) => sendJson(response, resultOf(id, { tools: { a: 1 } }))),
  noTools: onList(({ id }, response) => sendJson(response, resultOf(id, {}))),
  strangeTools: onList(({ id }, response) => sendJson(response, resultOf(id, page(STRANGE_TOOLS)))),
  sessionLostOnPageTwo: onList(({ id, params }, response, nth) => {
    if (nth === 2) sendJson(response, errorOf(null, -32001, "Session not found"), 404);
    else
      sendJson(response, resultOf(id, page([tool("a")], params["cursor"] === undefined ? "two" : undefined)));
  }),
  methodNotFound: onList(({ id }, response) => sendJson(response, errorOf(id, -32601, "Method not found"))),
} satisfies Record<string, Behaviour>;
