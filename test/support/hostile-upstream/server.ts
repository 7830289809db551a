import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";

/** One HTTP request as the upstream saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The JSON-RPC method, empty where the body has none. */
  readonly rpcMethod: string;
  readonly id: unknown;
  readonly params: Record<string, unknown>;
}

/** Answers a request in its own way and says so with true; anything else leaves it to the well-behaved server. */
export type Behaviour = (seen: SeenRequest, response: ServerResponse, nth: number) => unknown;

export interface HostileUpstream {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  /** Requests of one kind, by HTTP method or JSON-RPC method. */
  count(method: string): number;
  /** Responses neither finished nor cut off by the client. */
  open(): number;
  /** Resolves once nothing is open any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export const SESSION_ID = "5f0c-session";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An MCP server on a free loopback port: well-behaved, except where `behave` steps in. */
export async function startHostileUpstream(behave: Behaviour = () => false): Promise<HostileUpstream> {
  const seen: SeenRequest[] = [];
  const open = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const calls = new Map<string, number>();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    open.add(response);
    response.on("close", () => {
      open.delete(response);
      if (open.size === 0) for (const wake of waiting) wake();
    });
    // A client that goes away in the middle is what half of the cases are about.
    response.on("error", () => undefined);
    const current = await read(request);
    seen.push(current);
    const kind = current.rpcMethod || current.method;
    const nth = (calls.get(kind) ?? 0) + 1;
    calls.set(kind, nth);
    if ((await behave(current, response, nth)) !== true) behaveWell(current, response);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  const { port } = address;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen,
    count: (method) => seen.filter((each) => each.method === method || each.rpcMethod === method).length,
    open: () => open.size,
    idle: () =>
      open.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add(resolve);
          }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  const parsed: unknown = body === "" ? {} : JSON.parse(body);
  const message = isObject(parsed) ? parsed : {};
  return {
    method: request.method ?? "",
    url: request.url ?? "",
    headers: request.headers,
    body,
    rpcMethod: typeof message["method"] === "string" ? message["method"] : "",
    id: message["id"],
    params: isObject(message["params"]) ? message["params"] : {},
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers = {}): true {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

export const resultOf = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });

export const errorOf = (id: unknown, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

export const textResult = (text: string) => ({ content: [{ type: "text", text }] });

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

export const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

export function initializeResult(overrides: Record<string, unknown> = {}) {
  return {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "kit", version: "1.0.0" },
    instructions: "Be kind.",
    ...overrides,
  };
}

function behaveWell({ method, rpcMethod, id, params }: SeenRequest, response: ServerResponse): void {
  if (method === "DELETE") {
    response.writeHead(204).end();
    return;
  }
  switch (rpcMethod) {
    case "initialize":
      sendJson(response, resultOf(id, initializeResult()), 200, { "mcp-session-id": SESSION_ID });
      return;
    case "tools/list":
      sendJson(response, resultOf(id, { tools: [{ name: "echo", inputSchema: { type: "object" } }] }));
      return;
    case "tools/call":
      sendJson(response, resultOf(id, textResult(JSON.stringify(params["arguments"]))));
      return;
    default:
      response.writeHead(202).end();
  }
}
