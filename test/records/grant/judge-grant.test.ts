import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import seed from "../../fixtures/records/seed.json" with { type: "json" };
import { GRANT_MEMBERS_MAX_COUNT, GRANT_RESOURCES_MAX_COUNT } from "../../../src/limits/records.ts";
import { readGrantedStreams } from "../../../src/records/grant/granted-stream.ts";
import { type GrantAsk, judgeGrant } from "../../../src/records/grant/judge-grant.ts";
import type { ConnectorManifest } from "../../../src/records/manifest/manifest.ts";
import { readManifestTexts } from "../../../src/records/grant/read-manifest-texts.ts";
import { readManifest } from "../../../src/records/manifest/read-manifest.ts";

const manifests = seed.manifests.map((manifest): ConnectorManifest => {
  const read = readManifest(manifest);
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  return read.value;
});
const [mail] = manifests;
if (mail === undefined) throw new Error("the fixture has a manifest");

/** A connector with a stream of which no time of consent is known, and with a stream and fields of hostile names. */
const odd = readManifestTexts(
  `{"connector_key":"odd","streams":[
    {"name":"timeless","primary_key":["id"],"schema":{"type":"object","properties":{"id":{"type":"string"}}}},
    {"name":"__proto__","primary_key":["id"],"schema":{"type":"object","required":["id"],
      "properties":{"id":{"type":"string"},"__proto__":{"type":"string"},"z":{"type":"string"}}}}]}`,
  "{}",
)?.manifest;
if (odd === undefined) throw new Error("streams may have any name");

const grantable = {
  connections: new Map([
    ["mail-1", mail],
    ["odd-1", odd],
  ]),
  sources: new Set(["personal"]),
};

function ask(streams: GrantAsk["connections"][number]["streams"], more: Partial<GrantAsk> = {}): GrantAsk {
  return { connections: [{ connectionId: "mail-1", streams }], sources: [], ...more };
}

function problemsOf(wanted: GrantAsk): readonly string[] {
  const judged = judgeGrant(wanted, grantable);
  return judged.ok ? [] : judged.reason;
}

describe("a request for a grant", () => {
  it("names every stream that there is now where it says *", () => {
    const judged = judgeGrant(ask([{ name: "*" }]), grantable);
    expect(judged.ok && judged.value[0]?.streams.map(({ name }) => name)).toEqual([...mail.streams.keys()]);
  });

  it("keeps what the schema requires in a narrow choice of fields, in the manifest's order", () => {
    const judged = judgeGrant(
      ask([{ name: "messages", fields: ["sent_at", "sender", "sender"] }]),
      grantable,
    );
    expect(judged.ok && judged.value[0]?.streams).toEqual([
      { name: "messages", fields: ["id", "sender", "sent_at"], resources: null, since: null, until: null },
    ]);
  });

  it("keeps times in the canonical form", () => {
    const judged = judgeGrant(
      ask([{ name: "messages" }], { since: "2026-01-01T01:00:00+01:00", until: "2026-02-01" }),
      grantable,
    );
    expect(judged.ok && judged.value[0]?.streams[0]).toMatchObject({
      since: "2026-01-01T00:00:00",
      until: "2026-02-01T00:00:00",
    });
  });

  it("makes one grant a connection or source, in their order", () => {
    const judged = judgeGrant(ask([{ name: "*" }], { sources: ["personal"] }), grantable);
    expect(judged.ok && judged.value.map(({ connectionId, source }) => connectionId ?? source)).toEqual([
      "mail-1",
      "personal",
    ]);
  });

  it.each<[string, GrantAsk]>([
    ["name at least one connection or source", { connections: [], sources: [] }],
    [
      "there is no such connection",
      { connections: [{ connectionId: "x", streams: [{ name: "*" }] }], sources: [] },
    ],
    [
      "there is no such connection",
      { connections: [{ connectionId: "__proto__", streams: [{ name: "*" }] }], sources: [] },
    ],
    ["there is no such source", { connections: [], sources: ["x"] }],
    ["is named twice", { connections: [], sources: ["personal", "personal"] }],
    [
      "is named twice",
      {
        connections: [...ask([{ name: "*" }]).connections, ...ask([{ name: "*" }]).connections],
        sources: [],
      },
    ],
    ["is named twice", ask([{ name: "*" }, { name: "messages" }])],
    ["name at least one stream", ask([])],
    ["has no stream", ask([{ name: "nope" }])],
    ["has no stream", ask([{ name: "constructor" }])],
    ["name at least one field", ask([{ name: "messages", fields: [] }])],
    ["has no field", ask([{ name: "messages", fields: ["__proto__"] }])],
    ["not to *", ask([{ name: "*", fields: ["id"] }])],
    ["name at least one record", ask([{ name: "messages", resources: [] }])],
    ["is no record's key", ask([{ name: "messages", resources: [""] }])],
    ["is no record's key", ask([{ name: "messages", resources: ["a\0"] }])],
    ["is no record's key", ask([{ name: "messages", resources: ["\ud800"] }])],
    ["is no record's key", ask([{ name: "messages", resources: ["𐀀".repeat(513)] }])],
    [
      `at most ${GRANT_RESOURCES_MAX_COUNT} records`,
      ask([
        {
          name: "messages",
          resources: Array.from({ length: GRANT_RESOURCES_MAX_COUNT + 1 }, (_, index) => `m${index}`),
        },
      ]),
    ],
    [
      "bytes of streams",
      ask([
        {
          name: "messages",
          resources: Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(200, "x")),
        },
      ]),
    ],
    ["since is a time", ask([{ name: "messages" }], { since: "yesterday" })],
    ["since is not before until", ask([{ name: "messages" }], { since: "2026-02-01", until: "2026-02-01" })],
    ["a source is granted as a whole", { connections: [], sources: ["personal"], since: "2026-01-01" }],
    [
      "has no consent time",
      {
        connections: [{ connectionId: "odd-1", streams: [{ name: "*" }] }],
        sources: [],
        since: "2026-01-01",
      },
    ],
    [
      `at most ${GRANT_MEMBERS_MAX_COUNT} connections`,
      {
        connections: [],
        sources: Array.from({ length: GRANT_MEMBERS_MAX_COUNT + 1 }, (_, index) => `s${index}`),
      },
    ],
  ])("is refused with what would mend it: %s", (problem, wanted) => {
    expect(problemsOf(wanted).join("\n")).toContain(problem);
  });

  it("takes a key of 512 code points, whatever they are", () => {
    expect(problemsOf(ask([{ name: "messages", resources: ["𐀀".repeat(512), "a/b", "..", " "] }]))).toEqual(
      [],
    );
  });

  it("takes streams and fields of any name", () => {
    const wanted = {
      connections: [{ connectionId: "odd-1", streams: [{ name: "__proto__", fields: ["__proto__"] }] }],
      sources: [],
    };
    const judged = judgeGrant(wanted, grantable);
    expect(judged.ok && judged.value[0]?.streams[0]).toMatchObject({ fields: ["id", "__proto__"] });
  });
});

