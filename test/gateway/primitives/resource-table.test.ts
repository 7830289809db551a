import { describe, expect, it } from "vitest";
import type { Catalog, CatalogTool, Sees } from "../../../src/catalog/catalog.ts";
import { findResource } from "../../../src/gateway/native/find-resource.ts";
import { serverNames } from "../../../src/gateway/server-names.ts";
import { resourceByUri } from "../../../src/gateway/primitives/resource-by-uri.ts";
import { listedUnder } from "../../../src/gateway/primitives/resource-table.ts";
import { CATALOG, ITEM, ITEM_ID, README, README_ID } from "./kit.ts";

const ALL: Sees = Object.assign(() => true, { key: null });
const SERVERS = serverNames([{ name: "fs", namespace: "server", include: ["*"], exclude: [] }]);

/** The kit's resources as requests get them: another object each time, over one content. */
function requests() {
  const resources = CATALOG.of("resource");
  if (resources === undefined) throw new Error("the kit has resources");
  const content = {};
  let pages = 0;
  const pointedAt = (tool: CatalogTool | undefined, target: CatalogTool["target"]) =>
    tool && { ...tool, target };
  const next = (target: CatalogTool["target"] = "configured"): Catalog => ({
    ...resources,
    content,
    find: (id) => pointedAt(resources.find(id), target),
    page: (...asked) => {
      pages += 1;
      return resources.page(...asked);
    },
  });
  return { next, pages: () => pages };
}

describe("the table of resources", () => {
  it("is made once for a content, whatever is looked up in how many catalogs over it", () => {
    const { next, pages } = requests();
    for (let each = 0; each < 5; each += 1) {
      expect(resourceByUri(next(), String(README.uri), ALL)).toMatchObject({ tool: { id: README_ID } });
      expect(resourceByUri(next(), "demo://item/7", ALL)).toMatchObject({
        tool: { id: ITEM_ID },
        addressed: { id: "7" },
      });
      expect(findResource(next(), `loomgate://fs/${README.uri}`, ALL, SERVERS)).toMatchObject({
        tool: { id: README_ID },
      });
      expect(listedUnder(next(), String(ITEM.uriTemplate), ALL).map(({ id }) => id)).toEqual([ITEM_ID]);
    }
    expect(pages()).toBe(1);
  });

  it("holds no tool: where one is called is what the catalog at hand says", () => {
    const { next } = requests();
    expect(resourceByUri(next(), String(README.uri), ALL)).toMatchObject({ tool: { target: "configured" } });
    expect(resourceByUri(next("candidate"), String(README.uri), ALL)).toMatchObject({
      tool: { target: "candidate" },
    });
  });

  it("is another one for another content", () => {
    const [left, right] = [requests(), requests()];
    resourceByUri(left.next(), "x:/", ALL);
    resourceByUri(right.next(), "x:/", ALL);
    expect([left.pages(), right.pages()]).toEqual([1, 1]);
  });

  it("lets nothing through that the one who asks does not see", () => {
    const { next } = requests();
    const none: Sees = Object.assign(() => false, { key: "none" });
    resourceByUri(next(), String(README.uri), ALL);
    expect(resourceByUri(next(), String(README.uri), none)).toBeUndefined();
    expect(resourceByUri(next(), "demo://item/7", none)).toBeUndefined();
    expect(listedUnder(next(), String(README.uri), none)).toEqual([]);
  });
});
