import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/version.ts";

const ORIGIN = "https://gateway.example";

describe("the Worker in workerd", () => {
  it("tells its health and version, and nothing else, to anyone", async () => {
    const response = await exports.default.fetch(`${ORIGIN}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", version: VERSION });
  });

  it("answers an unknown route with 404 in JSON", async () => {
    const response = await exports.default.fetch(`${ORIGIN}/nothing/here`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: "not_found" });
  });

  it("refuses a body over the limit before any route sees it", async () => {
    const body = new Uint8Array(4 * 1024 * 1024 + 1);
    const response = await exports.default.fetch(`${ORIGIN}/mcp`, { method: "POST", body });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: "too_large" });
  });
});
