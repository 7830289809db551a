import { expect, it } from "vitest";
import { measureRecords } from "../../scripts/bench/records/records.ts";

const LETTERS = 150;
/** Four Workers one after another, on a machine that may be busy. */
const TIMEOUT_MS = 240_000;

it(
  "the records' bench finds with each read what plain SQL finds, and counts the rows",
  async () => {
    const told: string[] = [];
    const effort = { sizes: [LETTERS], ingested: LETTERS, samples: 1 };
    const { ingest, sizes } = await measureRecords(effort, (line) => told.push(line));
    expect(ingest.records).toBe(LETTERS);
    const [size] = sizes;
    expect(size?.reads.map(({ read }) => told.includes(`records: ${LETTERS}: ${read}`))).toEqual(
      Array.from({ length: 8 }, () => true),
    );
    for (const { rows_read: rows, plain } of size?.reads ?? []) {
      expect(rows).toBeGreaterThan(0);
      expect(plain?.rows_read ?? LETTERS).toBeGreaterThanOrEqual(LETTERS);
    }
  },
  TIMEOUT_MS,
);
