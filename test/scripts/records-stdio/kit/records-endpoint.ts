import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Answering = (post: Post, response: ServerResponse) => void;

/** A small HTTP server that answers each POST as it is told to. */
export async function startEndpoint(answer: Answering) {
  const posts: Post[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const post = { path: request.url ?? "", headers: request.headers, text: await textOf(request) };
      posts.push(post);
      answer(post, response);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { port } = address;
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await once(request, "end");
  return text;
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(typeof value === "string" ? value : JSON.stringify(value));
}
