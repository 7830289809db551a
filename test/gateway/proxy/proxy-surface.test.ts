import { describe, expect, it } from "vitest";
import type { NativePart } from "../../../src/gateway/proxy/native-part.ts";
import { proxySurface } from "../../../src/gateway/proxy/proxy-surface.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeId } from "../../support/fake-catalog.ts";
import { fakeGateway } from "../../support/fake-gateway.ts";
import { journalledCaller } from "./journalled.ts";
import { proxied } from "./proxied.ts";

const READ = { namespace: "files", name: "read_file" };
const CATALOG = fakeCatalog([READ]);

const NATIVE: NativePart = {
  admitting: new Set(["resources/list"]),
  capabilities: async () => ({ resources: true, prompts: false, completions: false }),
  request: async (method) => (method === "resources/list" ? ok({ resources: [] }) : undefined),
  relinked: async (result, { id }) => ({ ...result, _meta: { relinkedFor: id } }),
};

describe("the proxy's surface", () => {
  it("admits its lists and calls itself, and serves nothing but tools by itself", () => {
    const { surface } = proxied({ catalog: CATALOG });
    expect([...surface.admitting]).toEqual(["tools/list", "tools/call"]);
    expect(["request", "capabilities", "cancel"].filter((name) => Object.hasOwn(surface, name))).toEqual([
      "cancel",
    ]);
  });

  it("says how tools are found, shown and run within 512 characters", () => {
    const { instructions } = proxySurface(fakeGateway({}).ports, { names: "safe" });
    for (const word of ["tool_hydrate", "tool_execute", "tool_id", "args", "retryable"]) {
      expect(instructions).toContain(word);
    }
    expect(instructions).not.toContain("tool_browse");
    expect(instructions.length).toBeLessThanOrEqual(512);
  });

  it("serves what else is plugged in, and hands results through it, repeated ones as they were", async () => {
    const { surface, caller, execute } = proxied({ catalog: CATALOG, native: NATIVE }, journalledCaller());
    expect([...surface.admitting]).toEqual(["tools/list", "tools/call", "resources/list"]);
    expect(await surface.capabilities?.(caller.context)).toMatchObject({ resources: true });
    expect(await surface.request?.("resources/list", {}, caller.context)).toEqual(ok({ resources: [] }));
    expect(await surface.request?.("nothing", {}, caller.context)).toBeUndefined();
    const origin = { requestKey: null, idempotencyKey: "once" };
    const first = await execute({ tool_id: fakeId(READ) }, origin);
    expect(first?.["_meta"]).toEqual({ relinkedFor: fakeId(READ) });
    expect(await execute({ tool_id: fakeId(READ) }, origin)).toEqual(first);
  });

  it("fails a call, and says that it ran, where what is plugged in throws", async () => {
    const native = { ...NATIVE, relinked: () => Promise.reject(new Error("broken")) };
    const { execute, calls } = proxied({ catalog: CATALOG, native });
    const text = JSON.stringify(await execute({ tool_id: fakeId(READ) }));
    expect(text).toContain("UPSTREAM_ERROR");
    expect(text).toContain("completed");
    expect(calls.length).toBe(1);
  });

  it("tells a call's progress to whoever asked for it", async () => {
    const told: unknown[] = [];
    const { surface, caller } = proxied({
      catalog: CATALOG,
      answer: ({ request }) => {
        request.onProgress?.({ progress: 1, total: 2, message: "half" });
        return ok({ content: [] });
      },
    });
    const line = { onProgress: (progress: unknown) => void told.push(progress) };
    await surface.call("tool_execute", { tool_id: fakeId(READ) }, caller.context, undefined, line);
    expect(told).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });
});
