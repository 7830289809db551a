import { describe, expect, it } from "vitest";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const candidate = { url: "https://green.example.com/mcp" };
const SETTINGS = settingsOf({ alpha: { candidate }, beta: {} });
const ALL: Listings = {
  alpha: [tool("a1"), tool("a2")],
  "alpha:candidate": [tool("a1"), tool("a2"), tool("a3")],
  beta: [tool("b1")],
};
const id = (name: string): unknown => expect.stringMatching(new RegExp(`^alpha:${name}#`));

async function refreshed(settings: CatalogSettings = SETTINGS, listings: Listings = ALL) {
  const rig = new RefreshRig();
  await rig.refresh(settings, listings);
  return rig;
}

describe("a promotion that would break callers", () => {
  it("is compared with what callers know, not with what the active target lists just now", async () => {
    const rig = await refreshed();
    const now = { ...ALL, alpha: [], "alpha:candidate": [tool("x")] };
    expect((await rig.move(SETTINGS, now, "promote")).answer).toMatchObject({
      moved: false,
      reason: "breaking",
      diff: { removed: [id("a1"), id("a2")] },
    });
  });

  it("that would take another server's tools breaks that server's callers", async () => {
    const infer = { namespace: "infer" } as const;
    const settings = settingsOf({ alpha: { ...infer, candidate }, beta: infer });
    const listings = {
      alpha: [tool("notes.add")],
      beta: [tool("bank.pay")],
      "alpha:candidate": [tool("notes.add"), tool("bank.pay")],
    };
    const rig = await refreshed(settings, listings);
    expect((await rig.move(settings, listings, "promote")).answer).toMatchObject({
      moved: false,
      reason: "breaking",
      comparison: "breaking",
    });
  });

  it("breaks callers where hints that are believed change", async () => {
    for (const [trusted, moved] of [
      [true, false],
      [false, true],
    ] as const) {
      const settings = settingsOf({ alpha: { candidate, trust_hints: trusted } });
      const listings = {
        alpha: [tool("a1", { annotations: { destructiveHint: true } })],
        "alpha:candidate": [tool("a1", { annotations: { readOnlyHint: true } })],
      };
      const rig = await refreshed(settings, listings);
      expect((await rig.move(settings, listings, "promote")).answer).toMatchObject({ moved });
    }
  });
});
