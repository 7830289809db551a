import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import {
  type LearnedSource,
  packConnections,
  targetHash,
  unpackConnections,
} from "../../../src/records/source/learned-source.ts";
import type { ReadAnswer, SourceConnection } from "../../../src/records/source/read-source.ts";
import { httpRig } from "../../support/records/http-rig.ts";
import { packageOf } from "../../support/records/package-rig.ts";
import { connection, fakeSource, requestOf } from "../../support/records/read-sources.ts";

const URL_OF_SERVER = "http://127.0.0.1:9";
const PAGE = "/v1/streams/messages/records?limit=3";

interface ServedOptions {
  readonly ids?: readonly string[];
  readonly book?: Parameters<typeof httpRig>[1] extends infer Options
    ? Options extends { readonly book?: infer Book }
      ? Book
      : never
    : never;
  readonly page?: object;
}

/** A server with connections that all have one stream, and one more stream in the first of them. */
function served({ ids = ["c1", "c2", "c3"], book, page }: ServedOptions = {}) {
  const asked: string[] = [];
  const rig = httpRig(
    { url: URL_OF_SERVER },
    {
      ...(book === undefined ? {} : { book }),
      fetch: async (url) => {
        const { pathname, search } = new URL(String(url));
        asked.push(`${pathname}${search}`);
        const granted = ids.map((connection_id) => ({ connection_id }));
        return Response.json(
          pathname === "/v1/schema"
            ? {
                object: "schema",
                bearer: {},
                connectors: [
                  {
                    connector_key: "mail",
                    streams: [
                      { name: "messages", granted_connections: granted },
                      { name: "labels", granted_connections: granted.slice(0, 1) },
                    ],
                  },
                ],
              }
            : (page ?? { object: "list", data: [], has_more: false }),
        );
      },
    },
  );
  return { rig, asked };
}

function errorOf(answer: ReadAnswer): unknown {
  return answer.ok ? undefined : answer.error;
}

function kept(connections: readonly SourceConnection[], bearer = "mail"): LearnedSource {
  return {
    source: "personal",
    targetHash: targetHash({ base: URL_OF_SERVER, bearer }),
    connections: packConnections(connections),
    learnedAtMs: 5,
  };
}

describe("a read of one stream that names no connection", () => {
  it.each([PAGE, "/v1/streams/messages/records/m1", "/v1/streams/messages/aggregate?metric=count"])(
    "is the same refusal of our own, cold and warm, where several have it: %s",
    async (path) => {
      const { rig, asked } = served();
      const cold = await rig.source().get(requestOf(path));
      expect(errorOf(cold)).toMatchObject({
        code: "ambiguous_connection",
        available_connection_count: 3,
        retry_with: "connection_id",
      });
      expect(await rig.source().get(requestOf(path))).toEqual(cold);
      expect(asked).toEqual(["/v1/schema?view=compact"]);
    },
  );

  it.each([
    "/v1/streams/labels/records?limit=3",
    "/v1/streams/nowhere/records?limit=3",
    `${PAGE}&connection_id=c2`,
    `${PAGE}&connector_instance_id=c2`,
    "/v1/search?q=x",
    "/v1/streams",
  ])("goes to the server where nothing is to be chosen: %s", async (path) => {
    const { rig, asked } = served();
    expect((await rig.source().get(requestOf(path))).ok).toBe(true);
    expect(asked.at(-1)).toBe(path);
  });

  it("is judged by a schema of its stream that was read in the same request", async () => {
    const { rig, asked } = served();
    const source = rig.source();
    await source.get(requestOf("/v1/schema?stream=messages"));
    expect(errorOf(await source.get(requestOf(PAGE)))).toMatchObject({ available_connection_count: 3 });
    expect(asked).toEqual(["/v1/schema?stream=messages"]);
  });

  it("names our own grant where the server names none", async () => {
    const { rig } = served({ book: { grantId: "grt_own" } });
    const source = rig.source();
    expect(errorOf(await source.get(requestOf(PAGE)))).toMatchObject({
      available_connections: ["c1", "c2", "c3"].map((connection_id) => ({
        connection_id,
        connector_key: "mail",
        grant_id: "grt_own",
      })),
    });
    expect(source.describe().connections.map(({ grantId }) => grantId)).toEqual([
      "grt_own",
      "grt_own",
      "grt_own",
    ]);
  });
});

