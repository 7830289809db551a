import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { launchGateway, removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

function processGroupOf(pid: number): number {
  return Number(execFileSync("ps", ["-o", "pgid=", "-p", String(pid)]).toString());
}

const EMPTY = '{ "mcpServers": {} }';

describe("npm start with the demo servers", () => {
  let first: StartedGateway;
  let second: StartedGateway;

  beforeAll(async () => {
    [first, second] = await Promise.all([startGateway(), startGateway()]);
  });

  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    removeState(first);
    removeState(second);
  });

  it("answers, and two instances run side by side", async () => {
    for (const { origin } of [first, second]) {
      const response = await fetch(`${origin}/health`);
      expect(await response.json()).toMatchObject({ status: "ok" });
    }
    expect(first.port).not.toBe(second.port);
  });

  it("serves nothing but itself on its port", async () => {
    // The development server has an explorer of all bindings, which asks for no bearer.
    for (const path of [
      "/cdn-cgi/explorer",
      "/cdn-cgi/explorer/api",
      "/cdn-cgi/explorer/api/local/workers",
    ]) {
      expect((await fetch(`${first.origin}${path}`)).status).toBe(404);
    }
  });

  it("lets no client's refused body break another's request", async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = new Uint8Array(3 * 1024 * 1024);
      await fetch(`${first.origin}/mcp`, { method: "POST", body }).then((response) => response.text());
      expect((await fetch(`${first.origin}/health`)).status).toBe(200);
    }
  });

  it("runs the three servers", () => {
    for (const name of ["everything", "filesystem", "memory"])
      expect(first.output()).toContain(`${name}: running`);
  });

  it("tells other programs through a file that nobody else can read", () => {
    expect(first.devFile()).toEqual({
      gateway: `${first.origin}/mcp`,
      proxy: `${first.origin}/mcp/proxy`,
      records: `${first.origin}/mcp/records`,
      admin: `${first.origin}/admin`,
      token: expect.stringMatching(/^lg_client_/) as unknown,
      records_token: expect.stringMatching(/^lg_package_/) as unknown,
      operator_token: expect.any(String) as unknown,
      pid: expect.any(Number) as unknown,
    });
    for (const path of ["/mcp", "/mcp/proxy", "/mcp/records"])
      expect(first.output()).toContain(`${first.origin}${path}\n`);
    expect(first.devFileMode()).toBe(0o600);
  });

  it("has records to read at once, by one bearer that is no owner's", async () => {
    const { records, records_token: token } = first.devFile();
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search", arguments: { q: "invoice" } },
    };
    const response = await fetch(String(records), {
      method: "POST",
      headers: {
        Authorization: `Bearer ${String(token)}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(call),
    });
    expect(await response.text()).toContain("first_fetch_id=");
    expect(first.output()).toContain(`Authorization: Bearer ${String(token)}\n`);
    expect(first.output()).not.toContain("lg_owner_");
  });

  it("gives and takes back a narrow grant from the command line", async () => {
    const grant = (...args: string[]): unknown =>
      JSON.parse(
        execFileSync(
          "npm",
          ["run", "--silent", "grant", "--", ...args, "--state", first.stateDir, "--json"],
          {
            encoding: "utf8",
          },
        ),
      );
    const made = grant("create", "--connection", "mailbox-velo-kiosk", "--stream", "messages:subject");
    const read = () =>
      fetch(`${first.origin}/v1/streams/messages/records?limit=1`, {
        headers: { Authorization: `Bearer ${String(memberOf(made, "token"))}` },
      });
    const page: unknown = await (await read()).json();
    const rows = memberOf(page, "data");
    const [row] = isJsonArray(rows) ? rows : [];
    const data = memberOf(row, "data");
    expect(isRecord(data) ? Object.keys(data) : data).toEqual(["id", "subject"]);
    const id = String(memberOf(made, "grant_id"));
    expect(JSON.stringify(grant("list"))).toContain(id);
    grant("revoke", id);
    expect((await read()).status).toBe(403);
  });

  it("writes no secret of the demo into a file or a command line", () => {
    const secrets: unknown = JSON.parse(readFileSync(join(first.stateDir, "secrets.json"), "utf8"));
    const values = isRecord(secrets) ? Object.values(secrets).map(String) : [];
    expect(values).toHaveLength(2);
    const texts = [
      first.output(),
      ...first.processes(),
      readFileSync(join(first.stateDir, "wrangler.json"), "utf8"),
    ];
    for (const name of readdirSync(join(first.stateDir, "logs"))) {
      texts.push(readFileSync(join(first.stateDir, "logs", name), "utf8"));
    }
    for (const value of values) expect(texts.some((text) => text.includes(value))).toBe(false);
  });

  it("refuses a state folder that is in use", async () => {
    const third = await launchGateway({ stateDir: first.stateDir });
    expect(await third.exited).toBe(1);
    expect(third.output()).toContain("is in use by process");
    expect(existsSync(join(first.stateDir, "dev.json"))).toBe(true);
  });

  it("ends every process it started on Ctrl-C, and removes its file", async () => {
    expect(first.processes().length).toBeGreaterThan(4);
    await first.stop("SIGINT");
    await first.gone();
    expect(existsSync(join(first.stateDir, "dev.json"))).toBe(false);
    expect((await fetch(`${second.origin}/health`)).status).toBe(200);
  });

  it("leaves no process behind even when it is killed outright", async () => {
    process.kill(Number(second.devFile()["pid"]), "SIGKILL");
    await second.gone();
    expect(second.processes()).toEqual([]);
  });

  it("ends when npm alone is asked to end", async () => {
    const gateway = await startGateway();
    await gateway.stop("SIGTERM", "npm");
    await gateway.gone();
    expect(existsSync(join(gateway.stateDir, "dev.json"))).toBe(false);
    removeState(gateway);
  });
});

describe("npm start whose runtime dies", () => {
  it("says so and ends", async () => {
    const gateway = await startGateway({ config: EMPTY });
    const group = Number(
      /^\s*(\d+)/.exec(execFileSync("pgrep", ["-f", `${gateway.stateDir}/wrangler.json`]).toString())?.[1],
    );
    const members = execFileSync("pgrep", ["-g", String(processGroupOf(group)), "workerd"])
      .toString()
      .split("\n");
    for (const pid of members) if (pid !== "") process.kill(Number(pid), "SIGKILL");
    expect(await gateway.exited).toBe(1);
    expect(gateway.output()).toContain("does not answer any more");
    await gateway.gone();
    removeState(gateway);
  });
});

describe("npm start over a folder that it cannot use", () => {
  it.each(["/proc/loomgate", "/dev/null/loomgate"])("says so and ends: %s", async (stateDir) => {
    const gateway = await launchGateway({ stateDir });
    expect(await gateway.exited).toBe(1);
    expect(gateway.output()).toContain("cannot be used as a state folder");
  });
});

describe("npm start over somebody's own folder", () => {
  it("touches nothing in it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loomgate-own-"));
    writeFileSync(join(folder, ".gitignore"), "mine\n");
    const gateway = await launchGateway({ stateDir: folder });
    expect(await gateway.exited).toBe(1);
    expect(gateway.output()).toContain("is no state folder");
    expect(readdirSync(folder)).toEqual([".gitignore"]);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
    removeState(gateway);
  });
});

describe("npm start with a configuration", () => {
  it("runs over it", async () => {
    const gateway = await startGateway({ config: EMPTY });
    expect(gateway.output()).not.toContain("everything:");
    await gateway.stop();
    await gateway.gone();
    removeState(gateway);
  });

  it.each([
    ['{ "mcpServers": { "a": { "command": "npx" } } }', "npx mcp-proxy"],
    [
      '{ "mcpServers": { "a": { "url": "https://a.example/mcp", "headers": { "K": "${env:LG_UNSET}" } } } }',
      "LG_UNSET",
    ],
    ['{ "gateway": { "tpo_k": 1 } }', "gateway.tpo_k: unknown key"],
    ['{ "mcpServers": { "a": { "url": "https://10.0.0.1/mcp" } } }', "mcpServers.a.url: must name a host"],
    [
      '{ "mcpServers": { "a b": { "url": "https://a.example/" }, "A-B": { "url": "https://b.example/" } } }',
      "choose another name",
    ],
  ])("refuses %s and starts nothing", async (config, message) => {
    const gateway = await launchGateway({ config });
    expect(await gateway.exited).toBe(1);
    expect(gateway.output()).toContain(message);
    expect(gateway.processes()).toEqual([]);
    removeState(gateway);
  });
});