const anyText = fc.string({ unit: "binary" });
const mostly = (good: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...good), weight: 15 }, { arbitrary: anyText, weight: 1 });
const anyStream = fc.record(
  {
    name: mostly(["messages", "threads"]),
    fields: fc.array(mostly(["id"]), { minLength: 1, maxLength: 3 }),
    resources: fc.array(mostly(["m1", "a/b"]), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["name"] },
);
const anyAsk: fc.Arbitrary<GrantAsk> = fc.record(
  {
    connections: fc.array(
      fc.record({
        connectionId: mostly(["mail-1"]),
        streams: fc.oneof(
          fc.constant([{ name: "*" }]),
          fc.uniqueArray(anyStream, { selector: ({ name }) => name, minLength: 1, maxLength: 2 }),
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    sources: fc.array(mostly(["personal"]), { maxLength: 1 }),
    since: mostly(["2026-01-01"]),
    until: mostly(["2026-02-01T00:00:00.5+02:00"]),
  },
  { requiredKeys: ["connections", "sources"] },
);

/** What a judgement gave beyond what was asked for and what schemas require. */
function overreach(wanted: GrantAsk): readonly string[] {
  const judged = judgeGrant(wanted, grantable);
  return (judged.ok ? judged.value : []).flatMap(({ connectionId, streams }) => {
    const asked = wanted.connections.find((connection) => connection.connectionId === connectionId);
    const manifest = grantable.connections.get(connectionId ?? "");
    return streams.flatMap(({ name, fields, resources }) => {
      const stream = asked?.streams.find((candidate) => candidate.name === name || candidate.name === "*");
      if (stream === undefined) return [`stream ${name}`];
      if ((stream.fields === undefined) !== (fields === null)) return [`all or some fields of ${name}`];
      if ((stream.resources === undefined) !== (resources === null)) return [`all or some of ${name}`];
      const declared = manifest?.streams.get(name)?.fields;
      return [
        ...(fields ?? []).filter(
          (field) => stream.fields?.includes(field) !== true && declared?.get(field)?.required !== true,
        ),
        ...(resources ?? []).filter((key) => stream.resources?.includes(key) !== true),
      ];
    });
  });
}

describe("any request for a grant", () => {
  it("is judged without a throw, and what is granted was asked for or is required", () => {
    fc.assert(
      fc.property(anyAsk, (wanted) => {
        expect(overreach(wanted)).toEqual([]);
      }),
    );
  });

  it("is refused in words or granted whole: a grant for each connection and source", () => {
    fc.assert(
      fc.property(anyAsk, (wanted) => {
        const judged = judgeGrant(wanted, grantable);
        const told = judged.ok ? judged.value.length : judged.reason.length;
        expect(told).toBeGreaterThan(0);
        expect(judged.ok && told !== wanted.connections.length + wanted.sources.length).toBe(false);
      }),
    );
  });

  it("is granted often enough for these properties to say something", () => {
    const granted = fc
      .sample(anyAsk, { numRuns: 200, seed: 1 })
      .filter((wanted) => judgeGrant(wanted, grantable).ok);
    expect(granted.length).toBeGreaterThan(20);
  });

  it("comes back from its stored text as it was granted", () => {
    fc.assert(
      fc.property(anyAsk, (wanted) => {
        const judged = judgeGrant(wanted, grantable);
        for (const { streams } of judged.ok ? judged.value : []) {
          expect(readGrantedStreams(JSON.stringify(streams))).toEqual(streams);
        }
      }),
    );
  });
});

describe("a stored grant", () => {
  it.each([
    "",
    "{",
    "null",
    "[1]",
    '[{"name":"messages"}]',
    '[{"name":"messages","fields":[1],"resources":null,"since":null,"until":null}]',
    '[{"name":"messages","fields":"*","resources":null,"since":null,"until":null}]',
  ])("that cannot be read grants nothing: %s", (text) => {
    expect(readGrantedStreams(text)).toEqual([]);
  });
});
