import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDialect } from "../../src/schema/dialect.ts";

describe("readDialect", () => {
  it.each([
    ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
    ["http://json-schema.org/draft/2020-12/schema#", "2020-12"],
    ["https://json-schema.org/draft/2019-09/schema", "2019-09"],
    ["http://json-schema.org/draft-07/schema#", "7"],
    ["https://json-schema.org/draft-07/schema", "7"],
    ["http://json-schema.org/draft-06/schema#", "7"],
    ["http://json-schema.org/draft-04/schema#", "4"],
    [" http://json-schema.org/draft-04/schema ", "4"],
  ])("reads %s as draft %s", (address, dialect) => {
    expect(readDialect({ $schema: address })).toEqual({ ok: true, value: dialect });
  });

  it("takes a schema that names none as 2020-12", () => {
    expect(readDialect({})).toEqual({ ok: true, value: "2020-12" });
    expect(readDialect(null)).toEqual({ ok: true, value: "2020-12" });
    const inherited: unknown = Object.create({ $schema: "http://json-schema.org/draft-04/schema#" });
    expect(readDialect(inherited)).toEqual({ ok: true, value: "2020-12" });
  });

  it.each([
    "https://json-schema.org/draft-03/schema#",
    "https://evil.example/draft-07/schema",
    "",
    "draft-07",
    7,
    null,
    {},
  ])("refuses %j", (address) => {
    expect(readDialect({ $schema: address })).toEqual({ ok: false, reason: "unsupported_dialect" });
  });

  it("never throws, whatever stands there", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(typeof readDialect({ $schema: value }).ok).toBe("boolean");
        expect(typeof readDialect(value).ok).toBe("boolean");
      }),
    );
  });
});
