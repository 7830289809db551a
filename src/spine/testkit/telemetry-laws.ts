import { compareCodePoints } from "../../code-points.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { CALL_COUNTERS } from "../telemetry/counters.ts";
import type { LedgerOperation } from "../telemetry/operation.ts";
import type { CallTelemetry, TelemetrySnapshot } from "../telemetry/snapshot.ts";
import { thrown, type Violation } from "./violation.ts";

/** The sums, bounds and orders that every telemetry payload keeps. */
export function telemetryViolations(snapshot: TelemetrySnapshot): Violation[] {
  const rows = rowsOf(snapshot);
  const { totals, methods } = snapshot;
  return [
    ...CALL_COUNTERS.flatMap((counter) => {
      const sum = rows.reduce((total, [, row]) => total + row[counter], 0);
      // A recovery fault may belong to the process and to no method.
      const isBelow = counter === "recovery_fault_count" && sum < totals[counter];
      return sum === totals[counter] || isBelow
        ? []
        : [`${counter}: rows make ${sum}, totals say ${totals[counter]}`];
    }),
    ...rows.flatMap(([name, row]) => rowViolations(name, row)),
    ...methods.flatMap(({ method }, index) => {
      const before = methods[index - 1]?.method;
      return before !== undefined && compareCodePoints(before, method) >= 0
        ? [`${method} stands behind ${before}`]
        : [];
    }),
  ];
}

type Row = readonly [name: string, row: CallTelemetry];

function rowsOf({ methods, other_methods: others }: TelemetrySnapshot): readonly Row[] {
  return [
    ...methods.map((row): Row => [row.method, row]),
    ...(others === undefined ? [] : [["other_methods", others] satisfies Row]),
  ];
}

function rowViolations(name: string, row: CallTelemetry): Violation[] {
  const violations: Violation[] = [];
  if (row.avg_latency_ms > row.max_latency_ms) violations.push(`${name}: the average is above the maximum`);
  if (row.success_count + row.error_count > row.request_count)
    violations.push(`${name}: more outcomes than requests`);
  if (row.response_error_count + row.recovery_error_count > row.error_count)
    violations.push(`${name}: more kinds of errors than errors`);
  for (const counter of CALL_COUNTERS) {
    if (!Number.isSafeInteger(row[counter]) || row[counter] < 0)
      violations.push(`${name}: ${counter} is no count`);
  }
  return violations;
}

/** What three sources could have counted at the same time. */
const THREE_SOURCES: readonly (readonly LedgerOperation[])[] = [
  [
    { record: "request", method: "tools/call" },
    { record: "replay", method: "tools/call" },
    { record: "success", method: "tools/call", latency_ms: 40 },
    { record: "request", method: "tools/list" },
    { record: "success", method: "tools/list", latency_ms: 1 },
  ],
  [
    { record: "request", method: "tools/call" },
    { record: "response_error", method: "tools/call", latency_ms: 7, error: "rpc_error" },
    { record: "request", method: "tools/call" },
    { record: "recovery_error", method: "tools/call", error: "unreachable" },
  ],
  [
    { record: "request", method: "ping" },
    { record: "request", method: "tools/call" },
    { record: "error", method: "tools/call", latency_ms: 3, error: "too_large" },
    { record: "success", method: "ping", latency_ms: 0 },
  ],
];

/**
 * Counts, sums and rows come out the same in whatever order the operations of several sources arrive, as long as each
 * source's own stay in order. What is called "last", and consecutive failures, follow the order of arrival and are not
 * compared. `fold` tells a ledger that has seen nothing but these operations. Sources of your own are each complete, of one
 * generation, and of no more methods than a ledger keeps rows for.
 */
export function foldOrderViolations(
  fold: (operations: readonly LedgerOperation[]) => TelemetrySnapshot,
  sources: readonly (readonly LedgerOperation[])[] = THREE_SOURCES,
): Violation[] {
  const [first, ...others] = ordersOf(sources);
  if (first === undefined) return [];
  try {
    const wanted = countsOf(fold(first.operations));
    return others.flatMap(({ name, operations }) => {
      const found = countsOf(fold(operations));
      const rows = [...new Set([...wanted.keys(), ...found.keys()])];
      return rows
        .filter((row) => found.get(row) !== wanted.get(row))
        .map(
          (row) => `${row}, ${name}: ${found.get(row) ?? "no row"} instead of ${wanted.get(row) ?? "no row"}`,
        );
    });
  } catch (error) {
    return [thrown(error)];
  }
}

/** One source after the other, from the last to the first, and one operation of each in turn. */
function ordersOf(sources: readonly (readonly LedgerOperation[])[]) {
  const rounds = Math.max(0, ...sources.map(({ length }) => length));
  const inTurn = Array.from({ length: rounds }, (_, round) =>
    sources.flatMap((source) => source.slice(round, round + 1)),
  );
  return [
    { name: "one after the other", operations: sources.flat() },
    { name: "the last source first", operations: sources.toReversed().flat() },
    { name: "in turn", operations: inTurn.flat() },
  ];
}

/** Each row's text without what follows the order of arrival. */
function countsOf(snapshot: TelemetrySnapshot): ReadonlyMap<string, string> {
  const counts = rowsOf(snapshot).map(([name, row]): [string, string] => {
    const counters = CALL_COUNTERS.map((counter) => `${counter} ${row[counter]}`).join(", ");
    return [name, `${counters}, longest ${row.max_latency_ms} ms, average ${row.avg_latency_ms} ms`];
  });
  return new Map([...counts, ["totals", exactJsonText(CALL_COUNTERS.map((name) => snapshot.totals[name]))]]);
}
