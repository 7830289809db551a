import { createServer, request, type Server } from "node:http";

/**
 * Forwards to a gateway and adds a bearer, for a program that cannot be told one. Everything else passes as it came, the
 * `Host` and `Origin` headers included.
 */
export async function startForwarder(): Promise<{
  readonly port: number;
  target(port: number, bearer: string): void;
  close(): Promise<void>;
}> {
  let target: { port: number; bearer: string } | undefined;
  const server = createServer((incoming, answer) => {
    if (target === undefined) {
      answer.writeHead(503).end();
      return;
    }
    const headers = { ...incoming.headers, authorization: `Bearer ${target.bearer}` };
    const { method, url: path } = incoming;
    const forwarded = request({ host: "127.0.0.1", port: target.port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on("error", () => answer.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  const port = await listen(server);
  return {
    port,
    target: (to, bearer) => (target = { port: to, bearer }),
    close: () => new Promise((done) => server.close(() => done())),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("no port"));
    });
  });
}
