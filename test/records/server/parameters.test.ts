import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAtCodePoint } from "../../../src/code-points.ts";
import { limitOf, parseParameters, type ParameterNames } from "../../../src/records/server/parameters.ts";
import { listLinks } from "../../../src/records/server/answer.ts";

const NAMES: ParameterNames = {
  one: ["limit", "cursor"],
  list: ["fields"],
  keyed: ["filter"],
  connection: true,
};

function parse(query: readonly (readonly [string, string])[], names = NAMES) {
  return parseParameters({ path: ["records"], query }, names);
}

function parsed(query: readonly (readonly [string, string])[]) {
  const read = parse(query);
  if (!read.ok) throw new Error(read.reason.message);
  return read.value;
}

describe("the parameters of a request", () => {
  it("are refused by name where the operation does not take them, whatever they are called", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (name, value) => {
        const known = ["limit", "cursor", "fields", "fields[]", "connection_id", "connector_instance_id"];
        fc.pre(!known.includes(name) && !/^filter\[[^\]]*\](?:\[[^[\]]*\])?$/.test(name));
        const read = parse([[name, value]]);
        const shown: unknown = expect.stringContaining(cutAtCodePoint(name, 200));
        expect(read).toMatchObject({ ok: false, reason: { code: "invalid_request", message: shown } });
      }),
    );
  });

  it("take a list in every form and in its order, without what is said twice", () => {
    const { parameters } = parsed([
      ["fields", "b,a"],
      ["fields[]", "c"],
      ["fields", "a,,b"],
      ["fields[]", "a,b"],
      ["fields[]", ""],
    ]);
    // A name in brackets is one, whatever is in it.
    expect(parameters.list("fields")).toEqual(["b", "a", "c", "a,b"]);
    expect(parsed([]).parameters.list("fields")).toBeUndefined();
  });

  it("keep what stands in brackets apart from the name", () => {
    const { parameters } = parsed([
      ["filter[size][gte]", "5"],
      ["filter[__proto__]", "x"],
      ["filter[]", ""],
    ]);
    expect(parameters.keyed("filter")).toMatchObject([
      { name: "filter[size][gte]", key: "size", operator: "gte", value: "5" },
      { key: "__proto__", operator: null, value: "x" },
      { key: "", operator: null, value: "" },
    ]);
  });

  it("may not say one thing twice", () => {
    for (const name of ["limit", "filter[a]", "connection_id"]) {
      const read = parse([
        [name, "1"],
        [name, "1"],
      ]);
      expect(read).toMatchObject({ ok: false, reason: { code: "invalid_request", param: name } });
    }
  });

  it("name the connection by either name, and by both where they agree", () => {
    expect(parsed([["connection_id", "c"]])).toMatchObject({ connectionId: "c", warnings: [] });
    const both = parsed([
      ["connection_id", "c"],
      ["connector_instance_id", "c"],
    ]);
    expect(both).toMatchObject({ connectionId: "c", warnings: [{ code: "deprecated_alias_used" }] });
    const apart = parse([
      ["connection_id", "c"],
      ["connector_instance_id", "d"],
    ]);
    expect(apart).toMatchObject({ ok: false, reason: { code: "invalid_argument" } });
  });
});

describe("a limit", () => {
  it("is a page of 1 to 100 whatever was asked for, and says where that is less", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.bigInt({ min: -5n, max: 10n ** 40n }).map(String)), (text) => {
        const { limit, warnings } = limitOf(parsed([["limit", text]]).parameters);
        const asked = /^[0-9]+$/.test(text) ? BigInt(text) : 0n;
        expect(limit).toBe(asked === 0n ? 25 : Number(asked > 100n ? 100n : asked));
        expect(warnings.map(({ code }) => code)).toEqual(asked > 100n ? ["limit_clamped"] : []);
      }),
    );
  });
});

describe("the link to the next page", () => {
  it("is the same question with the new cursor in place of the old", () => {
    const request = {
      path: ["streams", "a/b", "records"],
      query: [
        ["cursor", "old"],
        ["filter[a]", "ü&"],
      ],
    } as const;
    expect(listLinks(request, "new")).toEqual({
      self: "/v1/streams/a%2Fb/records?cursor=old&filter%5Ba%5D=%C3%BC%26",
      next: "/v1/streams/a%2Fb/records?filter%5Ba%5D=%C3%BC%26&cursor=new",
    });
    expect(listLinks(request, null)).toMatchObject({ next: null });
  });

  it("repeats what was asked letter by letter", () => {
    const asked =
      "/v1/streams/a&b/records?fields=id,a%2Cb&%63ursor=old&filter[a]=x?y&cursor&changes_since=older";
    expect(listLinks({ path: [], query: [], asked }, "new")).toEqual({
      self: asked,
      next: "/v1/streams/a&b/records?fields=id,a%2Cb&filter[a]=x?y&changes_since=older&cursor=new",
    });
    expect(listLinks({ path: [], query: [], asked }, "new", "newer")).toMatchObject({
      next: "/v1/streams/a&b/records?fields=id,a%2Cb&filter[a]=x?y&cursor=new&changes_since=newer",
    });
    expect(listLinks({ path: [], query: [], asked: "/v1/search" }, "new")).toMatchObject({
      next: "/v1/search?cursor=new",
    });
  });
});
