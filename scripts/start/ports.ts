import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/** A port of the loopback interface that nobody listens on now. */
export async function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Whether a port of the loopback interface can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("no port"));
      });
    });
  });
}
