import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const MAIN = resolve(ROOT, "scripts/grant/main.ts");
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Runs the command against a server that answers everything with this, and tells what that was asked. */
async function grant(args: readonly string[], status: number, answer: unknown) {
  const asked: { route: string; body: unknown }[] = [];
  const started = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      asked.push({ route: `${request.method} ${request.url}`, body });
      response.writeHead(status).end(JSON.stringify(answer));
    });
  });
  server = started;
  await new Promise<void>((listening) => {
    started.listen(0, "127.0.0.1", listening);
  });
  const address = started.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const command = ["--import", "tsx", MAIN, ...args, "--url", url];
  const env = { ...process.env, OPERATOR_TOKEN: "operator" };
  return new Promise<{ asked: typeof asked; out: string; err: string; failed: boolean }>((done) => {
    execFile(process.execPath, command, { cwd: ROOT, env }, (error, out, err) => {
      done({ asked, out, err, failed: error !== null });
    });
  });
}

describe("npm run grant", () => {
  it("makes a grant that is good for so many days", async () => {
    const created = { token: "lg_client_x", kind: "client", grant_id: "grt_1" };
    const args = ["create", "--connection", "mail-ada", "--stream", "messages", "--days", "7"];
    const { asked, out, err } = await grant(args, 201, created);
    expect([err, out]).toEqual([
      "",
      "lg_client_x\nclient grt_1; the bearer is shown this once and kept nowhere\n",
    ]);
    expect(asked).toEqual([
      {
        route: "POST /admin/grants",
        body: {
          connections: [{ connection_id: "mail-ada", streams: [{ name: "messages" }] }],
          lifetime_s: 604_800,
        },
      },
    ]);
  });

  it("lists what narrows a grant, and apart from it when its bearer expires", async () => {
    const row = {
      id: "grt_1",
      package_id: null,
      name: "assistant",
      connection_id: "mail-ada",
      source: null,
      revoked_at_ms: null,
      token_expires_at_s: 1_827_000_000,
      token_revoked_at_s: null,
    };
    const narrow = {
      name: "messages",
      fields: ["id", "sender"],
      resources: ["m 1", "m2"],
      since: "2026-01-01T08:30:00",
    };
    const streams = [
      { ...narrow, until: "2026-02-01" },
      { name: "threads", fields: null, resources: null, since: null, until: null },
    ];
    const { out } = await grant(["list"], 200, {
      grants: [
        { ...row, streams },
        {
          ...row,
          id: "grt_2",
          package_id: "pkg_1",
          connection_id: null,
          source: "away",
          streams: [],
          revoked_at_ms: 1,
        },
      ],
    });
    expect(out.split("\n")).toEqual([
      'grt_1  "assistant"  mail-ada  messages:id,sender since 2026-01-01T08:30:00Z until 2026-02-01 keys "m 1" "m2"; threads  expires 2027-11-23T20:00:00.000Z',
      'grt_2  pkg_1  "assistant"  source away  revoked',
      "",
    ]);
  });

  it("says in words that nothing has an id", async () => {
    const { asked, err, failed } = await grant(["revoke", "nope"], 404, { error: "not_found" });
    expect(asked.map(({ route }) => route)).toEqual(["DELETE /admin/grants/nope"]);
    expect([failed, err]).toEqual([
      true,
      'no grant, package or token has the id "nope": npm run grant -- list shows those of grants\n',
    ]);
  });
});
