import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IngestLine } from "../../../src/records/ingest/line.ts";
import { type IngestPlan, type NewestVersion, planIngest } from "../../../src/records/ingest/plan.ts";
import { assignSlots } from "../../../src/records/manifest/slots.ts";
import { notesStream } from "./stream.ts";

const stream = notesStream();
const slots = assignSlots(stream);
const NOW_MS = Date.parse("2026-06-01T00:00:00Z");

/** What plans are made over and written into, as a database would. */
interface Feed {
  readonly headVersion: number;
  readonly lastEmittedAt: string | null;
  readonly newest: ReadonlyMap<string, NewestVersion>;
  /** The version of each live record. */
  readonly rows: ReadonlyMap<string, number>;
  readonly versions: ReadonlyMap<number, { readonly key: string; readonly supersededBy: number | null }>;
  readonly documents: ReadonlyMap<string, string>;
  readonly count: number;
}

const EMPTY: Feed = {
  headVersion: 0,
  lastEmittedAt: null,
  newest: new Map(),
  rows: new Map(),
  versions: new Map(),
  documents: new Map(),
  count: 0,
};

function planOver(feed: Feed, lines: readonly IngestLine[]): IngestPlan {
  return planIngest({ ...feed, stream, slots, next: null, isReordered: false, lines, nowMs: NOW_MS });
}

function written(feed: Feed, plan: IngestPlan): Feed {
  const versions = new Map(feed.versions);
  const newest = new Map(feed.newest);
  const rows = new Map(feed.rows);
  const documents = new Map(feed.documents);
  for (const { version, key, emittedAt, line, supersededBy } of plan.versions) {
    versions.set(version, { key, supersededBy });
    newest.set(key, { version, emittedAt, hash: line?.hash ?? null });
  }
  for (const version of plan.superseded) {
    const before = versions.get(version);
    if (before === undefined || before.supersededBy !== null) throw new Error("superseded twice");
    const next = plan.versions.find(({ key: other }) => other === before.key);
    if (next === undefined) throw new Error("superseded by nothing");
    versions.set(version, { ...before, supersededBy: next.version });
  }
  for (const key of plan.replacedKeys) {
    if (!rows.delete(key)) throw new Error("no row to replace");
    documents.delete(key);
  }
  for (const { key, version } of plan.rows) {
    if (rows.has(key)) throw new Error("two rows of one record");
    rows.set(key, version);
  }
  for (const { key, terms } of plan.documents) documents.set(key, terms);
  const { headVersion, lastEmittedAt } = plan;
  return {
    headVersion,
    lastEmittedAt,
    newest,
    rows,
    versions,
    documents,
    count: feed.count + plan.countChange,
  };
}

const key = fc.constantFrom("a", "b", "__proto__", "constructor", "ä");
const time = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2025-12-31");
const put = fc
  .record({ key, title: fc.constantFrom("one", "two words", ""), emittedAt: time })
  .map(({ key: name, title, emittedAt }): IngestLine => {
    const data = { id: name, title };
    const text = JSON.stringify(data);
    return { kind: "data", line: 0, key: name, emittedAt, data, text, bytes: text.length, hash: text };
  });
const remove = fc
  .record({ key, emittedAt: fc.option(time) })
  .map((line): IngestLine => ({ kind: "delete", line: 0, key: line.key, emittedAt: line.emittedAt }));
const batch = fc
  .array(fc.oneof({ weight: 3, arbitrary: put }, { weight: 1, arbitrary: remove }), { maxLength: 12 })
  .map((lines) => lines.map((line, index) => ({ ...line, line: index + 1 })));
const batches = fc.array(batch, { maxLength: 6 });

