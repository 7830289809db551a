import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { RefreshingCatalog } from "../../src/catalog/refresh/catalog-object.ts";
import { listedEntry } from "../../src/catalog/refresh/listed-entry.ts";
import type { MoveAnswer, MoveName } from "../../src/catalog/refresh/refresh-contract.ts";
import { catalogSettings } from "../../src/catalog/refresh/settings.ts";
import type { CatalogKv } from "../../src/catalog/snapshot/snapshot-store.ts";
import { SnapshotStore } from "../../src/catalog/snapshot/snapshot-store.ts";
import { parseConfig } from "../../src/config.ts";
import { readEntry } from "../../src/outbox/entry.ts";
import { ok } from "../../src/result.ts";
import { tool } from "../support/catalog/rig.ts";
import { servedTools } from "../support/catalog/served.ts";
import { recordLog } from "./recorded-log.ts";
import { stubUpstreams } from "./upstreams.ts";
import { eventually } from "./patience.ts";
import { freshStorage } from "./fresh-storage.ts";
import { vocabulary } from "./vocabulary.ts";

const object = catalogObjectPort(env.CATALOGS);
const stub = () => env.CATALOGS.getByName("catalog-1");
const upstreams = stubUpstreams();
recordLog();

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

/** A server `s-<name>` with the targets `blue-<name>` and `green-<name>`. */
function deployment(name: string, more: Record<string, unknown> = {}) {
  const [server, blue, green] = [`s-${name}`, `blue-${name}`, `green-${name}`];
  const url = (host: string) => `https://${host}.example.com/mcp`;
  const block = { url: url(blue), candidate: { url: url(green) }, ...more };
  const text = JSON.stringify({ mcpServers: { [server]: block } });
  const config = parseConfig(text);
  const settings = config.ok ? catalogSettings(config.value) : config;
  if (!settings.ok) throw new Error(JSON.stringify(settings.reason));
  return { server, blue, green, text, settings: settings.value };
}
type Deployment = ReturnType<typeof deployment>;

async function move(
  { text, server }: Deployment,
  name: MoveName,
  acceptBreaking = false,
): Promise<MoveAnswer> {
  const answer = await object.move({ version: 1, config: text, server, move: name, acceptBreaking });
  if (!answer.ok) throw new Error(answer.reason.detail);
  return answer.value;
}

async function refresh({ text }: Deployment, reason: "operator" | "interval" = "operator") {
  const answer = await object.refresh(reason, text);
  if (!answer.ok) throw new Error(answer.reason.detail);
  return answer.value;
}

const asked = (of: string): number => upstreams.seen.filter(({ host }) => host === of).length;

const targetsIn = async ({ settings }: Deployment) => {
  const newest = await object.newest(settings.hash);
  const kept = await new SnapshotStore(env.CATALOG).pointer(settings.hash);
  return [newest.ok ? newest.value?.targets : undefined, kept?.targets];
};
const candidateAt = ({ server }: Deployment, generation: number) => [
  { server, target: "candidate", generation },
];
const sql = (query: string) =>
  runInDurableObject(stub(), (_, state) => state.storage.sql.exec(query).toArray());

