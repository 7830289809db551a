import { describe, expect, it } from "vitest";
import { REPORT_ENTRIES_MAX_COUNT } from "../../../src/limits.ts";
import { MemoryRefreshStore } from "../../support/catalog/memory-store.ts";
import {
  PRIMITIVE_SETTINGS as SETTINGS,
  prompt,
  resource,
  template,
} from "../../support/catalog/primitives.ts";
import { type Listings, RefreshRig, tool } from "../../support/catalog/rig.ts";

const README = resource("docs://readme.md");
const PAGE = template("docs://pages/{id}");
const SUM = prompt("sum", [{ name: "text" }]);

const lists = (resources: readonly object[], prompts: readonly object[], tools = [tool("a")]): Listings => ({
  alpha: { tools, resources, templates: [PAGE], prompts },
  beta: [],
});
const bare = (ids: readonly string[] = []) => ids.map((id) => id.split("#")[0]);

/** Counts how often a snapshot is looked into. */
class CountingStore extends MemoryRefreshStore {
  reads = 0;

  override savedSnapshot(hash: string) {
    this.reads += 1;
    return super.savedSnapshot(hash);
  }
}

describe("what a refresh tells of resources and prompts", () => {
  it("is what came, went and changed of each kind, by id, though no tool changed", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(SETTINGS, lists([README, resource("docs://old.md")], [SUM]));
    expect(first.kinds).toEqual({});
    const next = [{ ...README, description: "Anew." }, resource("docs://new.md")];
    const second = await rig.refresh(SETTINGS, lists(next, [SUM]));
    const { added, removed, changed } = second.kinds?.resource ?? {};
    expect([bare(added), bare(removed), bare(changed)]).toEqual([
      ["resource::alpha:new.md"],
      ["resource::alpha:old.md"],
      ["resource::alpha:readme.md"],
    ]);
    expect(second.kinds).not.toHaveProperty("prompt");
    expect(second).not.toHaveProperty("diff");
  });

  it("is all of a kind that comes or goes as a whole", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, lists([README], []));
    const came = await rig.refresh(SETTINGS, lists([README], [SUM]));
    expect(bare(came.kinds?.prompt?.added)).toEqual(["prompt::alpha:sum"]);
    const went = await rig.refresh(SETTINGS, lists([README], []));
    expect(bare(went.kinds?.prompt?.removed)).toEqual(["prompt::alpha:sum"]);
  });

  it("is bounded, and says how many it does not show", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, lists([README], []));
    const many = Array.from({ length: REPORT_ENTRIES_MAX_COUNT + 7 }, (_, at) => resource(`docs://${at}.md`));
    const { kinds } = await rig.refresh(SETTINGS, lists([README, ...many], []));
    expect(kinds?.resource?.added).toHaveLength(REPORT_ENTRIES_MAX_COUNT);
    expect(kinds?.resource?.omitted).toBe(7);
  });

  it("is nothing, and reads nothing, where they are as they were", async () => {
    const store = new CountingStore();
    const rig = new RefreshRig(store);
    await rig.refresh(SETTINGS, lists([README], [SUM]));
    store.reads = 0;
    const same = await rig.refresh(SETTINGS, lists([README], [SUM]));
    expect([same.kinds, store.reads]).toEqual([{}, 0]);
    const tools = await rig.refresh(SETTINGS, lists([README], [SUM], [tool("b")]));
    expect(tools.kinds).toEqual({});
  });
});
