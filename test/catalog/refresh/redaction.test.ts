import { describe, expect, it } from "vitest";
import { RefreshRig, tool } from "../../support/catalog/rig.ts";
import { configOf } from "../../support/fake-gateway.ts";
import { canonicalJson } from "../../../src/catalog/snapshot/canonical-json.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import { catalogSettings, type CatalogSettings } from "../../../src/catalog/refresh/settings.ts";

function settings(redact: boolean | undefined, server: { readonly redact?: boolean } = {}): CatalogSettings {
  const config = configOf({
    mcpServers: { alpha: { url: "https://alpha.example.com/mcp", ...server } },
    ...(redact === undefined ? {} : { gateway: { redact } }),
  });
  const made = catalogSettings(config);
  if (!made.ok) throw new Error("the configuration can be used");
  return made.value;
}

describe("a catalog under redaction", () => {
  it("is another one than without, and without is what it always was", () => {
    const off = settings(undefined);
    expect(settings(false)).toEqual(off);
    expect(settings(true, { redact: false })).toEqual(off);
    const { limits } = off.servers[0] ?? {};
    expect(off.servers[0]?.configured.source).toBe(
      sha256Hex(canonicalJson(["alpha", "https://alpha.example.com/mcp", {}, "server", ["*"], [], limits])),
    );
    const on = settings(true);
    expect(on.hash).not.toBe(off.hash);
    expect(settings(false, { redact: true })).toEqual(on);
    expect(on.servers[0]?.configured.source).not.toBe(off.servers[0]?.configured.source);
    // Where calls go is the same.
    expect(on.servers[0]?.configured.key).toBe(off.servers[0]?.configured.key);
  });

  it("does not take a listing of before for the last good one", async () => {
    const rig = new RefreshRig();
    await rig.refresh(settings(false), { alpha: [tool("a1", { description: "password: hunter22" })] });
    const failed = await rig.refresh(settings(true), { alpha: "it does not answer" });
    expect(failed.servers).toMatchObject([{ name: "alpha", status: "failed", tools: 0 }]);
    const off = await rig.refresh(settings(false), { alpha: "it does not answer" });
    expect(off.servers).toMatchObject([{ name: "alpha", status: "stale", tools: 1 }]);
  });

  it("judges only the tools anew that redaction changed", async () => {
    const rig = new RefreshRig();
    const [plain, told] = [tool("a1"), tool("a2", { description: "Use password: hunter22 here." })];
    await rig.refresh(settings(false), { alpha: [plain, told] });
    const before = rig.lints;
    const redacted = { ...told, description: "Use password: [REDACTED-SECRET] here." };
    await rig.refresh(settings(true), { alpha: [plain, redacted] });
    expect(rig.lints).toBe(before + 1);
  });
});
