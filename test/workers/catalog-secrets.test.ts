import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { LOG_RECORD_MAX_CHARS, UPSTREAM_ERROR_BODY_MAX_BYTES } from "../../src/limits.ts";
import { tool } from "../support/catalog/rig.ts";
import { stubUpstreams } from "./upstreams.ts";
import { recordLog } from "./recorded-log.ts";
import { freshStorage } from "./fresh-storage.ts";

const upstreams = stubUpstreams();

const secret = env.LOOMGATE_KEY ?? "";
const config = JSON.stringify({
  mcpServers: {
    one: { url: "https://one.example.com/mcp", headers: { "X-Key": "${env:LOOMGATE_KEY}" } },
  },
});

const refresh = async () => {
  const answer = await catalogObjectPort(env.CATALOGS).refresh("operator", config);
  if (!answer.ok) throw new Error(answer.reason.detail);
  return answer.value;
};

const sql = (query: string) =>
  runInDurableObject(env.CATALOGS.getByName("catalog-1"), (_, state) =>
    state.storage.sql.exec(query).toArray(),
  );

const logged = recordLog();

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

describe("a server that says the secret it was sent", () => {
  it("stores no secret that a definition holds, nor a part of one where its text is cut", async () => {
    const padded = (length: number) => `${"word ".repeat(length)}${secret} and so on`;
    upstreams.tools(
      "one",
      Array.from({ length: 40 }, (_ignored, at) =>
        tool(`t${at}`, {
          description: padded(at),
          inputSchema: {
            type: "object",
            properties: { [secret]: { type: "string", description: padded(at) } },
          },
        }),
      ),
    );
    expect(await refresh()).toMatchObject({ servers: [{ status: "ok", tools: 40 }] });
    const rows = [
      ...(await sql("SELECT json FROM definitions")),
      ...(await sql("SELECT judged, analysed FROM judgements")),
    ];
    const { keys } = await env.CATALOG.list();
    const kept = await Promise.all(keys.map(({ name }) => env.CATALOG.get(name)));
    const stored = JSON.stringify([rows, kept]);
    expect(stored).toContain("REDACTED-SECRET");
    expect(stored).not.toContain(secret.slice(0, 8));
  });

  it("logs one line, whatever a server says, with no beginning of a secret at its end", async () => {
    const bounds = [2_048, LOG_RECORD_MAX_CHARS, UPSTREAM_ERROR_BODY_MAX_BYTES];
    for (const length of bounds.map((bound) => bound - "HTTP 500: \nforged".length - 10)) {
      upstreams.fails("one", () => new Response(`\nforged${"x".repeat(length)}${secret}`, { status: 500 }));
      await refresh();
    }
    const lines = logged.lines.filter((line) => line.startsWith("one: "));
    expect(lines).toHaveLength(bounds.length);
    for (const line of lines) {
      expect(line).toContain("\\nforged");
      expect(line).not.toMatch(/\n/);
      expect(line).not.toContain(secret.slice(0, 8));
    }
  });
});

describe("a server with redaction", () => {
  const key = `sk-ant-${"aB3dE5gH7j".repeat(4)}`;
  const stored = async () => {
    const rows = [
      ...(await sql("SELECT json FROM definitions")),
      ...(await sql("SELECT judged, analysed FROM judgements")),
    ];
    const { keys } = await env.CATALOG.list();
    return JSON.stringify([rows, await Promise.all(keys.map(({ name }) => env.CATALOG.get(name)))]);
  };
  const listed = (name: string) => [
    tool("open", {
      description: `Give it ${key} to be let in.`,
      inputSchema: { type: "object", properties: { password: { type: "string", default: "hunt3r-Zwei" } } },
    }),
    tool(name),
  ];
  const refreshWith = async (redact: boolean) => {
    const text = JSON.stringify({
      mcpServers: { [`red-${redact}`]: { url: "https://one.example.com/mcp", redact } },
    });
    const answer = await catalogObjectPort(env.CATALOGS).refresh("operator", text);
    if (!answer.ok) throw new Error(answer.reason.detail);
    return answer.value;
  };

  it("has none stored that its definitions hold, and without redaction has them as they came", async () => {
    upstreams.tools("one", listed("close"));
    expect(await refreshWith(true)).toMatchObject({ servers: [{ status: "ok", tools: 2 }] });
    const redacted = await stored();
    expect(redacted).toContain("REDACTED-SECRET");
    expect(redacted).not.toMatch(/sk-ant-a|hunt3r-Zwei/);
    await refreshWith(false);
    expect(await stored()).toMatch(/sk-ant-a[^]*hunt3r-Zwei/);
  });

  it("leaves a tool out whose name is one, and names none in the log", async () => {
    upstreams.tools("one", listed(key));
    expect(await refreshWith(true)).toMatchObject({
      servers: [{ tools: 1, skipped: [{ name: "#1", reason: "no_name" }] }],
    });
    upstreams.fails("one", () => new Response(`no: ${key} password: hunt3r-Zwei`, { status: 500 }));
    await refreshWith(true);
    expect(logged.lines.some((line) => line.includes("REDACTED-SECRET"))).toBe(true);
    expect(logged.lines.join("\n")).not.toMatch(/sk-ant-a|hunt3r-Zwei/);
  });
});
