import { describe, expect, it } from "vitest";
import { carriedBy } from "../../../src/firewall/result/carried.ts";
import { type LargeForm, LargePayload } from "../../../src/large-result.ts";
import { fail } from "../../../src/result.ts";

const payloadOf = (form: LargeForm) =>
  new LargePayload({ form, sizeBytes: 1, head: "", stored: fail("no_room"), summary: undefined });

describe("a part that is a payload as a whole", () => {
  it.each([
    ["bytes", "image/png", "image/png", false],
    ["bytes", undefined, undefined, false],
    ["text", "image/png", "text/plain", true],
    ["json", "image/png", "application/json", true],
  ] as const)("of %s that says %s is %s", (form, said, mimeType, isText) => {
    const payload = payloadOf(form);
    const rest = { type: "odd", name: "n", ...(said === undefined ? {} : { mimeType: said }) };
    expect(carriedBy({ ...rest, payload })).toEqual({
      kind: "odd",
      name: "n",
      mimeType,
      payload,
      isText,
      rest,
    });
  });

  it("is none where the payload is no payload but a value that looks like one", () => {
    expect(carriedBy({ type: "odd", payload: { form: "json", sizeBytes: 1, head: "" } })).toBeUndefined();
  });
});
