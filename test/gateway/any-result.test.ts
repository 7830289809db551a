import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog, fakeId } from "../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, fakeGateway, jsonOf, recordOf } from "../support/fake-gateway.ts";

const TOOL = { namespace: "files", name: "read_file" };
const ID = fakeId(TOOL);
const CATALOG = fakeCatalog([TOOL]);

const part = fc.oneof(
  fc.anything(),
  fc.record({ type: fc.constantFrom("text", "image", "resource", "x"), text: fc.string({ unit: "binary" }) }),
  fc.record({ type: fc.constantFrom("image", "audio"), data: fc.base64String(), mimeType: fc.string() }),
  fc.record({ type: fc.constant("resource"), resource: fc.anything() }),
);
const result = fc.record(
  {
    content: fc.oneof({ weight: 5, arbitrary: fc.array(part) }, fc.anything()),
    structuredContent: fc.anything(),
    isError: fc.anything(),
    _meta: fc.anything(),
  },
  { requiredKeys: [] },
);

describe("any result at all", () => {
  it("is an answer with its envelope or a typed error, in either render, and nothing throws", async () => {
    await fc.assert(
      fc.asyncProperty(result, fc.constantFrom("porcelain", "json"), async (value, render) => {
        const sent: unknown = JSON.parse(JSON.stringify(value));
        const { surface, log } = fakeGateway({ catalog: CATALOG, answer: () => ok(recordOf(sent)) });
        const answer = await surface.call("tool_execute", { tool_id: ID, render }, fakeCaller().context);
        expect(log.join("\n")).not.toContain("TypeError");
        const envelope = answer?.["_meta"] === undefined ? undefined : envelopeOf(answer);
        const first = envelope === undefined ? jsonOf(answer) : envelope;
        expect(Object.keys(first)[0]).toBe(envelope === undefined ? "error" : "status");
        expect(memberOf(answer, "structuredContent") === undefined).toBe(
          render === "porcelain" || envelope === undefined,
        );
        expect(() => JSON.stringify(answer)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});
