import { compareCodePoints } from "../../code-points.ts";
import { CALL_COUNTERS } from "../telemetry/counters.ts";
import type { CallTelemetry, TelemetrySnapshot } from "../telemetry/snapshot.ts";
import type { Violation } from "./replay-laws.ts";

/** The sums, bounds and orders that every telemetry payload keeps. */
export function telemetryViolations(snapshot: TelemetrySnapshot): Violation[] {
  const { totals, methods, other_methods: others } = snapshot;
  const rows: readonly (readonly [string, CallTelemetry])[] = [
    ...methods.map((row) => [row.method, row] as const),
    ...(others === undefined ? [] : [["other_methods", others] as const]),
  ];
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
