import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import seed from "../../fixtures/records/seed.json" with { type: "json" };
import { memberOf, isJsonArray } from "../../../src/json.ts";
import { unknownMembers } from "../../../src/records/manifest/unknown-members.ts";

describe("members of a manifest that nothing knows", () => {
  it("are named where they stand", () => {
    const manifest = {
      connector_key: "notes",
      descripton: "",
      streams: [
        {
          name: "notes",
          primary_keys: ["id"],
          x_own: 1,
          schema: { properties: { id: { type: "string", tpye: 1 } }, anything: true },
          relationships: [{ name: "parts", foreignkey: "id" }],
          views: [{ id: "short", field: [] }],
          query: {
            aggregation: {},
            search: { lexical: [] },
            aggregations: { average: [] },
            expand: [{ name: "parts", limit: 3 }],
          },
        },
      ],
    };
    expect(unknownMembers(manifest)).toEqual([
      "/descripton",
      "/streams/0/primary_keys",
      "/streams/0/relationships/0/foreignkey",
      "/streams/0/views/0/field",
      "/streams/0/query/aggregation",
      "/streams/0/query/search/lexical",
      "/streams/0/query/aggregations/average",
      "/streams/0/query/expand/0/limit",
    ]);
  });

  it("are none in published manifests", () => {
    const manifests = memberOf(seed, "manifests");
    expect(isJsonArray(manifests) && manifests.length).toBe(2);
    expect((isJsonArray(manifests) ? manifests : []).flatMap(unknownMembers)).toEqual([]);
  });

  it("are looked for in anything without a throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(unknownMembers(value).every((path) => path.startsWith("/"))).toBe(true);
        expect(unknownMembers({ streams: [value] }).every((path) => path.startsWith("/streams/0/"))).toBe(
          true,
        );
      }),
    );
  });
});
