import { renderStatus } from "../ledger/porcelain.ts";
import { oneLine } from "../scrub/log-line.ts";
import { readRenderMode } from "../spine/render/mode.ts";
import { UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { readReport } from "./operator-report.ts";
import { scrubberFor } from "./scrubber.ts";

/**
 * `GET /admin/status[?render=porcelain|json]`: how the gateway and its servers fare, as lines for a person or as one JSON
 * object. 400 for another `render`; 503 where the ledger's object gives no answer.
 */
export async function readStatus(c: HttpContext): Promise<Response> {
  const mode = readRenderMode(c.req.query("render"));
  if (!mode.ok) {
    const problems = [`render is one of ${mode.reason.accepted.join(", ")}`];
    return c.json({ error: "invalid", problems }, 400);
  }
  const read = await readReport(c);
  if (!read.ok) {
    logFor(c)(read.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const { status } = read.value.report;
  if (mode.value === "porcelain") return c.text(renderStatus(status));
  const clean = scrubberFor(c.get("config"), c.env).record({ ...status });
  // A person reads it as well, often in a terminal: no character hides or turns others.
  return c.body(oneLine(JSON.stringify(clean)), 200, { "Content-Type": "application/json" });
}
