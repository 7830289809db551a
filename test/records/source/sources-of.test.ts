import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import { openSources, type GrantedSources } from "../../../src/records/source/sources-of.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import { connection, fakeSource, freshSeal, requestOf } from "../../support/records/read-sources.ts";

const CONFIG = {
  records: {
    sources: [{ kind: "d1" }, { kind: "http", name: "personal", url: "https://rs.example", token_env: "T" }],
  },
};
const COVERAGE: Coverage = { holder: { kind: "client", tokenId: "t", grantId: "g" }, feeds: [] };
const embedded = (...ids: readonly string[]) => ids.map((grantId) => ({ grantId, coverage: COVERAGE }));
const external = (...names: readonly string[]) => names.map((source) => ({ grantId: `g-${source}`, source }));

async function opened(
  granted: Omit<GrantedSources, "holder">,
  config: object = CONFIG,
  variables: { readonly T?: string | undefined } = { T: "bearer" },
) {
  const parsed = parseConfig(JSON.stringify(config));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reason));
  const logged: string[] = [];
  const source = openSources(
    parsed.value,
    { holder: COVERAGE.holder, ...granted },
    {
      embedded: () => fakeSource({ connections: [connection("c0")] }),
      fetch: () => Promise.reject(new Error("nothing is reached here")),
      buffers: createBufferBudget(1, () => 0),
      allowLoopback: false,
      lookup: (name) => (name === "T" ? variables.T : undefined),
      seal: await freshSeal(),
      now: () => 0,
      log: (line) => logged.push(line),
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

  it.each([undefined, "", " ", "secret-one secret-two", "secret\nlines"])(
    "say to the operator alone what is wrong with a bearer: %j",
    async (token) => {
      const { source, logged } = await opened({ embedded: [], external: external("personal") }, CONFIG, {
        T: token,
      });
      const answer = await source?.get(requestOf("/v1/schema"));
      expect(answer).toMatchObject({ ok: false, error: { code: "source_unavailable" } });
      expect(logged.join()).toContain("records.sources.personal.token_env");
      const words = (token ?? "").split(/\s/).filter((word) => word !== "");
      expect(words.filter((word) => logged.join().includes(word))).toEqual([]);
    },
  );
});
