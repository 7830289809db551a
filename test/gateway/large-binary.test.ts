import { expect, it } from "vitest";
import { fakeCatalog } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway } from "../support/fake-gateway.ts";
import { ID, TOOL } from "../support/tool-results.ts";

const SECRET = "the-operators-own-secret-value";

it("base64 of a large answer passes the scrubber before it is decoded", async () => {
  const plain = `before ${SECRET} behind`;
  const passed: string[] = [];
  const { surface } = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    secrets: [SECRET],
    stream: async (sinks) => {
      const filter = sinks.filterText?.("image/png");
      const data = Buffer.from(plain).toString("base64");
      for (const piece of [data.slice(0, 21), data.slice(21)]) passed.push(filter?.push(piece) ?? piece);
      passed.push(filter?.end() ?? "");
      return { content: [] };
    },
  });
  await surface.call("tool_execute", { tool_id: ID }, fakeCaller().context);
  const bytes = Buffer.from(passed.join(""), "base64");
  expect(bytes.length).toBe(plain.length);
  expect(bytes.toString("latin1")).toMatch(/^before (?!the-operators).+ behind$/s);
  expect(bytes.toString("latin1")).not.toContain(SECRET);
});
