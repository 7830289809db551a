import { alignColumns } from "../../eval/figures/report.ts";
import type { RecordFigures } from "./records.ts";

const NOTHING = "-";

/** The tables of the records' part, for a person. */
export function recordTables({ ingest, sizes }: RecordFigures): string {
  return [
    "Records: the resource server over a local D1, called in the Worker; ms by the clock, the median. Rows as D1 counts and",
    "bills them. Beside it, the same found by plain SQL that looks into every body (json_extract, LIKE), as one would without",
    "columns and index; its days are those of UTC, and its search ranks nothing. Rows are loaded by SQL.",
    alignColumns(
      [
        ["records", "read", "ms", "rows read", "plain ms", "plain rows", "to one"],
        ...sizes.flatMap(({ records, reads }) =>
          reads.map(({ read, ms, rows_read: rows, plain }) => [
            String(records),
            read,
            digits(ms),
            String(rows),
            plain === null ? NOTHING : digits(plain.ms),
            plain === null ? NOTHING : String(plain.rows_read),
            plain === null ? NOTHING : digits(plain.ms / ms),
          ]),
        ),
      ],
      new Set(["read"]),
    ),
    "",
    `Ingest by POST /v1/ingest in batches of ${ingest.batch}: ${ingest.records} letters in ${digits(ingest.seconds)} s, ${digits(ingest.records_per_second)} a second.`,
    `Loading by SQL: ${sizes.map(({ records, load_s: seconds }) => `${records} in ${digits(seconds)} s`).join(", ")}.`,
  ].join("\n");
}

/** Three digits tell enough. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