describe("what was kept of a source", () => {
  const two = [connection("c1"), connection("c2")];

  it("names its connections in an isolate that never asked it", () => {
    const { rig, asked } = served({ book: { learned: kept(two) } });
    const { connections, stale } = rig.source().describe();
    expect(connections).toEqual(two.map((each) => ({ ...each, recordsUrl: "http://127.0.0.1:9/v1" })));
    expect(stale).toBe(true);
    expect(asked).toEqual([]);
  });

  it("counts for nothing with another bearer, address or text", () => {
    for (const learned of [
      kept(two, "another"),
      { ...kept(two), targetHash: targetHash({ base: "http://127.0.0.1:8", bearer: "mail" }) },
      { ...kept(two), connections: '[["c1"' },
    ]) {
      expect(served({ book: { learned } }).rig.source().describe().connections).toEqual([]);
    }
  });

  it("is written where a schema tells something else, and only then", async () => {
    const first: LearnedSource[] = [];
    const cold = served({ book: { keep: (each) => first.push(each) } });
    await cold.rig.source().get(requestOf(PAGE));
    expect(first).toHaveLength(1);
    const [learned] = first;
    if (learned === undefined) throw new Error("nothing was kept");
    const again: LearnedSource[] = [];
    const keep = (each: LearnedSource) => again.push(each);
    await served({ book: { keep, learned } }).rig.source().get(requestOf("/v1/schema"));
    await served({ book: { keep, learned } }).rig.source().get(requestOf("/v1/schema?stream=messages"));
    expect(again).toEqual([]);
    await served({ ids: ["c1"], book: { keep, learned } })
      .rig.source()
      .get(requestOf("/v1/schema"));
    expect(again.map(({ connections }) => unpackConnections(connections).length)).toEqual([1]);
    expect(JSON.stringify([first, again])).not.toContain("bearer");
  });

  it("comes back as it was, within its bound, whatever the names", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const arbitrary = fc.array(
      fc.record({
        connectionId: text,
        connectorKey: text,
        grantId: fc.option(text),
        displayName: fc.option(text),
        streams: fc.array(text, { maxLength: 5 }),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(arbitrary, (connections) => {
        expect(unpackConnections(packConnections(connections))).toEqual(connections);
      }),
    );
    fc.assert(fc.property(fc.string(), (any) => Array.isArray(unpackConnections(any))));
  });

  it("goes without streams where there are too many, and without all where there still are", () => {
    const many = (count: number, streams: number) =>
      Array.from({ length: count }, (_, at) =>
        connection(
          `c${at}`,
          Array.from({ length: streams }, (_each, nth) => `stream_${nth}`),
        ),
      );
    const bare = unpackConnections(packConnections(many(100, 100)));
    expect(bare).toHaveLength(100);
    expect(bare.some((each) => "streams" in each)).toBe(false);
    expect(packConnections(many(5_000, 1))).toBe("[]");
  });
});

describe("a package of sources of which one was never asked", () => {
  it("names the candidates that were kept, with their number, and asks nobody", async () => {
    const left = served({ book: { learned: kept([connection("c1"), connection("c2")]) } });
    const right = fakeSource({ kind: "http", connections: [connection("c3")] });
    const source = packageOf([left.rig.source(), right]);
    expect(errorOf(await source.get(requestOf(PAGE)))).toMatchObject({
      code: "ambiguous_connection",
      available_connections: ["c1", "c2", "c3"].map((connection_id) => ({
        connection_id,
        connector_key: "mail",
        grant_id: `grant-${connection_id}`,
      })),
      available_connection_count: 3,
    });
    expect([left.asked, right.asked]).toEqual([[], []]);
    expect(source.describe().uncounted).toBeUndefined();
  });

  it("claims no total where nothing is known of it, and says where to look", async () => {
    const left = served();
    const right = fakeSource({ connections: [connection("c9")] });
    const source = packageOf([left.rig.source(), right]);
    const error = errorOf(await source.get(requestOf(PAGE)));
    expect(error).toMatchObject({ code: "ambiguous_connection", retry_with: "connection_id" });
    expect(memberOf(error, "available_connection_count")).toBeUndefined();
    expect(String(memberOf(error, "discovery_hint"))).toContain("schema");
    expect(source.describe().uncounted).toBe(true);
    expect(left.asked).toEqual([]);
  });
});

describe("a list longer than the limit", () => {
  const rows = Array.from({ length: 500 }, (_, at) => ({ id: `m${at}` }));
  const page = {
    object: "list",
    data: rows,
    has_more: false,
    next_cursor: "behind-all",
    next_changes_since: "behind-all",
    links: { self: "/v1", next: "/v1?cursor=behind-all" },
    meta: { warnings: [{ code: "theirs", message: "theirs" }] },
  };
  const named = "/v1/streams/messages/records?connection_id=c1";

  it.each([
    ["&limit=5", 5],
    ["&limit=100", 100],
    ["&limit=400", 400],
  ])("is cut to it, with a warning and no cursor that would pass over the rest: %s", async (query, count) => {
    const answer = await served({ page })
      .rig.source()
      .get(requestOf(`${named}${query}`));
    const body = answer.ok ? answer.body : undefined;
    const data = memberOf(body, "data");
    expect(isJsonArray(data) && data.length).toBe(count);
    expect(body).toMatchObject({
      has_more: true,
      links: { self: "/v1", next: null },
      meta: { warnings: [{ code: "theirs" }, { code: "partial_results" }] },
    });
    expect(JSON.stringify(body)).not.toContain("behind-all");
  });

  it.each(["", "&limit=500x", "&limit=0", "&limit=-1", "&limit=500", "&limit=100000"])(
    "is left where none was asked for, or as many: %j",
    async (query) => {
      const answer = await served({ page })
        .rig.source()
        .get(requestOf(`${named}${query}`));
      expect(answer.ok ? answer.body : undefined).toEqual(page);
    },
  );

  it("is no list of anything else", async () => {
    const hits = await served({ page }).rig.source().get(requestOf("/v1/search?q=x&limit=5"));
    expect(hits.ok ? hits.body : undefined).toEqual(page);
  });
});