describe.each([
  ["in one life", false],
  ["with an eviction before every call", true],
])("a rollout in the catalog's object, %s", (title, evict) => {
  const wake = async () => {
    if (evict) await abortAllDurableObjects();
  };

  it("goes there and back, and every refresh keeps to it", async () => {
    const own = deployment(`there-${title.length}`);
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    expect(await refresh(own)).toMatchObject({
      servers: [
        { target: "configured", rollout: "pending", candidate: { comparison: "compatible", tools: 2 } },
      ],
    });
    await wake();
    expect(await move(own, "promote")).toMatchObject({ moved: true, generation: 2, catalogGeneration: 2 });
    await wake();
    expect(await targetsIn(own)).toEqual([candidateAt(own, 2), candidateAt(own, 2)]);
    expect(await refresh(own)).toMatchObject({
      changed: false,
      servers: [{ target: "candidate", generation: 2, tools: 2 }],
    });
    await wake();
    upstreams.fails(own.green, () => new Response(null, { status: 500 }));
    expect(await refresh(own)).toMatchObject({
      pointer: { stale: [own.server], targets: candidateAt(own, 2) },
      servers: [{ status: "stale", target: "candidate", tools: 2 }],
    });
    await wake();
    expect(await move(own, "promote")).toMatchObject({ moved: false, reason: "already_active" });
    await wake();
    expect(await move(own, "rollback")).toMatchObject({ moved: true, active: "configured", generation: 3 });
    await wake();
    expect(await move(own, "rollback")).toMatchObject({ moved: false, reason: "nothing_to_roll_back" });
    const back = [{ server: own.server, target: "configured", generation: 3 }];
    expect(await targetsIn(own)).toEqual([back, back]);
  });

  it("remembers a candidate that gave no list, until the operator asks", async () => {
    const own = deployment(`rejected-${title.length}`);
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.fails(own.green, () => new Response("words of its own", { status: 500 }));
    const rejected = {
      status: "rejected",
      reason: "the upstream server answered with HTTP status 500",
    };
    expect((await refresh(own)).servers).toMatchObject([{ status: "ok", candidate: rejected }]);
    const before = asked(own.green);
    await wake();
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec("UPDATE configs SET refreshed_at_ms = 0");
    });
    expect((await refresh(own, "interval")).servers).toMatchObject([{ status: "ok", candidate: rejected }]);
    expect(asked(own.green)).toBe(before);
    await wake();
    expect(await move(own, "promote")).toMatchObject({
      reason: "candidate_rejected",
      detail: rejected.reason,
    });
    expect(asked(own.green)).toBeGreaterThan(before);
    upstreams.tools(own.green, [tool("a")]);
    await wake();
    expect((await refresh(own)).servers).toMatchObject([{ candidate: { comparison: "identical" } }]);
  });
});

describe("moves and refreshes at once", () => {
  it("lets one of two promotions win, and tells the other so", async () => {
    const own = deployment("twice");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    await refresh(own);
    // Which of them arrives first is the platform's business.
    const answers = await Promise.all([move(own, "promote"), move(own, "promote")]);
    expect(answers.toSorted((one, other) => Number(other.moved) - Number(one.moved))).toMatchObject([
      { moved: true, generation: 2 },
      { moved: false, reason: "already_active" },
    ]);
    expect(await move(own, "rollback")).toMatchObject({ moved: true, generation: 3 });
  });

  it("promotes after a refresh that is under way, whose result it does not lose", async () => {
    const own = deployment("under-way");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    await refresh(own);
    const open = upstreams.holds(own.blue, [tool("a")]);
    const refreshing = refresh(own);
    await eventually(() => {
      expect(asked(own.blue)).toBe(5);
    });
    const moving = move(own, "promote");
    expect(await targetsIn(own)).toEqual([undefined, undefined]);
    open();
    expect(await refreshing).toMatchObject({ servers: [{ target: "configured" }] });
    expect(await moving).toMatchObject({ moved: true });
    expect(await targetsIn(own)).toEqual([candidateAt(own, 2), candidateAt(own, 2)]);
    expect(await refresh(own)).toMatchObject({ servers: [{ target: "candidate", tools: 2 }] });
  });

  it("lists a rejected candidate for an operator also while a run of the interval's is under way", async () => {
    const own = deployment("operator");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.fails(own.green, () => new Response(null, { status: 500 }));
    await refresh(own);
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec("UPDATE configs SET refreshed_at_ms = 0");
    });
    upstreams.tools(own.green, [tool("a")]);
    const open = upstreams.holds(own.blue, [tool("a")]);
    const seenBefore = asked(own.blue);
    const interval = refresh(own, "interval");
    await eventually(() => {
      expect(asked(own.blue)).toBeGreaterThan(seenBefore);
    });
    const answers = Promise.all([interval, refresh(own), refresh(own)]);
    open();
    expect((await answers).map(({ servers }) => servers[0]?.candidate?.status)).toEqual([
      "rejected",
      "listed",
      "listed",
    ]);
  });

  it("gives up a candidate that hangs within the server's time, and answers others meanwhile", async () => {
    const own = deployment("hangs", { timeout_ms: 1_000 });
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a")]);
    await refresh(own);
    upstreams.fails(own.green, () => new Promise(() => undefined));
    const moving = move(own, "promote");
    expect(await targetsIn(own)).toEqual([undefined, undefined]);
    expect(await moving).toMatchObject({ moved: false, reason: "candidate_rejected" });
    expect(await targetsIn(own)).toEqual([undefined, undefined]);
  });
});

