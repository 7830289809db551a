import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { batchesOf } from "../../../scripts/records/batches.ts";
import { ingestUrl, sendAll, withOwner } from "../../../scripts/records/import.ts";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Takes each request's whole body, and gives the address that `npm start` would be asked at. */
async function listening(take: (request: IncomingMessage, body: string, response: ServerResponse) => void) {
  const started = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      take(request, Buffer.concat(chunks).toString("utf8"), response);
    });
  });
  server = started;
  await new Promise<void>((resolve) => {
    started.listen(0, "127.0.0.1", resolve);
  });
  const address = started.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/admin`, operatorToken: "" };
}

/** Answers each request with the next of these: a status and a body, or a cut. */
async function answering(...answers: readonly ("cut" | readonly [number, unknown])[]) {
  const bodies: string[] = [];
  const admin = await listening((request, body, response) => {
    bodies.push(`${request.headers.authorization} ${body}`);
    const answer = answers[bodies.length - 1] ?? "cut";
    if (answer === "cut") request.socket.destroy();
    else response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
  });
  return { bodies, url: ingestUrl(admin, { connection: "mail/1", stream: "a b", connector: "mail" }) };
}

function sent(url: string, text: string) {
  const input = (async function* give() {
    yield Buffer.from(text);
  })();
  const batches = batchesOf(input, { bytes: 1_000, lines: 2, lineBytes: 1_000 });
  return sendAll(
    url,
    () => Promise.resolve("bearer"),
    batches,
    () => undefined,
  );
}

const report = (...statuses: readonly string[]) =>
  [200, { data: statuses.map((status, index) => ({ line: index + 1, status })) }] as const;

describe("an import", () => {
  it("names connection, stream and connector, and sums what became of the lines", async () => {
    const { bodies, url } = await answering(report("created", "unchanged"), report("deleted"));
    expect(new URL(url).pathname + new URL(url).search).toBe(
      "/v1/ingest/a%20b?connection_id=mail%2F1&connector_id=mail",
    );
    expect(await sent(url, "1\n\n2\n3")).toEqual({
      lines: 3,
      created: 1,
      updated: 0,
      unchanged: 1,
      deleted: 1,
      absent: 0,
    });
    expect(bodies).toEqual(["Bearer bearer 1\n2\n", "Bearer bearer 3\n"]);
  });

  it("sends a batch again whose connection was cut, and no other", async () => {
    const { bodies, url } = await answering(report("created", "created"), "cut", report("unchanged"));
    expect(await sent(url, "1\n2\n3")).toMatchObject({ lines: 3, created: 2, unchanged: 1 });
    expect(bodies.map((body) => body.split(" ").at(-1))).toEqual(["1\n2\n", "3\n", "3\n"]);
  });

  it("ends with the file's own line numbers where a batch is refused", async () => {
    const refusal = {
      error: { message: "1 of 2 lines are wrong" },
      data: [
        { line: 1, status: "skipped" },
        { line: 2, status: "rejected", code: "invalid_json", message: "is no JSON text" },
      ],
    };
    const { bodies, url } = await answering(report("created", "created"), [400, refusal]);
    await expect(sent(url, "1\n2\n\n4\n5\n6")).rejects.toThrow(
      "1 line is wrong\n  line 5: is no JSON text\nWhat stands before line 4 is written. Import the file again",
    );
    expect(bodies).toHaveLength(2);
  });

  it("says that nothing was written where the first batch is refused, in words and without a status", async () => {
    const refusal = {
      data: [1, 2].map((line) => ({ line, status: "rejected", message: "key is missing" })),
    };
    const { url } = await answering([400, refusal]);
    await expect(sent(url, "1\n2\n3")).rejects.toThrow(
      "2 lines are wrong\n  line 1: key is missing\n  line 2: key is missing\nNothing was written. Import",
    );
    server?.close();
    const whole = await answering([404, { error: { message: "No loaded connector declares it." } }]);
    await expect(sent(whole.url, "1\n2\n3")).rejects.toThrow(
      "lines 1 to 2: No loaded connector declares it.\nNothing was written. Import",
    );
  });

  it("does not say that nothing was written where that is not known", async () => {
    const { url } = await answering("cut", [400, { error: { message: "No." } }]);
    await expect(sent(url, "1")).rejects.toThrow(
      "line 1: No.\nWhether line 1 was written is not known. Import",
    );
  });

  it("tells which connector a new connection became one of", async () => {
    const { url } = await answering([200, { connection_is_new: true, connector_key: "mail", data: [] }]);
    expect(await sent(url, "1")).toMatchObject({ connector: "mail" });
  });
});

describe("the bearer of an import", () => {
  it("is a short one, renewed on the way, and each is taken away", async () => {
    const asked: string[] = [];
    const admin = await listening((request, body, response) => {
      asked.push(`${request.method} ${request.url} ${body}`);
      response.end(JSON.stringify({ id: `t${asked.length}`, token: `bearer${asked.length}` }));
    });
    let now = 0;
    const used = await withOwner(
      admin,
      async (bearer) => {
        const bearers: string[] = [];
        for (const at of [0, 100_000, 121_000, 200_000]) {
          now = at;
          bearers.push(await bearer());
        }
        return bearers;
      },
      () => now,
    );
    expect(used).toEqual(["bearer1", "bearer1", "bearer2", "bearer2"]);
    const made = 'POST /admin/tokens {"name":"records import","kind":"owner","lifetime_s":300}';
    expect(asked).toEqual([
      made,
      made,
      "DELETE /admin/tokens/t1?forget=true ",
      "DELETE /admin/tokens/t2?forget=true ",
    ]);
    await expect(withOwner(admin, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(asked).toHaveLength(4);
  });

  it("is asked for again with its batch where that is cut off, and one that stays for now ends nothing", async () => {
    const asked: string[] = [];
    let now = 0;
    const admin = await listening((request, _, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      if (request.url?.startsWith("/admin/ingest") === true) now += 130_000;
      const isCut = request.method === "DELETE" || asked.length === 3;
      if (isCut) request.socket.destroy();
      else response.end(JSON.stringify({ id: `t${asked.length}`, token: `bearer${asked.length}`, data: [] }));
    });
    const report = await withOwner(
      admin,
      async (bearer) => {
        const input = (async function* give() {
          yield Buffer.from("1\n2\n");
        })();
        const batches = batchesOf(input, { bytes: 1_000, lines: 1, lineBytes: 1_000 });
        return sendAll(`${admin.url}/ingest`, bearer, batches, () => undefined);
      },
      () => now,
    );
    expect(report.lines).toBe(2);
    const made = "POST /admin/tokens Bearer";
    const sentWith = (token: string) => `POST /admin/ingest?lines=1 Bearer ${token}`;
    expect(asked).toEqual([
      made,
      sentWith("bearer1"),
      made,
      made,
      "DELETE /admin/tokens/t1?forget=true Bearer",
      sentWith("bearer4"),
      "DELETE /admin/tokens/t4?forget=true Bearer",
    ]);
  });
});
