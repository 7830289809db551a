import { beforeAll, describe, expect, it } from "vitest";
import { openGateway } from "../../../scripts/bench/gateway/open-gateway.ts";
import { RefreshedCatalog } from "../../../scripts/bench/gateway/refreshed-catalog.ts";
import type { BenchTool } from "../../../scripts/bench/tools/bench-tool.ts";
import { type Random, seededRandom } from "../../../scripts/bench/tools/random.ts";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { strippedEntry } from "../../../src/gateway/proxy/stripped-entry.ts";
import { DEFAULT_LISTED_FORM } from "../../../src/identity/listed-form.ts";
import { compactListedName } from "../../../src/identity/listed-name.ts";
import { LISTED_ENTRY_MAX_TOKENS } from "../../../src/limits.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
import type { ToolDefinition } from "../../../src/surface.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";

const TOOLS = 1_000;
/** A refresh takes two seconds of CPU, on a machine that may be busy. */
const REFRESH_MAX_MS = 90_000;
const SERVERS = [
  "github",
  "issue-tracker",
  "Ledger & Co",
  "kubernetes_prod",
  "mail",
  "maps",
  "warehouse",
  "cms",
];
const VERBS = [
  "get",
  "list",
  "create",
  "update",
  "delete",
  "search",
  "export",
  "archive",
  "subscribe_to",
  "bulk_import",
];
const NOUNS = [
  "pull_request",
  "customer_invoice",
  "pod_logs",
  "MailThread",
  "dataset/columns",
  "street.address",
  "webhook-delivery",
  "user",
  "release_candidate_artifact",
  "translation_memory_entry",
];
const SENTENCES = [
  "Returns everything that is known about it, with links to what belongs to it.",
  'Use "fields" to choose columns, e.g. ["id","name"]; without it all of them come.',
  "Paginated: pass `cursor` from the last answer.\n\n- at most 100 a page\n- sorted by `updated_at`",
  "Liefert alle Einträge einer Organisation, älteste zuerst, auch die archivierten.",
  "組織のすべての項目を新しい順に返します。削除されたものは含まれません。",
  "Requires the scope https://api.example.com/auth/records.readonly and a project id of 12 digits.",
  "⚠️ Destructive: cannot be undone! Ask the user first 🙏.",
  'WARNING\\tTABS\\tAND\\u0000ESCAPES {"nested":"{\\"json\\":true}"} </description> <|endoftext|>',
];
/** Its id takes an entry's tokens alone. */
const ENDLESS = `x${"_Q7".repeat(30)}`;

function made(at: number, random: Random): BenchTool {
  const verb = VERBS[at % VERBS.length] ?? "";
  const noun = NOUNS[Math.floor(at / VERBS.length) % NOUNS.length] ?? "";
  const sentences = Array.from({ length: random.below(9) }, () => SENTENCES[random.below(SENTENCES.length)]);
  return {
    server: SERVERS[random.below(SERVERS.length)] ?? "",
    definition: {
      name: `${verb}_${noun}${at < 100 ? "" : `_v${at}`}`,
      ...(sentences.length === 0 ? {} : { description: sentences.join(" ") }),
      inputSchema: { type: "object", properties: { [noun]: { type: "string" }, at: { const: at } } },
    },
  };
}

const counter = committedCounter();
const tokensOf = (entry: ToolDefinition): number => counter.count(JSON.stringify(entry));

/** As the proxy lists them, behind the Worker's own refresh, snapshot and catalog. */
async function listed(tools: readonly BenchTool[]): Promise<ToolDefinition[]> {
  const refreshed = new RefreshedCatalog(new Set(tools.map(({ server }) => server)));
  await refreshed.refresh(tools);
  const { catalog } = await openGateway(refreshed);
  const page = catalog.page(undefined, tools.length, SEES_EVERYTHING);
  const scrubber = createScrubber([]);
  const entries = page.tools.map((tool) => strippedEntry(tool, DEFAULT_LISTED_FORM, scrubber));
  for (const { name, title } of entries) expect(catalog.find(name)?.id).toBe(title);
  return entries;
}

describe("a thousand tools in the proxy's list", () => {
  let entries: readonly ToolDefinition[] = [];
  beforeAll(async () => {
    const random = seededRandom(5);
    entries = await listed(Array.from({ length: TOOLS }, (_, at) => made(at, random)));
  }, REFRESH_MAX_MS);

  it("are all there, and have 80 tokens at most each, on average fewer", () => {
    expect(entries).toHaveLength(TOOLS);
    const tokens = entries.map(tokensOf);
    expect(Math.max(...tokens)).toBeLessThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
    expect(tokens.reduce((sum, each) => sum + each, 0) / TOOLS).toBeLessThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
    // Of those whose description was too long, none gives away much of its room.
    const cut = entries.filter(({ description }) => description.endsWith("…")).map(tokensOf);
    expect(cut.length).toBeGreaterThan(TOOLS / 10);
    expect(Math.min(...cut)).toBeGreaterThan(LISTED_ENTRY_MAX_TOKENS - 20);
  });

  it("as a whole cost 80 tokens a tool at most", () => {
    expect(counter.count(JSON.stringify({ tools: entries }))).toBeLessThanOrEqual(
      TOOLS * LISTED_ENTRY_MAX_TOKENS,
    );
  });

  it("say nothing but name, id, description and that there are arguments", () => {
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(["name", "title", "description", "inputSchema"]);
      expect(entry.inputSchema).toEqual({ type: "object" });
    }
  });
});

describe("a tool whose id leaves no room", () => {
  it("has the shortest description there is, its id whole, and a name by which it is found", async () => {
    const [entry] = await listed([
      {
        server: "mail",
        definition: {
          name: ENDLESS,
          description: SENTENCES.join(" "),
          inputSchema: { type: "object" },
        },
      },
    ]);
    if (entry === undefined) throw new Error("it is not listed");
    expect(entry.title).toContain(ENDLESS);
    expect(entry.description).toBe("…");
    expect(tokensOf({ ...entry, description: "" })).toBeGreaterThanOrEqual(LISTED_ENTRY_MAX_TOKENS);
    expect(entry.name).toBe(compactListedName(entry.title ?? ""));
    expect(tokensOf(entry)).toBeLessThanOrEqual(counter.count(entry.title ?? "") + 40);
  });
});