describe("a promotion that dies", () => {
  it("while it lists has moved nothing, and can be asked for again", async () => {
    const own = deployment("dies");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    await refresh(own);
    const open = upstreams.holds(own.green, [tool("a"), tool("b")]);
    const moving = object.move({
      version: 1,
      config: own.text,
      server: own.server,
      move: "promote",
      acceptBreaking: false,
    });
    await eventually(() => {
      expect(asked(own.green)).toBeGreaterThan(4);
    });
    await abortAllDurableObjects();
    open();
    expect(await moving).toMatchObject({ ok: false, reason: { reason: "catalog_unreachable" } });
    expect(await targetsIn(own)).toEqual([undefined, undefined]);
    expect(await move(own, "promote")).toMatchObject({ moved: true, generation: 2 });
  });

  it("at any write to KV leaves the old catalog with the old target, or the new with the new; and is mended", async () => {
    await runInDurableObject(stub(), async (_, state) => {
      const seen: (string | undefined)[] = [];
      const kv = hangingKv();
      for (let write = 1; write < 10; write += 1) {
        const own = deployment(`write-${write}`);
        const listing = (target: string) => [
          tool("a", { description: `From ${target}.` }),
          ...(target === "candidate" ? [tool("b")] : []),
        ];
        const life = () =>
          new RefreshingCatalog(state, env, {
            kv,
            ownConfigText: own.text,
            neighbours: { version: () => Promise.resolve("none"), load: () => Promise.resolve(undefined) },
            vocabulary,
            list: async (__, ___, target) => ({
              tools: ok(listing(target).map((each) => listedEntry(each))),
            }),
            ledger: { deliver: async () => ({ version: 1, taken: false, reason: "malformed" }) },
          });
        await life().refresh({ version: 1, reason: "operator", config: own.text });
        const asked = { version: 1, config: own.text, server: own.server, move: "promote" } as const;
        const reached = kv.hangAt(write);
        const ended = life().move({ ...asked, acceptBreaking: false });
        const isOver = await Promise.race([reached.then(() => false), ended.then(() => true)]);
        // Another life of the object, which knows nothing of the one that hangs.
        kv.free();
        const after = life();
        const { pointer } = await after.newest({ version: 1, config: own.settings.hash });
        const from = async () => {
          const catalog = await servedTools(kv, own.settings);
          const [first] = catalog?.tools ?? [];
          expect(first?.definition["description"]).toBe(`From ${first?.target ?? ""}.`);
          expect(catalog?.tools).toHaveLength(first?.target === "candidate" ? 2 : 1);
          return first?.target;
        };
        const decided = pointer?.targets?.[0]?.target ?? "configured";
        seen.push(`${decided} ${String(await from())}`);
        await after.refresh({ version: 1, reason: "operator", config: own.text });
        expect(await from()).toBe(decided);
        const again = await after.move({ ...asked, acceptBreaking: false });
        expect(again).toMatchObject(
          decided === "candidate" ? { reason: "already_active" } : { moved: true, generation: 2 },
        );
        expect(await from()).toBe("candidate");
        kv.drop();
        await ended.catch(() => undefined);
        if (isOver) break;
      }
      expect(new Set(seen)).toEqual(
        new Set(["configured configured", "candidate configured", "candidate candidate"]),
      );
      expect(seen.at(-1)).toBe("candidate candidate");
    });
  });

  it("in the midst of its commit has written none of it", async () => {
    const own = deployment("commit");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    await refresh(own);
    const before = await sql("SELECT * FROM generations");
    const rollouts = await sql("SELECT * FROM targets");
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec(
        "CREATE TRIGGER refuses BEFORE INSERT ON rollouts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
      );
    });
    expect(await move(own, "promote")).toMatchObject({ moved: false, reason: "unpublished" });
    expect(await sql("SELECT * FROM generations")).toEqual(before);
    expect(await sql("SELECT * FROM targets")).toEqual(rollouts);
    expect(await targetsIn(own)).toEqual([undefined, undefined]);
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec("DROP TRIGGER refuses");
    });
    expect(await move(own, "promote")).toMatchObject({ moved: true, generation: 2 });
  });
});

