import { OPENMETRICS_TYPE } from "../ledger/openmetrics.ts";
import { renderMetrics } from "../ledger/metrics.ts";
import { UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { readReport } from "./operator-report.ts";

/** `GET /metrics`: the ledger's figures as OpenMetrics 1.0. 503 where the ledger's object gives no answer. */
export async function readMetrics(c: HttpContext): Promise<Response> {
  const read = await readReport(c);
  if (!read.ok) {
    logFor(c)(read.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const { report, view } = read.value;
  return c.body(renderMetrics(report, view), 200, { "Content-Type": OPENMETRICS_TYPE });
}
