import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tool } from "../../support/catalog/rig.ts";
import { stubUpstreams } from "../upstreams.ts";
import { bearerFor, OPERATOR, send } from "./client.ts";
import { freshStorage } from "../fresh-storage.ts";

const upstreams = stubUpstreams();
const WORDS = "no entry for the token sk-live-51H8xY2eZvKYlo2C";
const PROMOTE = "/admin/upstreams/my%20server/promote";
const ROLL_BACK = "/admin/upstreams/my%20server/rollback";

let configs = 0;

/** A configuration of its own for each test: an isolate keeps the catalogs that it has seen. */
function operator(more: object = {}) {
  const config = JSON.stringify({
    mcpServers: {
      "my server": {
        url: "https://blue.example.com/mcp",
        timeout_ms: 10_000 + (configs += 1),
        candidate: { url: "https://green.example.com/mcp" },
        ...more,
      },
    },
  });
  return async (path: string, method = "POST") => {
    const headers = { Authorization: `Bearer ${OPERATOR}` };
    const bindings = { LOOMGATE_CONFIG: config };
    const response = await send(path, { method, headers }, bindings);
    const body: unknown = await response.json();
    return { status: response.status, body };
  };
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(async () => {
  vi.restoreAllMocks();
  upstreams.reset();
  await freshStorage();
});

describe("POST /admin/upstreams/{name}/promote and /rollback", () => {
  it("are the operator's alone", async () => {
    const bearer = await bearerFor();
    for (const path of [PROMOTE, ROLL_BACK]) {
      expect((await send(path, { method: "POST" })).status).toBe(401);
      const headers = { Authorization: `Bearer ${bearer}` };
      expect((await send(path, { method: "POST", headers })).status).toBe(403);
    }
  });

  it("move the calls and say how the two compare", async () => {
    upstreams.tools("blue", [tool("a")]);
    upstreams.tools("green", [tool("a"), tool("b")]);
    const ask = operator();
    const moved = await ask(PROMOTE);
    expect(moved).toMatchObject({
      status: 200,
      body: {
        server: "my server",
        active: "candidate",
        generation: 2,
        comparison: "compatible",
        diff: { added: [expect.stringMatching(/^my-server:b#/)], removed: [], changed: [], replaced: [] },
      },
    });
    expect(await ask(PROMOTE)).toMatchObject({ status: 409, body: { error: "already_active" } });
    expect(await ask(ROLL_BACK)).toMatchObject({
      status: 200,
      body: { active: "configured", generation: 3 },
    });
    expect(await ask(ROLL_BACK)).toMatchObject({ status: 409, body: { error: "nothing_to_roll_back" } });
  });

  it("refuse what breaks callers, with what differs, until they are told to", async () => {
    upstreams.tools("blue", [tool("a"), tool("b")]);
    upstreams.tools("green", [tool("a")]);
    const ask = operator();
    expect(await ask(PROMOTE)).toMatchObject({
      status: 409,
      body: {
        error: "breaking",
        comparison: "breaking",
        diff: { removed: [expect.stringMatching(/^my-server:b#/)] },
      },
    });
    expect((await ask(`${PROMOTE}?breaking=yes`)).status).toBe(400);
    expect(await ask(`${PROMOTE}?breaking=accept`)).toMatchObject({
      status: 200,
      body: { active: "candidate", comparison: "breaking" },
    });
  });

  it("know no server that is not configured, whatever it is called", async () => {
    const ask = operator();
    for (const name of ["other", "__proto__", "%00", "%F0%9F%98%80", ".."]) {
      expect((await ask(`/admin/upstreams/${name}/promote`)).status).toBe(404);
    }
    expect((await ask("/admin/upstreams/my%20server/elsewhere")).status).toBe(404);
    expect(await ask("/admin/upstreams/my%20server/promote", "GET")).toMatchObject({ status: 404 });
  });

  it("refuse a candidate that does not list, in words of ours", async () => {
    upstreams.tools("blue", [tool("a")]);
    upstreams.fails("green", () => new Response(WORDS, { status: 401 }));
    const refused = await operator()(PROMOTE);
    expect(refused).toMatchObject({ status: 409, body: { error: "candidate_rejected" } });
    expect(JSON.stringify(refused.body)).not.toContain(WORDS);
  });

  it("say that it may help to ask again where the catalog's object does not answer", async () => {
    const dead = {
      getByName: () => {
        throw new Error("the object is being moved");
      },
    };
    const headers = { Authorization: `Bearer ${OPERATOR}` };
    const bindings = {
      LOOMGATE_CONFIG: '{"mcpServers":{"my server":{"url":"https://blue.example.com/mcp"}}}',
      CATALOGS: new Proxy(env.CATALOGS, { get: () => dead.getByName }),
    };
    const response = await send(PROMOTE, { method: "POST", headers }, bindings);
    expect([response.status, await response.json()]).toEqual([503, { error: "unavailable" }]);
  });
});