describe("planned batches", () => {
  it("leave what a map that is written line by line would hold", () => {
    fc.assert(
      fc.property(batches, (all) => {
        const model = new Map<string, IngestLine>();
        let feed = EMPTY;
        for (const lines of all) {
          feed = written(feed, planOver(feed, lines));
          for (const line of lines) {
            if (line.kind === "delete") model.delete(line.key);
            else model.set(line.key, line);
          }
        }
        expect(new Set(feed.rows.keys())).toEqual(new Set(model.keys()));
        expect(feed.count).toBe(model.size);
        for (const [name, line] of model) {
          const newest = feed.newest.get(name);
          expect(newest?.version).toBe(feed.rows.get(name));
          expect(line.kind === "data" && [line.hash, line.emittedAt]).toEqual([
            newest?.hash,
            newest?.emittedAt,
          ]);
          const hasWords = line.kind === "data" && line.data["title"] !== "";
          expect(feed.documents.has(name)).toBe(hasWords);
        }
        expect(feed.documents.size).toBeLessThanOrEqual(model.size);
      }),
    );
  });

  it("number their versions without a hole, each superseded by its record's next", () => {
    fc.assert(
      fc.property(batches, (all) => {
        const feed = all.reduce((before, lines) => written(before, planOver(before, lines)), EMPTY);
        expect([...feed.versions.keys()]).toEqual(
          Array.from({ length: feed.headVersion }, (_, index) => index + 1),
        );
        for (const [version, { key: name, supersededBy }] of feed.versions) {
          const next = [...feed.versions].find(([later, other]) => later > version && other.key === name);
          expect(supersededBy).toBe(next?.[0] ?? null);
        }
      }),
    );
  });

  it("change nothing when they are repeated, and say so", () => {
    fc.assert(
      fc.property(batches, batch, (all, last) => {
        const before = all.reduce((feed, lines) => written(feed, planOver(feed, lines)), EMPTY);
        const after = written(before, planOver(before, last));
        const again = planOver(after, last);
        expect(again.versions).toEqual([]);
        expect(again.headVersion).toBe(after.headVersion);
        for (const { line, status } of again.report)
          expect(status).toBe(last[line - 1]?.kind === "delete" ? "absent" : "unchanged");
      }),
    );
  });

  it("report each line in its order, as many changes as there are versions", () => {
    fc.assert(
      fc.property(batches, batch, (all, last) => {
        const before = all.reduce((feed, lines) => written(feed, planOver(feed, lines)), EMPTY);
        const plan = planOver(before, last);
        expect(plan.report.map(({ line }) => line)).toEqual(last.map(({ line }) => line));
        const changes = plan.report.filter(({ status }) => status !== "unchanged" && status !== "absent");
        expect(changes).toHaveLength(plan.versions.length);
      }),
    );
  });

  it("do not depend on how lines of different records are mixed", () => {
    fc.assert(
      fc.property(batch, (lines) => {
        const sorted = [...lines].toSorted((one, other) =>
          one.key < other.key ? -1 : Number(one.key > other.key),
        );
        const [mixed, apart] = [lines, sorted].map((order) => written(EMPTY, planOver(EMPTY, order)));
        const states = (feed: Feed | undefined) =>
          new Map([...(feed?.newest ?? [])].map(([name, { hash, emittedAt }]) => [name, [hash, emittedAt]]));
        expect(states(mixed)).toEqual(states(apart));
      }),
    );
  });

  it("tell the latest time that was emitted, by the instant", () => {
    const lines = [put, put].map((_, index): IngestLine => {
      const emittedAt = ["2026-01-01T01:00:00+02:00", "2025-12-31T22:59:59Z"][index] ?? "";
      return { kind: "delete", line: index + 1, key: "a", emittedAt };
    });
    const newest = new Map([["a", { version: 1, emittedAt: "2020-01-01", hash: "h" }]]);
    const plan = planIngest({
      next: null,
      isReordered: false,
      stream,
      slots,
      headVersion: 1,
      lastEmittedAt: "2025-12-31T22:59:59.9Z",
      newest,
      lines,
      nowMs: NOW_MS,
    });
    expect(plan.lastEmittedAt).toBe("2026-01-01T01:00:00+02:00");
  });
});
