import { afterEach, describe, expect, it, vi } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { ReadAnswer } from "../../../src/records/source/read-source.ts";
import { httpRig, type HttpRig } from "../../support/records/http-rig.ts";
import { requestOf } from "../../support/records/read-sources.ts";

const PAGE = "/v1/streams/messages/records?limit=3&connection_id=c1";
const SCOPED = "/v1/schema?stream=messages";
const CONNECTORS = [
  {
    connector_key: "mail",
    streams: [{ name: "messages", primary_key: ["id"], field_capabilities: { id: "t=string,eq" } }],
    granted_connections: [{ connection_id: "c1" }],
  },
];

type Served = (path: string) => Response | Promise<Response>;

/** A server that is only its answers, and what it was asked. */
function serving(answer: Served): HttpRig & { readonly asked: string[] } {
  const asked: string[] = [];
  const rig = httpRig(
    { url: "http://127.0.0.1:9" },
    {
      fetch: async (url) => {
        const { pathname, search } = new URL(String(url));
        asked.push(`${pathname}${search}`);
        return answer(pathname);
      },
    },
  );
  return Object.assign(rig, { asked });
}

function withBearer(bearer: unknown): Served {
  return (path) =>
    Response.json(
      path === "/v1/schema"
        ? { object: "schema", ...(bearer === undefined ? {} : { bearer }), connectors: CONNECTORS }
        : { object: "list", data: [] },
    );
}

function codeOf(answer: ReadAnswer): string {
  return answer.ok ? "ok" : answer.error.code;
}

describe("what a schema says of its bearer", () => {
  it.each([
    undefined,
    null,
    {},
    { token_kind: null },
    { pdpp_token_kind: "client" },
    { kind: "client" },
    { token_kind: "mcp_package", scope: "grant" },
    { token_kind: "client", scope: "records:read ownership" },
  ])("lets it be used: %j", async (bearer) => {
    const rig = serving(withBearer(bearer));
    expect(codeOf(await rig.source().get(requestOf(PAGE)))).toBe("ok");
    expect(codeOf(await rig.source().get(requestOf(SCOPED)))).toBe("ok");
  });

  it.each([
    { token_kind: "owner" },
    { pdpp_token_kind: "owner" },
    { kind: "operator" },
    { kind: "client", token_kind: "owner" },
    { token_kind: "client", pdpp_token_kind: "admin" },
    { token_kind: "client", scope: "owner" },
    { token_kind: "client", scope: "read Owner" },
    { scopes: ["read", "operator"] },
    { token_kind: ["client"] },
    { token_kind: 1 },
  ])("refuses it, whatever it is asked for: %j", async (bearer) => {
    for (const path of [PAGE, SCOPED, "/v1/schema"]) {
      const rig = serving(withBearer(bearer));
      expect(codeOf(await rig.source().get(requestOf(path)))).toBe("owner_token_refused");
      expect(codeOf(await rig.source().get(requestOf(PAGE)))).toBe("owner_token_refused");
      expect(rig.asked).toHaveLength(1);
    }
  });

  it("is read where the document is wrapped, too", async () => {
    const rig = serving(() => Response.json({ data: { connectors: CONNECTORS }, bearer: { kind: "owner" } }));
    expect(codeOf(await rig.source().get(requestOf(PAGE)))).toBe("owner_token_refused");
  });
});

describe("a schema that cannot be had", () => {
  it.each<[string, Served]>([
    ["500", () => new Response(null, { status: 500 })],
    ["404", () => Response.json({ error: { code: "not_found", message: "no" } }, { status: 404 })],
    ["no JSON", () => new Response("<html>")],
    ["no schema", () => Response.json([])],
    ["a network that fails", () => Promise.reject(new Error("reset"))],
  ])("stands in no read's way, and is asked for again by the next one: %s", async (_what, schema) => {
    const rig = serving((path) =>
      path === "/v1/schema" ? schema(path) : Response.json({ object: "list", data: [] }),
    );
    const page = PAGE.replace("limit=3&", "");
    for (let round = 1; round <= 2; round += 1) {
      expect(codeOf(await rig.source().get(requestOf(page)))).toBe("ok");
      expect(rig.asked).toHaveLength(2 * round);
    }
    expect(rig.source().describe().connections).toEqual([]);
  });

  it.each([401, 403])("with %i ends the read", async (status) => {
    const rig = serving((path) =>
      path === "/v1/schema" ? new Response(null, { status }) : Response.json({ object: "list", data: [] }),
    );
    expect(await rig.source().get(requestOf(PAGE))).toMatchObject({ ok: false, status });
    expect(rig.asked).toHaveLength(1);
  });

  it("does not let on a bearer that was an owner's when it last could be had", async () => {
    let isDown = false;
    const owner = withBearer({ token_kind: "owner" });
    const rig = serving((path) => (isDown ? new Response(null, { status: 500 }) : owner(path)));
    await rig.source().get(requestOf(PAGE));
    isDown = true;
    rig.nowMs += 60_000;
    expect(codeOf(await rig.source().get(requestOf(PAGE)))).toBe("owner_token_refused");
  });

  it("is not asked for a second time before the read that follows in the same request", async () => {
    const rig = serving((path) =>
      path === "/v1/schema"
        ? new Response(null, { status: 500 })
        : Response.json({ object: "list", data: [] }),
    );
    const source = rig.source();
    await source.get(requestOf(SCOPED));
    expect(codeOf(await source.get(requestOf(PAGE)))).toBe("ok");
    expect(rig.asked).toEqual([SCOPED, PAGE]);
  });
});

