import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { answerOf, type Profile } from "./answers.ts";
import {
  type Feed,
  feedsOf,
  type Grant,
  type Json,
  type Seed,
  type SeededConnection,
  write,
} from "./data.ts";
import { Refusal } from "./refusal.ts";

/** One way to answer that no client should suffer from. */
export type Misbehaviour =
  | "hang"
  | "hang_in_body"
  | "endless"
  | "redirect"
  | "html"
  | "html_error"
  | "too_many"
  | "no_json"
  | "wrong_shape"
  | "echo_error"
  | "echo_body"
  | "reset";

export interface RecordsServerOptions {
  readonly seed: Seed;
  readonly connections: readonly SeededConnection[];
  /** What each bearer may read. */
  readonly grants: Readonly<Record<string, Grant>>;
  readonly profile?: Profile;
}

export interface SeenRead {
  readonly url: string;
  readonly authorization: string;
}

export interface RecordsServer {
  readonly url: string;
  readonly seen: SeenRead[];
  /** May be changed at any time; undefined: well-behaved. A function is asked for each path. */
  misbehave: Misbehaviour | ((path: string) => Misbehaviour | undefined) | undefined;
  profile: Profile;
  readonly grants: Map<string, Grant>;
  readonly feeds: readonly Feed[];
  write(connectionId: string, stream: string, key: string, data: Json | null): void;
  close(): Promise<void>;
}

const HEADERS = { "content-type": "application/json; charset=utf-8", "pdpp-version": "2026-04-06" };
/** More than anyone may buffer of one answer. */
const ENDLESS_BYTES = 50 * 1024 * 1024;

/** A PDPP resource server on a free loopback port, as the recorded one answered, or as one that means harm. */
export async function startRecordsServer(options: RecordsServerOptions): Promise<RecordsServer> {
  const feeds = feedsOf(options.seed, options.connections);
  let requests = 0;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const url = new URL(request.url ?? "/", "http://records.test");
    const authorization = request.headers.authorization ?? "";
    running.seen.push({ url: request.url ?? "", authorization });
    response.on("error", () => undefined);
    const { misbehave } = running;
    const wrong = typeof misbehave === "function" ? misbehave(url.pathname) : misbehave;
    if (wrong !== undefined) return harm(wrong, request, response);
    const grant = running.grants.get(authorization.replace(/^Bearer /, ""));
    const id = `req_${requests}`;
    try {
      if (grant === undefined) throw new Refusal(401, "authentication_error", "authentication_error");
      const path = url.pathname.split("/").slice(2).map(decodeURIComponent);
      const body = answerOf({ path, query: url.searchParams, grant, profile: running.profile, feeds });
      return send(response, 200, { ...body, links: { self: `${url.pathname}${url.search}` } }, id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, type, status, param } = error;
      const words = { code, message, type, ...(param === undefined ? {} : { param }), request_id: id };
      return send(response, status, { error: words }, id);
    }
  };
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const running: RecordsServer = {
    url: `http://127.0.0.1:${port}`,
    seen: [],
    misbehave: undefined,
    profile: options.profile ?? "full",
    grants: new Map(Object.entries(options.grants)),
    feeds,
    write: (connectionId, stream, key, data) => {
      const feed = feeds.find((each) => each.connectionId === connectionId && each.stream === stream);
      if (feed !== undefined) write(feed, key, data, "2026-06-01T00:00:00Z");
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return running;
}

function send(response: ServerResponse, status: number, body: unknown, id: string): void {
  response.writeHead(status, { ...HEADERS, "request-id": id });
  response.end(JSON.stringify(body));
}

function harm(wrong: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
  const said = `your bearer is ${request.headers.authorization ?? ""}`;
  switch (wrong) {
    case "hang":
      return;
    case "hang_in_body":
      response.writeHead(200, HEADERS);
      response.write('{"object":"list",');
      return;
    case "endless":
      return endless(response);
    case "redirect":
      response.writeHead(302, { location: "http://127.0.0.1:9/v1/schema" });
      response.end();
      return;
    case "html":
    case "html_error":
      response.writeHead(wrong === "html" ? 200 : 502, {
        "content-type": "text/html",
        "x-request-id": "proxy-1",
      });
      response.end(`<html>${said}</html>`);
      return;
    case "too_many":
      response.writeHead(429, { ...HEADERS, "retry-after": "7" });
      response.end(
        JSON.stringify({ error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "slow" } }),
      );
      return;
    case "no_json":
      response.writeHead(200, HEADERS);
      response.end('{"object":"list","data":[');
      return;
    case "wrong_shape":
      response.writeHead(200, HEADERS);
      response.end(
        '{"data":{"__proto__":{"x":1}},"has_more":"yes","next_cursor":7,"connectors":"none","meta":[],"bearer":{"token_kind":"client"}}',
      );
      return;
    case "echo_error":
      response.writeHead(403, { ...HEADERS, "request-id": String(request.headers.authorization).slice(7) });
      response.end(
        JSON.stringify({
          error: { type: "permission_error", code: "permission_error", message: said, hint: [said] },
        }),
      );
      return;
    case "echo_body":
      response.writeHead(200, HEADERS);
      response.end(
        JSON.stringify({
          object: "list",
          data: [{ object: "record", id: said, data: { said } }],
          has_more: false,
          bearer: { token_kind: "client", said },
        }),
      );
      return;
    case "reset":
      response.destroy();
  }
}

function endless(response: ServerResponse): void {
  response.writeHead(200, HEADERS);
  response.write('{"object":"list","data":["');
  const piece = "x".repeat(65_536);
  let sent = 0;
  const more = (): void => {
    while (sent < ENDLESS_BYTES && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) {
        response.once("drain", more);
        return;
      }
    }
    response.end('"]}');
  };
  more();
}
