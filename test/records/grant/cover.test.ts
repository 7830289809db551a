import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import seed from "../../fixtures/records/seed.json" with { type: "json" };
import { MANIFEST_CACHE_MAX_COUNT } from "../../../src/limits/records.ts";
import {
  coverEverything,
  coverGrants,
  type FeedRow,
  type GrantRow,
  type LoadedManifest,
} from "../../../src/records/grant/cover.ts";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { readManifestTexts } from "../../../src/records/grant/read-manifest-texts.ts";

const loaded = seed.manifests.map((manifest): [string, LoadedManifest] => {
  const read = readManifestTexts(JSON.stringify(manifest), '{"messages":{"size":"n1"}}');
  if (read === undefined) throw new Error("the fixture's manifest is read");
  return [read.manifest.connectorKey, read];
});
const manifests = new Map(loaded.toSorted(([left], [right]) => (left < right ? -1 : 1)));
const rows = [...manifests].flatMap(([connectorKey, { manifest }], connector) =>
  [...manifest.streams.keys()].map((stream, index): FeedRow => ({
    feedId: connector * 10 + index,
    connectionId: `${connectorKey}-1`,
    connectorKey,
    displayName: null,
    stream,
  })),
);
const client = { tokenId: "t", kind: "client" } as const;
const feeds = { rows, manifests };
const everything = { fields: null, resources: null, since: null, until: null };
const everythingOf = (name: string) => ({ name, ...everything });
const [mailKey = ""] = manifests.keys();

function grant(id: string, connectionId: string, more: Partial<GrantRow> = {}): GrantRow {
  return {
    id,
    packageId: null,
    connectionId,
    source: null,
    streams: [everythingOf("messages")],
    isRevoked: false,
    ...more,
  };
}

