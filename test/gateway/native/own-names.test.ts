import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalUri } from "../../../src/gateway/primitives/uri-spellings.ts";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { fakeCatalog, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { bothSurfaces } from "./both-surfaces.ts";

const SERVER_NAMES = ["docs", "files", "notes"] as const;
const TEXTS = [
  "x://1",
  "x://gone",
  "loomgate://docs/x://1",
  "loomgate://files/x://gone",
  "loomgate://nobody/x://1",
  "LOOMGATE://docs/x://1",
  "loomgate:x",
  " loomgate://docs/x://1",
];
const TEMPLATES = [
  "{+uri}",
  "{scheme}://{+rest}",
  "x://{id}",
  "loomgate://docs/{+uri}",
  "loomgate:{+rest}",
  "loom{+rest}",
  " {+rest}",
];
const namespace = fc.constantFrom(...SERVER_NAMES);
const resource = fc.record({ namespace, uri: fc.constantFrom(...TEXTS) });
const templated = fc.record({ namespace, uriTemplate: fc.constantFrom(...TEMPLATES) });
const scope = fc.constantFrom("*", "docs:*", "files:*", "notes:*", "resource::notes:*");
const prefix = fc.constantFrom(
  ...SERVER_NAMES.map((name) => `loomgate://${name}/`),
  "loomgate://nobody/",
  "loomgate://DOCS/",
  "LoomGate://docs/",
  "loomgate:",
  "loomgate:/",
  "loomgate://",
  "loomgate:///",
);
const unique = <Entry extends FakeResource>(entries: fc.Arbitrary<Entry>) =>
  fc.uniqueArray(entries, {
    selector: ({ namespace: server, uri, uriTemplate }) => JSON.stringify([server, uri, uriTemplate]),
    maxLength: 8,
  });

describe("a native URI", () => {
  it("goes to the server that it names or nowhere, whatever others list and whoever asks", async () => {
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(
        unique(resource),
        unique(templated),
        fc.array(scope, { minLength: 1, maxLength: 3 }),
        prefix,
        fc.constantFrom(...TEXTS, ""),
        async (resources, templates, scopes, start, rest) => {
          const caller = fakeCaller();
          const sees = visibilityOf(scopes);
          const surface = bothSurfaces(
            {
              catalog: fakeCatalog({ resources, templates }),
              answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }),
            },
            { ...caller, context: { ...caller.context, sees } },
          );
          const uri = start + rest;
          await surface.read(uri);
          const named = /^loomgate:\/\/([a-z]+)\/./s.exec(uri.replace(/^LoomGate/, "loomgate"))?.[1];
          const servers = surface.calls.map(({ server }) => server);
          expect(servers.filter((server) => server !== named)).toEqual([]);
          // A server that is hidden from the caller is asked for nothing.
          expect(servers.every((server) => sees(`resource::${server}:x`))).toBe(true);
          // One that is listed is read by its own text.
          for (const { request } of surface.calls)
            expect(normalUri(String(memberOf(request.params, "uri")))).toBe(
              normalUri(uri.slice(uri.indexOf("/", 11) + 1)),
            );
          reached += servers.length;
        },
      ),
      { numRuns: 400 },
    );
    expect(reached).toBeGreaterThan(50);
  });

  it.each([
    "loomgate://files/gone://x",
    "loomgate://nobody/x://1",
    "loomgate:x",
    "LOOMGATE://files/gone://x",
  ])("is no other server's by a catch-all or a list: %s", async (uri) => {
    const resources = [
      { namespace: "docs", uri },
      { namespace: "files", uri: "x://1", name: "one" },
    ];
    const templates = [{ namespace: "docs", uriTemplate: "{+uri}", name: "any" }];
    const caller = fakeCaller({ sees: (id) => !id.startsWith("resource::files:") });
    const surface = bothSurfaces({ catalog: fakeCatalog({ resources, templates }) }, caller);
    expect(await surface.read(uri)).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    expect(surface.calls).toEqual([]);
  });
});
