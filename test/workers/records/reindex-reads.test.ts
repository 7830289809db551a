import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { answerRead } from "../../../src/records/server/route.ts";
import type { Sql } from "../../../src/records/server/ports.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { ReindexStore } from "../../../src/records/store/reindex-store.ts";
import { freshNotes, note, notesManifest, NOW_MS, write } from "./ingest-rig.ts";
import { coverageOf, dataOf, portsOf, textOf } from "./read-rig.ts";

const KEYS = ["k1", "k2", "k3", "k4", "k5", "k6", "k7"];
const ORDERS = ["a", "b"] as const;
type Order = (typeof ORDERS)[number];
const text = { type: "string" };

async function load(order: Order): Promise<void> {
  const manifest = notesManifest((stream) => ({
    ...stream,
    cursor_field: order,
    schema: { type: "object", properties: { id: text, a: text, b: text } },
    query: { aggregations: { count: true, min: ["b"] } },
    consent_time_field: undefined,
  }));
  const loaded = await new ManifestStore(env.DB).load(manifest, NOW_MS);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.reason));
}

/** Keys in one order, and the other way round in the other. */
async function notesInOrder(order: Order): Promise<void> {
  await freshNotes();
  await load(order);
  await write(KEYS.map((key, index) => note(key, { a: `a${index}`, b: `b${KEYS.length - index}` })));
}

const step = () => new ReindexStore(env.DB, new BodyStore(env.ARTIFACTS), 2).step("notes", NOW_MS);

/** What comes between a bearer's coverage and the statements of its read. */
type Between = "nothing" | "wait" | "step" | "all";

async function happens(between: Between, order: Order): Promise<void> {
  if (between === "nothing") return;
  await load(order);
  if (between === "step") await step();
  if (between === "all") while (!(await step()).done);
}

async function read(query: readonly (readonly [string, string])[], between: () => Promise<void>) {
  const coverage = await coverageOf([{ id: "g", connectionId: "notes-1", streams: [{ name: "notes" }] }]);
  const ports = portsOf(coverage);
  let isFirst = true;
  const sql: Sql = {
    read: async (statements) => {
      if (isFirst) await between();
      isFirst = false;
      return ports.sql.read(statements);
    },
  };
  return answerRead({ path: ["streams", "notes", "records"], query }, { ...ports, sql });
}

const keysIn = (order: Order): readonly string[] => (order === "a" ? KEYS : KEYS.toReversed());

describe("reads while another manifest comes", () => {
  it("stay in one order or end with an error that says so, wherever in a walk it comes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ORDERS),
        fc.integer({ min: 1, max: 4 }),
        fc.array(
          fc.tuple(fc.constantFrom<Between>("nothing", "wait", "step", "all"), fc.constantFrom(...ORDERS)),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        async (begun, limit, comings) => {
          await notesInOrder(begun);
          const seen: string[] = [];
          let cursor: string | undefined;
          let refused: string | null = null;
          let page = 0;
          do {
            const [between, order] = comings[page] ?? (["nothing", begun] as const);
            page += 1;
            const more = cursor === undefined ? [] : [["cursor", cursor] as const];
            const answer = await read([["limit", String(limit)], ["order", "asc"], ...more], () =>
              happens(between, order),
            );
            if (!answer.ok) {
              refused = answer.reason.code;
              break;
            }
            const { body } = answer.value;
            seen.push(...dataOf(body).map((record) => String(memberOf(record, "id"))));
            cursor = textOf(body, "next_cursor");
          } while (cursor !== undefined);
          expect([null, "source_unavailable", "invalid_cursor"]).toContain(refused);
          const first = ORDERS.find((order) => seen[0] === keysIn(order)[0]) ?? begun;
          expect(seen).toEqual(keysIn(first).slice(0, refused === null ? KEYS.length : seen.length));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("are refused for the moment where a column went to another field meanwhile, and then read", async () => {
    await notesInOrder("a");
    const refused = await read([["count", "exact"]], () => happens("all", "b"));
    expect(refused).toMatchObject({ ok: false, reason: { code: "source_unavailable" } });
    const again = await read([["order", "asc"]], () => happens("nothing", "b"));
    expect(again.ok ? dataOf(again.value.body).map((record) => memberOf(record, "id")) : again).toEqual(
      keysIn("b"),
    );
  });
});
