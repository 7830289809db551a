import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import { httpRecordSources } from "../../../src/config-records-schema.ts";
import { httpSourceTarget } from "../../../src/records/source/http-target.ts";
import { learnSources, openSources, type GrantedSources } from "../../../src/records/source/sources-of.ts";
import { type LearnedSource, unpackConnections } from "../../../src/records/source/learned-source.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import { connection, fakeSource, freshSeal, requestOf } from "../../support/records/read-sources.ts";

const CONFIG = {
  records: {
    sources: [{ kind: "d1" }, { kind: "http", name: "personal", url: "https://rs.example", token_env: "T" }],
  },
};
const PARSED = parseConfig(JSON.stringify(CONFIG));
const HTTP = PARSED.ok ? httpRecordSources(PARSED.value) : [];
const COVERAGE: Coverage = { holder: { kind: "client", tokenId: "t", grantId: "g" }, feeds: [] };
const embedded = (...ids: readonly string[]) => ids.map((grantId) => ({ grantId, coverage: COVERAGE }));
const external = (...names: readonly string[]) => names.map((source) => ({ grantId: `g-${source}`, source }));

async function opened(
  granted: Omit<GrantedSources, "holder" | "learned"> & Partial<Pick<GrantedSources, "holder" | "learned">>,
  config: object = CONFIG,
  variables: ReadonlyMap<string, string> = new Map([["T", "bearer"]]),
) {
  const parsed = parseConfig(JSON.stringify(config));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reason));
  const logged: string[] = [];
  const source = openSources(
    parsed.value,
    { holder: COVERAGE.holder, learned: [], ...granted },
    {
      embedded: () => fakeSource({ connections: [connection("c0")] }),
      fetch: () => Promise.reject(new Error("nothing is reached here")),
      buffers: createBufferBudget(1, () => 0),
      allowLoopback: false,
      lookup: (name) => variables.get(name),
      seal: await freshSeal(),
      now: () => 0,
      log: (line) => logged.push(line),
      keep: () => undefined,
    },
  );
  return { source, logged };
}

