import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { ARTIFACTS_DEFAULT_COUNT, SETTLED_ARTIFACTS_MAX_COUNT } from "../../src/limits.ts";
import type { AdmitRequest, ArtifactRow } from "../../src/principal/admit-contract.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { withTablesOf } from "./principal-client.ts";
import { freshStorage } from "./fresh-storage.ts";

const WEEK_MS = 7 * 86_400_000;
const stub = () => env.PRINCIPALS.getByName(principalObjectName("ada"));

const row = (index: number, overrides: Partial<ArtifactRow> = {}): ArtifactRow => ({
  handle: String(index).padStart(27, "0"),
  toolId: "files:read_file#00000000",
  mediaType: "text/plain",
  sizeBytes: 20_000,
  lines: 7,
  lineIndex: "3.f00",
  expiresAtMs: Date.now() + WEEK_MS,
  ...overrides,
});

const admit = (ask: Partial<AdmitRequest>) => stub().admit({ version: 1, tokenId: "token", ...ask });
const settle = (artifacts: ArtifactRow[]) => stub().settle({ version: 1, artifacts });

async function rowsOf(...handles: string[]): Promise<readonly ArtifactRow[] | undefined> {
  const decision = await admit({ artifacts: handles });
  if (!decision.admitted) throw new Error(decision.reason);
  return decision.artifacts;
}

async function sql(...queries: string[]): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stub(), (_, state) =>
    queries.flatMap((query) => state.storage.sql.exec(query).toArray()),
  );
}

afterEach(async () => {
  await freshStorage();
});

describe("a principal's artifact rows", () => {
  it("are found by their handles from settle on, text and binary, across an eviction", async () => {
    const [text, image] = [row(1), row(2, { mediaType: "image/png", lines: null, lineIndex: "" })];
    expect((await settle([text, image])).accepted).toBe(true);
    await abortAllDurableObjects();
    expect(await rowsOf(image.handle, text.handle, row(3).handle)).toEqual([image, text]);
  });

  it("are not spoken of where none is asked for, and asking stores nothing", async () => {
    expect(await admit({})).not.toHaveProperty("artifacts");
    expect(await rowsOf(row(1).handle)).toEqual([]);
    expect(await sql("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")).toEqual([]);
  });

  it("live until their time is up, which writing one again renews and never shortens", async () => {
    const first = row(1, { expiresAtMs: Date.now() + 1000 });
    const renewed = { ...first, expiresAtMs: Date.now() + WEEK_MS };
    await settle([first]);
    await settle([renewed]);
    await settle([first]);
    expect(await rowsOf(first.handle)).toEqual([renewed]);
    await sql("UPDATE artifacts SET expires_at_ms = 1");
    expect(await rowsOf(first.handle)).toEqual([]);
    await runDurableObjectAlarm(stub());
    expect(await sql("SELECT name FROM sqlite_master WHERE name = 'artifacts'")).toEqual([]);
    await settle([row(2, { expiresAtMs: Date.now() - 1 })]);
    expect(await rowsOf(row(2).handle)).toEqual([]);
  });

  it("are bounded, where nothing else is said, by a number of them: the first to be kept give way", async () => {
    await settle([row(0)]);
    await sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ARTIFACTS_DEFAULT_COUNT - 1})
       INSERT INTO artifacts SELECT 'h' || i, 't', 'm', 1, NULL, '', ${Date.now() + WEEK_MS}, NULL, ${Date.now()} FROM n`,
    );
    expect(await sql("SELECT count(*) AS n FROM artifacts")).toEqual([{ n: ARTIFACTS_DEFAULT_COUNT }]);
    await abortAllDurableObjects();
    // A lifetime says nothing of how old something is.
    await settle([row(9999, { expiresAtMs: Date.now() + 60_000 })]);
    expect(await sql("SELECT count(*) AS n FROM artifacts")).toEqual([{ n: ARTIFACTS_DEFAULT_COUNT * 0.99 }]);
    expect(await rowsOf(row(0).handle)).toEqual([]);
    expect((await rowsOf(row(9999).handle))?.length).toBe(1);
  });

  it("say where their bytes are, and where those of the longer life are once one is kept anew", async () => {
    const first = row(1, { storedAs: "d7/a/x1" });
    await settle([first]);
    expect(await rowsOf(first.handle)).toEqual([first]);
    await settle([row(1, { storedAs: "d1/a/x2", expiresAtMs: Date.now() + 1000 })]);
    expect(await rowsOf(first.handle)).toEqual([first]);
    const longer = row(1, { storedAs: "d30/a/x3", expiresAtMs: Date.now() + 4 * WEEK_MS });
    await settle([longer]);
    expect(await rowsOf(first.handle)).toEqual([longer]);
    const plain = row(1, { expiresAtMs: Date.now() + 5 * WEEK_MS });
    await settle([plain]);
    expect(await rowsOf(first.handle)).toEqual([plain]);
  });

  it("may be as many as a result's and its first answer's at once", async () => {
    const settled = await settle(Array.from({ length: 33 }, (_, index) => row(index)));
    expect(settled).toEqual({ version: 1, accepted: true, rowsWritten: settled.rowsWritten });
    expect(await sql("SELECT count(*) AS n FROM artifacts")).toEqual([{ n: 33 }]);
  });

  it("come with the next write to an object that an earlier version wrote", async () => {
    await stub().revoke({ version: 1, tokenId: "other", expiresAtMs: Date.now() + WEEK_MS });
    await withTablesOf("ada", 1);
    await abortAllDurableObjects();
    expect(await rowsOf(row(1).handle)).toEqual([]);
    await runDurableObjectAlarm(stub());
    const written = row(1);
    await settle([written]);
    expect(await rowsOf(written.handle)).toEqual([written]);
  });

  it("that cannot be read change nothing", async () => {
    for (const bad of [
      { sizeBytes: -1 },
      { lines: 1.5 },
      { lineIndex: "x".repeat(9000) },
      { handle: "" },
      { expiresAtMs: Number.NaN },
    ]) {
      expect((await settle([row(1, bad)])).accepted).toBe(false);
    }
    const many = Array.from({ length: SETTLED_ARTIFACTS_MAX_COUNT + 1 }, (_, index) => row(index));
    expect((await settle(many)).accepted).toBe(false);
    for (const storedAs of ["", "x".repeat(257)]) {
      expect((await settle([row(1, { storedAs })])).accepted).toBe(false);
    }
    expect((await admit({ artifacts: Array.from({ length: 17 }, () => "x") })).admitted).toBe(false);
  });
});