/** The isolate's KV, as a Map, whose n-th write from now on does not end until it is dropped. */
function hangingKv(): CatalogKv & { hangAt(write: number): Promise<void>; free(): void; drop(): void } {
  const values = new Map<string, Uint8Array>();
  let left = Number.POSITIVE_INFINITY;
  let reached = (): void => undefined;
  let drop = (): void => undefined;
  return {
    get: async (key) => values.get(key)?.slice().buffer ?? null,
    put: async (key, value) => {
      left -= 1;
      if (left === 0) {
        reached();
        await new Promise((_, reject) => {
          drop = () => {
            reject(new Error("the object is gone"));
          };
        });
      }
      values.set(key, typeof value === "string" ? new TextEncoder().encode(value) : value.slice());
    },
    delete: async (key) => {
      values.delete(key);
    },
    hangAt: (write) => {
      left = write;
      return new Promise((resolve) => {
        reached = () => {
          resolve();
        };
      });
    },
    free: () => {
      left = Number.POSITIVE_INFINITY;
    },
    drop: () => {
      drop();
    },
  };
}

describe("a move and what is around it", () => {
  it("is a refresh in which the server's account is of the new target", async () => {
    const own = deployment("told");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a"), tool("b")]);
    await refresh(own);
    await move(own, "promote");
    const rows = await sql("SELECT entry FROM outbox ORDER BY seq");
    const entries = rows.map(({ entry }) => readEntry(typeof entry === "string" ? entry : ""));
    expect(entries).toMatchObject([
      { value: { upstreams: [{ generation: 1 }] } },
      {
        value: {
          event: { event: "catalog.refresh", success: true, attributes: { changed: true, generation: 2 } },
          upstreams: [
            { server: own.server, generation: 2, operations: [{ record: "request" }, { record: "success" }] },
          ],
          refresh: { servers: [{ target: "candidate", generation: 2, rollout: "stable", tools: 2 }] },
        },
      },
    ]);
  });

  it("says why a request that nothing can be made of was refused", async () => {
    const [plain, asked] = [
      stub(),
      { version: 1, config: "{", server: "x", move: "promote", acceptBreaking: false } as const,
    ];
    expect(await plain.move(asked)).toMatchObject({ moved: false, reason: "problems" });
    const own = deployment("problems");
    expect(await plain.move({ ...asked, config: own.text })).toMatchObject({ reason: "unknown_server" });
    expect(await sql("SELECT * FROM outbox")).toEqual([]);
  });

  it("wakes the object at the interval also where a move was all that was ever asked", async () => {
    const own = deployment("wakes");
    upstreams.tools(own.blue, [tool("a")]);
    upstreams.tools(own.green, [tool("a")]);
    expect(await move(own, "promote")).toMatchObject({ moved: true, comparison: "identical" });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
  });
});
