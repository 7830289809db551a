import { describe, expect, it } from "vitest";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { addressWords, mediaTypeWords } from "../../../src/catalog/primitives/resource-words.ts";
import { RefreshRig, settingsOf } from "../../support/catalog/rig.ts";
import { readCatalog } from "../../support/catalog/served.ts";

describe("a resource's words", () => {
  it.each([
    ["text/csv; charset=utf-8", "csv"],
    ["image/svg+xml", "image svg xml"],
    ["application/vnd.ms-excel", "ms excel"],
    ["APPLICATION/PDF", "pdf"],
    ["application/octet-stream", ""],
    ["text/plain", ""],
    ["", ""],
  ])("of the media type %j are %j", (type, words) => {
    expect(mediaTypeWords(type)).toBe(words);
  });

  it.each([
    ["file:///Yearly%20report", "file:///Yearly report"],
    ["file:///%ff", "file:///%ff"],
  ])("of the address %j are %j", (uri, words) => {
    expect(addressWords(uri)).toBe(words);
  });

  it("find it, and those of a template's variables and of a prompt's arguments find those", async () => {
    const rig = new RefreshRig();
    const settings = settingsOf({ hub: {} });
    await rig.refresh(settings, {
      hub: {
        resources: [
          { uri: "store://1", name: "takings", mimeType: "text/csv" },
          { uri: "store://2", name: "takings", mimeType: "application/pdf" },
          { uri: "store://warehouse%20stock", name: "third" },
        ],
        templates: [{ uriTemplate: "store://by/{invoice_number}", name: "fourth" }],
        prompts: [
          { name: "one", arguments: [{ name: "tone", description: "how formal the letter sounds" }] },
          { name: "two" },
        ],
      },
    });
    const catalog = await readCatalog(rig.kv, settings);
    const first = (kind: "resource" | "prompt", query: string) => {
      const [hit] = catalog.of(kind)?.search(query, 5, SEES_EVERYTHING).hits ?? [];
      return catalog.of(kind)?.find(hit?.id ?? "")?.upstreamName;
    };
    expect(first("resource", "takings as csv")).toBe("store://1");
    expect(first("resource", "takings as pdf")).toBe("store://2");
    expect(first("resource", "stock in the warehouse")).toBe("store://warehouse%20stock");
    expect(first("resource", "invoice by its number")).toBe("store://by/{invoice_number}");
    expect(first("prompt", "a formal letter")).toBe("one");
  });
});
