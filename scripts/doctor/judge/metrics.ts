import type { Advice } from "../advice.ts";
import type { Seen } from "../deployment/seen.ts";
import { failed, type Finding, passed } from "../finding.ts";
import { routeProblem } from "./routes.ts";

const SUBJECT = "/metrics";

/** `/metrics`: OpenMetrics ends with `# EOF`, so that a scraper knows a whole answer from half of one. */
export function judgeMetrics(seen: Seen, advice: Advice): Finding {
  if (seen.kind !== "answer" || seen.status !== 200)
    return routeProblem("operator.metrics", SUBJECT, seen, advice);
  if (!/(?:^|\n)# EOF\n?$/.test(seen.text)) {
    return failed("operator.metrics", {
      subject: SUBJECT,
      what: "does not end with # EOF: it is no OpenMetrics, or was cut off",
      mend: "look for a proxy or a login page before it",
    });
  }
  return passed("operator.metrics", "/metrics answers to its end");
}
