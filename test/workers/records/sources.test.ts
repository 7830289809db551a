import { beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { Seal } from "../../../src/records/seal/seal.ts";
import { createHttpSource } from "../../../src/records/source/http-source.ts";
import { createPackageSource } from "../../../src/records/source/package-source.ts";
import type { ReadSource } from "../../../src/records/source/read-source.ts";
import { createSourceMemory } from "../../../src/records/source/source-memory.ts";
import { ok } from "../../../src/result.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import {
  connection,
  fakeSource,
  freshSeal,
  requestOf,
  searchPage,
} from "../../support/records/read-sources.ts";

const BEARER = "a-bearer-of-the-tests-0123456789";
const SCHEMA = {
  bearer: { token_kind: "client" },
  connectors: [
    {
      connector_key: "chat",
      streams: [{ name: "messages" }],
      granted_connections: [{ connection_id: "x1" }],
    },
  ],
};
const HITS = Array.from({ length: 7 }, (_, at) => ({ connectionId: "x1", key: `x${at}` }));

let seal: Seal;
beforeAll(async () => {
  seal = await freshSeal();
});

interface Sent {
  readonly url: URL;
  readonly init: RequestInit;
}

/** An external source of this runtime: its requests, streams, timers and compression of nothing are workerd's own. */
function external(answer: (url: URL, init: RequestInit) => Response | Promise<Response>, timeoutMs = 5_000) {
  const sent: Sent[] = [];
  const buffers = createBufferBudget(8 * 1024 * 1024, () => Date.now());
  const target = { name: "outside", base: "https://rs.example", bearer: BEARER, timeoutMs };
  const source: ReadSource = createHttpSource(ok(target), {
    fetch: async (url, init = {}) => {
      sent.push({ url: new URL(url), init });
      return answer(new URL(url), init);
    },
    buffers,
    allowLoopback: false,
    now: () => Date.now(),
    log: () => undefined,
    memory: createSourceMemory(),
  });
  return { source, sent, buffers };
}

function json(body: unknown): Response {
  return Response.json(body, { headers: { "request-id": "r1" } });
}

function wellBehaved(url: URL): Response {
  if (url.pathname === "/v1/schema") return json(SCHEMA);
  return json(searchPage(HITS, { path: ["search"], query: [...url.searchParams] }));
}

describe("sources of records in the runtime that they are for", () => {
  it("read an external server over its own streams, with the bearer and by hand what redirects", async () => {
    const { source, sent, buffers } = external(wellBehaved);
    const answer = await source.get(requestOf("/v1/search?q=x&limit=3"));
    expect(answer).toMatchObject({ ok: true, requestId: "r1", body: { has_more: true } });
    expect(sent.map(({ url }) => url.href)).toEqual([
      "https://rs.example/v1/schema?view=compact",
      "https://rs.example/v1/search?q=x&limit=3",
    ]);
    for (const { init } of sent) {
      expect(init.redirect).toBe("manual");
      expect(new Headers(init.headers).get("authorization")).toBe(`Bearer ${BEARER}`);
    }
    expect(buffers.held()).toBe(0);
  });

  it("stop at their cap in the middle of a stream, and at the deadline of one that never ends", async () => {
    const piece = new TextEncoder().encode("x".repeat(65_536));
    let pulled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled += 1;
            controller.enqueue(piece);
          },
        }),
        { headers: { "content-type": "application/json" } },
      );
    const large = external((url) => (url.pathname === "/v1/schema" ? json(SCHEMA) : endless()));
    expect(await large.source.get(requestOf("/v1/search?q=x"))).toMatchObject({
      ok: false,
      error: { code: "source_unavailable" },
    });
    expect(pulled).toBeLessThan(80);
    expect(large.buffers.held()).toBe(0);
    const silent = external(
      (url) => (url.pathname === "/v1/schema" ? json(SCHEMA) : new Promise<Response>(() => undefined)),
      30,
    );
    expect(await silent.source.get(requestOf("/v1/search?q=x"))).toMatchObject({
      ok: false,
      status: 0,
      error: { code: "source_unavailable" },
    });
  });

  it("walk through several as one, with a cursor that only this question opens", async () => {
    const embedded = fakeSource({
      connections: [connection("c0")],
      hits: Array.from({ length: 5 }, (_, at) => ({ connectionId: "c0", key: `c${at}` })),
    });
    const { source: outside } = external(wellBehaved);
    const members = [embedded, outside].map((source, at) => ({
      id: `g${at}`,
      name: `m${at}`,
      authority: `a${at}`,
      source,
    }));
    const source = createPackageSource({
      holder: { kind: "package", tokenId: "t", packageId: "p" },
      members,
      seal,
    });
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? "" : `&cursor=${cursor}`;
      const answer = await source.get(requestOf(`/v1/search?q=x&limit=4${more}`));
      const data = answer.ok ? memberOf(answer.body, "data") : undefined;
      if (!answer.ok || !isJsonArray(data)) throw new Error(JSON.stringify(answer));
      keys.push(...data.map((hit) => String(memberOf(hit, "record_key"))));
      const next = memberOf(answer.body, "next_cursor");
      cursor = typeof next === "string" ? next : undefined;
    } while (cursor !== undefined);
    expect(keys).toEqual(["c0", "x0", "c1", "x1", "c2", "x2", "c3", "x3", "c4", "x4", "x5", "x6"]);
  });
});