describe("the sources of a bearer", () => {
  it.each([
    ["nothing without a grant", [], [], undefined],
    ["the embedded server alone", embedded("g1"), [], "d1"],
    ["an external one alone", [], external("personal"), "http"],
    ["both as one", embedded("g1"), external("personal"), "package"],
    ["several grants as one", embedded("g1", "g2"), [], "package"],
    ["one, however many grants name it", [], external("personal", "personal"), "http"],
    ["no source that the configuration does not have", [], external("gone"), undefined],
  ] as const)("are %s", async (_what, left, right, kind) => {
    const { source } = await opened({ embedded: left, external: right });
    expect(source?.describe().kind).toBe(kind);
  });

  it("of a package with nothing in it yet are the embedded server, of which it reads nothing", async () => {
    const holder = { kind: "package", tokenId: "t", packageId: "t" } as const;
    const { source } = await opened({ holder, embedded: [], external: [] });
    expect(source?.describe().kind).toBe("d1");
  });

  it("are not the embedded server where the configuration has only others", async () => {
    const { source } = await opened(
      { embedded: embedded("g1"), external: [] },
      { records: { sources: CONFIG.records.sources.slice(1) } },
    );
    expect(source).toBeUndefined();
  });

  it("are the embedded server where the configuration says nothing", async () => {
    const { source } = await opened({ embedded: embedded("g1"), external: external("personal") }, {});
    expect(source?.describe().kind).toBe("d1");
  });

  it.each([
    ["lg_owner_abc_def", {}],
    ["lg_operator_abc_def", {}],
    [" lg_owner_abc_def ", {}],
    ["operators-own", { OPERATOR_TOKEN: "operators-own" }],
    ["the-key", { LOOMGATE_KEY: "the-key" }],
    ["the-old-key", { LOOMGATE_KEY_PREVIOUS: "the-old-key" }],
  ])("are not asked with a bearer that is our own and no client's: %s", async (token, secrets) => {
    const variables = new Map(Object.entries({ T: token, ...secrets }));
    const [source] = HTTP;
    if (source === undefined) throw new Error("no source");
    const target = httpSourceTarget(source, (name) => variables.get(name), { allowLoopback: false });
    expect(target).toMatchObject({ ok: false, reason: [{ key: "records.sources.personal.token_env" }] });
    expect(JSON.stringify(target)).not.toContain(token.trim());
    const { source: refused } = await opened(
      { embedded: [], external: external("personal") },
      CONFIG,
      variables,
    );
    expect(await refused?.get(requestOf("/v1/schema"))).toMatchObject({
      error: { code: "source_unavailable" },
    });
  });

  it.each(["lg_client_abc_def", "lg_package_abc_def", "lg-owner"])(
    "are asked with a client's: %s",
    (token) => {
      const [source] = HTTP;
      if (source === undefined) throw new Error("no source");
      const lookup = (name: string) => (name === "T" ? token : "another");
      expect(httpSourceTarget(source, lookup, { allowLoopback: false })).toMatchObject({ ok: true });
    },
  );

  it.each([undefined, "", " ", "secret-one secret-two", "secret\nlines"])(
    "say to the operator alone what is wrong with a bearer: %j",
    async (token) => {
      const { source, logged } = await opened(
        { embedded: [], external: external("personal") },
        CONFIG,
        new Map(token === undefined ? [] : [["T", token]]),
      );
      const answer = await source?.get(requestOf("/v1/schema"));
      expect(answer).toMatchObject({ ok: false, error: { code: "source_unavailable" } });
      expect(logged.join()).toContain("records.sources.personal.token_env");
      const words = (token ?? "").split(/\s/).filter((word) => word !== "");
      expect(words.filter((word) => logged.join().includes(word))).toEqual([]);
    },
  );
});

describe("the sources of a bearer that was just made", () => {
  const schema = {
    bearer: { token_kind: "client" },
    connectors: [
      {
        connector_key: "mail",
        streams: [{ name: "messages" }],
        granted_connections: [{ connection_id: "c1" }, { connection_id: "c2" }],
      },
    ],
  };

  it("are learnt in one call each, and kept as what they are", async () => {
    const asked: string[] = [];
    const told: LearnedSource[] = [];
    await learnFrom((url) => {
      asked.push(url);
      return Promise.resolve(Response.json(schema));
    }, told);
    expect(asked).toEqual(["https://rs.example/v1/schema?view=compact"]);
    expect(told.map(({ source, connections }) => [source, unpackConnections(connections)])).toEqual([
      [
        "personal",
        ["c1", "c2"].map((connectionId) => ({
          connectionId,
          connectorKey: "mail",
          grantId: null,
          displayName: null,
          streams: ["messages"],
        })),
      ],
    ]);
    expect(JSON.stringify(told)).not.toContain("bearer-1");
  });

  it("hold nothing up where they are down", async () => {
    const told: LearnedSource[] = [];
    await learnFrom(() => Promise.reject(new Error("down")), told);
    await learnFrom(() => Promise.resolve(new Response("<html>", { status: 502 })), told);
    expect(told).toEqual([]);
  });

  async function learnFrom(answer: (url: string) => Promise<Response>, told: LearnedSource[]): Promise<void> {
    if (!PARSED.ok) throw new Error("no configuration");
    await learnSources(
      PARSED.value,
      { external: external("personal") },
      {
        fetch: (url) => answer(String(url)),
        buffers: createBufferBudget(8 * 1024 * 1024, () => 0),
        allowLoopback: false,
        lookup: (name) => (name === "T" ? "bearer-1" : undefined),
        now: () => 0,
        log: () => undefined,
        keep: (each) => told.push(each),
      },
    );
  }
});
