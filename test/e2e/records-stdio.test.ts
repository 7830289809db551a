import { spawnSync } from "node:child_process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const ENTRY = ["--import", "tsx", "scripts/records-stdio/main.ts"];

describe("the stdio adapter over a real Worker", () => {
  let gateway: StartedGateway;
  const dev = (name: string): string => String(gateway.devFile()[name]);
  const admin = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${dev("admin")}${path}`, {
      method,
      headers: { Authorization: `Bearer ${dev("operator_token")}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const connected = async (bearer: string): Promise<Client> => {
    const client = new Client({ name: "tests", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...ENTRY, "--url", gateway.origin],
      env: { PATH: process.env["PATH"] ?? "", LOOMGATE_RECORDS_TOKEN: bearer },
      stderr: "pipe",
    });
    await client.connect(transport);
    return client;
  };
  const textOf = async (client: Client, name: string, args: Record<string, unknown>): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args });
    return String(memberOf(isJsonArray(content) ? content[0] : undefined, "text"));
  };
  const exits = (
    bearer: string,
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [...ENTRY, "--url", gateway.origin], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LOOMGATE_RECORDS_TOKEN: bearer },
    });

  beforeAll(async () => {
    gateway = await startGateway({ config: '{"mcpServers":{}}' });
  });
  afterAll(async () => {
    await gateway.stop();
    await gateway.gone();
    removeState(gateway);
  });

  it("serves what the endpoint serves, and search leads to fetch by text alone", async () => {
    const client = await connected(dev("records_token"));
    const direct = await new GatewayClient(dev("records"), dev("records_token")).connect();
    expect(await client.listTools()).toEqual(await direct.client.listTools());
    expect(client.getInstructions()).toBe(direct.client.getInstructions());
    const found = await textOf(client, "search", { q: "night ride" });
    const id = /first_fetch_id="([^"]+)"/.exec(found)?.[1];
    const fetched: unknown = JSON.parse(await textOf(client, "fetch", { id }));
    expect(memberOf(fetched, "id")).toBe(id);
    await Promise.all([client.close(), direct.close()]);
  });

  it("refuses the next read of a bearer that was revoked, and a start with it", async () => {
    const listed = memberOf(await admin("GET", "/records/connections"), "connections");
    const connection = memberOf(isJsonArray(listed) ? listed[0] : undefined, "id");
    const connections = [{ connection_id: connection, streams: [{ name: "*" }] }];
    const made = await admin("POST", "/grants", { connections });
    const bearer = String(memberOf(made, "token"));
    const client = await connected(bearer);
    expect(await textOf(client, "schema", {})).toContain(String(connection));
    await admin("DELETE", `/grants/${String(memberOf(made, "grant_id"))}`);
    await expect(client.callTool({ name: "schema", arguments: {} })).rejects.toThrow(/HTTP 403: .*revoked/);
    await client.close();
    const { status, stdout, stderr } = exits(bearer);
    expect([status, stdout]).toEqual([78, ""]);
    expect(stderr).toContain("credential_invalid");
    expect(stderr).not.toContain(bearer);
  });

  it("does not start with an owner's, the operator's or a grantless bearer", async () => {
    const owner = String(memberOf(await admin("POST", "/tokens", { name: "o", kind: "owner" }), "token"));
    for (const [bearer, code] of [
      [owner, 77],
      [dev("operator_token"), 77],
      [dev("token"), 78],
    ] as const) {
      const { status, stdout, stderr } = exits(bearer);
      expect([status, stdout]).toEqual([code, ""]);
      expect(stderr).not.toContain(bearer);
    }
  });
});
