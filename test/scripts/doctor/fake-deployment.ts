import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { metaTools } from "../../../src/gateway/meta-tools.ts";
import { memberOf } from "../../../src/json.ts";
import { VERSION } from "../../../src/version.ts";

export const OPERATOR_BEARER = "the-operators-own-bearer-0123456789";
export const CLIENT_BEARER = "a-clients-own-bearer-0123456789";
/** 2026-01-01, when every test of a deployment takes place. */
export const NOW_MS = Date.UTC(2026, 0, 1);

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface FakeDeployment {
  readonly origin: string;
  /** `METHOD path`, in the order of arrival. */
  readonly requests: readonly string[];
  /** The bearers that were shown, by anybody. */
  readonly bearers: ReadonlySet<string>;
  close(): Promise<void>;
}

function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

export const answers = {
  json,
  text:
    (text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Handler =>
    (_request, response) => {
      response.writeHead(status, headers);
      response.end(text);
    },
};

export const HEALTHY_STATUS = {
  status: "ok",
  reasons: [],
  version: VERSION,
  as_of: "2026-01-01T00:00:00.000Z",
  catalog: { generation: 1, hash: "0".repeat(64), tools: 2, age_s: 10, stale: [], findings: 0 },
  servers: [
    {
      name: "a",
      status: "ok",
      tools: 2,
      skipped: 0,
      finding_count: 0,
      findings: [],
      health: { state: "ready" },
    },
  ],
  ledger: { sources: 1, dropped: 0, unreadable: 0, refused: 0, lost_at: null },
};

export const HEALTHY_CATALOG = {
  generation: 1,
  hash: "0".repeat(64),
  tools: [
    { id: "a:get_x#01234567", server: "a", upstream_name: "get_x" },
    { id: "a:set_x#89abcdef", server: "a", upstream_name: "set_x" },
  ],
  next: null,
};

const HEALTHY_TOKENS = {
  tokens: [
    {
      id: "1",
      name: "laptop",
      kind: "client",
      expires_at_s: NOW_MS / 1000 + 365 * 86_400,
      revoked_at_s: null,
    },
    { id: "2", name: "old", kind: "client", expires_at_s: 0, revoked_at_s: 1 },
  ],
};

/** A healthy gateway on loopback, some of whose routes answer otherwise; `*` is all that have no other handler. */
export async function fakeDeployment(
  overrides: Readonly<Record<string, Handler>> = {},
): Promise<FakeDeployment> {
  const requests: string[] = [];
  const bearers = new Set<string>();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(`${request.method} ${request.url}`);
    const { authorization } = request.headers;
    if (authorization !== undefined) bearers.add(authorization.replace(/^Bearer /, ""));
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("end", () => {
      const handler = overrides[path] ?? overrides["*"] ?? healthy(path);
      handler(request, response, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    bearers,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const ADMIN: Readonly<Record<string, Handler>> = {
  "/admin/status": json(HEALTHY_STATUS),
  "/admin/catalog": json(HEALTHY_CATALOG),
  "/admin/tokens": json(HEALTHY_TOKENS),
  "/admin/approvals": json({ approvals: [], next: null }),
  "/admin/refresh": json({ generation: 1, changed: false, servers: [{ name: "a", status: "ok" }] }),
  "/metrics": answers.text("loomgate_up 1\n# EOF\n", 200, { "Content-Type": "application/openmetrics-text" }),
};

function healthy(path: string): Handler {
  if (path === "/health") return json({ status: "ok", version: VERSION });
  if (path === "/mcp") return mcp;
  if (path === "/.well-known/oauth-protected-resource/mcp") {
    return (request, response, body) =>
      json({ resource: `http://${request.headers.host}/mcp` })(request, response, body);
  }
  const admin = ADMIN[path] ?? json({ error: "not_found" }, 404);
  return (request, response, body) => {
    const { authorization } = request.headers;
    if (authorization === `Bearer ${OPERATOR_BEARER}`) return admin(request, response, body);
    const status = authorization === `Bearer ${CLIENT_BEARER}` ? 403 : 401;
    return json({ error: "refused" }, status)(request, response, body);
  };
}

export const mcp: Handler = (request, response, body) => {
  const { authorization, origin, host } = request.headers;
  if (origin !== undefined) return json({ error: "forbidden" }, 403)(request, response, body);
  if (authorization !== `Bearer ${CLIENT_BEARER}`) {
    const metadata = `http://${host}/.well-known/oauth-protected-resource/mcp`;
    const headers = { "WWW-Authenticate": `Bearer resource_metadata="${metadata}"` };
    return json({ error: "unauthorized" }, 401, headers)(request, response, body);
  }
  if (request.method === "DELETE") return answers.text("", 204)(request, response, body);
  const message: unknown = JSON.parse(body);
  const id = memberOf(message, "id");
  if (id === undefined) return answers.text("", 202)(request, response, body);
  const result = resultOf(String(memberOf(message, "method")), memberOf(message, "params"));
  return json({ jsonrpc: "2.0", id, result }, 200, { "Mcp-Session-Id": "session" })(request, response, body);
};

function resultOf(method: string, params: unknown): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: memberOf(params, "protocolVersion"),
        capabilities: { tools: {} },
        serverInfo: { name: "loomgate", version: VERSION },
      };
    case "tools/list":
      return { tools: metaTools(["a"]) };
    default:
      return { content: [{ type: "text", text: "/a — 2 tools" }] };
  }
}