describe("the calls that knowing a bearer takes", () => {
  it("are none before a schema read of any kind, and none after it", async () => {
    const rig = serving(withBearer({ token_kind: "client" }));
    const source = rig.source();
    expect(codeOf(await source.get(requestOf(SCOPED)))).toBe("ok");
    expect(codeOf(await source.get(requestOf("/v1/streams/messages/records?expand=x")))).toBe("ok");
    expect(rig.asked).toEqual([SCOPED, "/v1/streams/messages/records?expand=x"]);
  });

  it("are one where everything is refused, cold or not", async () => {
    const rig = serving(() => Response.json({ error: { code: "authentication_error" } }, { status: 401 }));
    const cold = rig.source();
    for (const path of [SCOPED, PAGE, "/v1/schema", "/v1/search?q=x"]) {
      expect(await cold.get(requestOf(path))).toMatchObject({ ok: false, status: 401 });
    }
    expect(rig.asked).toEqual([SCOPED]);
  });

  it("are none for the reads that follow a 401, whose kind is still known", async () => {
    let isRefusing = false;
    const served = withBearer({ token_kind: "client" });
    const rig = serving((path) =>
      isRefusing ? Response.json({ error: { code: "authentication_error" } }, { status: 401 }) : served(path),
    );
    await rig.source().get(requestOf(PAGE));
    isRefusing = true;
    for (let round = 0; round < 3; round += 1) await rig.source().get(requestOf(PAGE));
    expect(rig.asked.filter((path) => path.startsWith("/v1/schema"))).toHaveLength(1);
    expect(rig.source().describe().connections).toMatchObject([{ connectionId: "c1" }]);
  });
});

describe("an answer that is too large", () => {
  it.each([
    ["/v1/schema", /one stream/, /limit/],
    ["/v1/schema?stream=messages&detail=full", /without detail/, /limit/],
    ["/v1/search?q=x", /fewer hits/, /fields/],
    ["/v1/streams/messages/aggregate?metric=count&connection_id=c1", /fewer groups/, /fields/],
    ["/v1/streams/messages/records/m1?connection_id=c1", /fields/, /limit/],
    [PAGE, /limit.*fields/, /groups/],
  ])("says how to get less of just that: %s", async (path, said, unsaid) => {
    const small = serving((at) =>
      at === "/v1/schema" && !path.startsWith("/v1/schema")
        ? Response.json({ bearer: { token_kind: "client" }, connectors: CONNECTORS })
        : Response.json({ filler: "x".repeat(5 * 1024 * 1024) }),
    );
    const answer = await small.source().get(requestOf(path));
    const message = answer.ok ? "" : answer.error.message;
    expect(message).toMatch(said);
    expect(message).not.toMatch(unsaid);
  });
});

describe("a source that lets a whole deadline pass", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is waited for a fifth of one by what follows in the same request, and in full by the next", async () => {
    vi.useFakeTimers();
    const rig = serving(() => new Promise<Response>(() => undefined));
    const source = rig.source();
    for (const [ms, calls] of [
      [20_000 + 4_000, 2],
      [4_000, 3],
    ] as const) {
      const waiting = source.get(requestOf(PAGE));
      await vi.advanceTimersByTimeAsync(ms);
      expect(codeOf(await waiting)).toBe("source_unavailable");
      expect(rig.asked).toHaveLength(calls);
    }
    let isOver = false;
    void rig
      .source()
      .get(requestOf(PAGE))
      .then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(20_000);
    expect([isOver, rig.asked.length]).toEqual([false, 5]);
  });

  it("may answer within that time", async () => {
    vi.useFakeTimers();
    const rig = serving((path) =>
      path === "/v1/schema"
        ? new Promise<Response>(() => undefined)
        : Response.json({ object: "list", data: [] }),
    );
    const waiting = rig.source().get(requestOf(PAGE));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(codeOf(await waiting)).toBe("ok");
  });
});

describe("a list whose next cursor is the one that was sent", () => {
  it.each([PAGE, "/v1/search?q=x&connection_id=c1"])("is not followed in a circle: %s", async (path) => {
    const page = {
      object: "list",
      data: [],
      has_more: true,
      next_cursor: "here",
      links: { self: path, next: path },
    };
    const rig = serving((asked) =>
      asked === "/v1/schema"
        ? Response.json({ bearer: { token_kind: "client" }, connectors: CONNECTORS })
        : Response.json(page),
    );
    const first = await rig.source().get(requestOf(path));
    expect(first.ok && memberOf(first.body, "next_cursor")).toBe("here");
    const again = await rig.source().get(requestOf(`${path}&cursor=here`));
    expect(again).toMatchObject({
      ok: true,
      body: { has_more: true, links: { next: null }, meta: { warnings: [{ code: "partial_results" }] } },
    });
    expect(again.ok && memberOf(again.body, "next_cursor")).toBeUndefined();
  });
});