describe("what grants cover", () => {
  it("is nothing where there is no grant, and something else where all are revoked", () => {
    expect(coverGrants(client, [], feeds)).toEqual({ standing: "no_grant" });
    expect(coverGrants({ tokenId: "t", kind: "package" }, [], feeds)).toMatchObject({
      standing: "covered",
      whole: { holder: { kind: "package" }, feeds: [] },
    });
    expect(coverGrants(client, [grant("g", `${mailKey}-1`, { isRevoked: true })], feeds)).toEqual({
      standing: "grants_revoked",
    });
  });

  it("is what a grant names and nothing beside it", () => {
    const access = coverGrants(client, [grant("g", `${mailKey}-1`)], feeds);
    expect(access.standing === "covered" && access.whole.feeds).toMatchObject([
      { connectionId: `${mailKey}-1`, grantId: "g", stream: { name: "messages" }, fields: null },
    ]);
    expect(access.standing === "covered" && access.whole.feeds[0]?.slots.get("size")).toBe("n1");
  });

  it("narrows by fields, records and times as they were granted", () => {
    const narrow = { name: "messages", fields: ["id"], resources: ["m1"], since: "2026", until: "2027" };
    const access = coverGrants(client, [grant("g", `${mailKey}-1`, { streams: [narrow] })], feeds);
    expect(access.standing === "covered" && access.whole.feeds[0]).toMatchObject({
      fields: new Set(["id"]),
      resources: ["m1"],
      since: "2026",
      until: "2027",
    });
  });

  it("is no stream that the manifest no longer has, and no connection that is gone", () => {
    const gone = [grant("g", `${mailKey}-1`, { streams: [everythingOf("gone")] }), grant("h", "gone")];
    const access = coverGrants(client, gone, feeds);
    expect(access.standing === "covered" && access.whole.feeds).toEqual([]);
  });

  it("keeps members of a package apart, and a source of the configuration beside them", () => {
    const keys = [...manifests.keys()];
    const grants = [
      ...keys.map((key) => grant(`g-${key}`, `${key}-1`, { packageId: "p" })),
      grant("s", "", { packageId: "p", connectionId: null, source: "personal", streams: [] }),
    ];
    const access = coverGrants(client, grants, feeds);
    expect(access).toMatchObject({
      whole: { holder: { kind: "package", packageId: "p" } },
      embedded: keys.map((key) => ({ grantId: `g-${key}`, coverage: { holder: { kind: "client" } } })),
      external: [{ grantId: "s", source: "personal" }],
    });
  });

  it("of a package stands in the order of connectors and connections, whatever the ids of the grants are", () => {
    const two = rows.flatMap((row) =>
      ["-1", "-2"].map((suffix, at) =>
        Object.assign({}, row, {
          feedId: row.feedId * 2 + at,
          connectionId: `${row.connectorKey}${suffix}`,
        }),
      ),
    );
    const connections = [...manifests.keys()].flatMap((key) => [`${key}-1`, `${key}-2`]);
    fc.assert(
      fc.property(fc.shuffledSubarray(connections, { minLength: connections.length }), (shuffled) => {
        const grants = shuffled.map((id, at) => grant(`g${at}`, id, { packageId: "p" }));
        const access = coverGrants(client, grants, { rows: two, manifests });
        const embedded = access.standing === "covered" ? access.embedded : [];
        expect(embedded.map(({ coverage }) => coverage.feeds[0]?.connectionId)).toEqual(connections);
      }),
    );
  });

  it("is everything for the owner, under no grant", () => {
    const access = coverEverything("t", feeds);
    expect(access.standing === "covered" && access.whole.feeds.map(({ feedId }) => feedId)).toEqual(
      rows.map(({ feedId }) => feedId),
    );
    expect(access.standing === "covered" && access.whole.feeds.every(({ grantId }) => grantId === null)).toBe(
      true,
    );
  });

  it("is the same in the same order, however the rows come", () => {
    const grants = [...manifests.keys()].map((key) =>
      grant(key, `${key}-1`, {
        packageId: "p",
        streams: [...(manifests.get(key)?.manifest.streams.keys() ?? [])].map(everythingOf),
      }),
    );
    const expected = coverGrants(client, grants, feeds);
    fc.assert(
      fc.property(fc.shuffledSubarray([...rows], { minLength: rows.length }), (shuffled) => {
        expect(coverGrants(client, grants, { rows: shuffled, manifests })).toEqual(expected);
      }),
    );
  });

  it("of a revoked grant is gone and the rest stays, whichever it is", () => {
    const grants = [...manifests.keys()].map((key) => grant(key, `${key}-1`, { packageId: "p" }));
    fc.assert(
      fc.property(fc.subarray(grants), (revoked) => {
        const now = grants.map((one) => grant(one.id, `${one.id}-1`, { isRevoked: revoked.includes(one) }));
        const access = coverGrants(client, now, feeds);
        const ids = access.standing === "covered" ? access.whole.feeds.map(({ grantId }) => grantId) : [];
        expect(ids).toEqual(now.filter(({ isRevoked }) => !isRevoked).map(({ id }) => id));
      }),
    );
  });
});

describe("manifests that an isolate remembers", () => {
  const [entry] = loaded;
  const version = (index: number) => ({ connectorKey: "k", hash: `h${index}`, loadedAtMs: 1 });

  it("are those of one very version", () => {
    const cache = new ManifestCache();
    if (entry !== undefined) cache.set(version(1), entry[1]);
    expect(cache.get(version(1))).toBe(entry?.[1]);
    expect(cache.get({ ...version(1), loadedAtMs: 2 })).toBeUndefined();
    expect(cache.get(version(2))).toBeUndefined();
  });

  it("are bounded: what was used longest ago gives way", () => {
    const cache = new ManifestCache();
    for (let index = 0; index <= MANIFEST_CACHE_MAX_COUNT; index += 1) {
      if (entry !== undefined) cache.set(version(index), entry[1]);
      cache.get(version(0));
    }
    expect(cache.get(version(0))).toBeDefined();
    expect(cache.get(version(1))).toBeUndefined();
    expect(cache.get(version(2))).toBeDefined();
  });
});
