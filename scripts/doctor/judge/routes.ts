import { fail, ok, type Result } from "../../../src/result.ts";
import type { Advice } from "../advice.ts";
import type { OperatorSeen } from "../deployment/look.ts";
import { readJson, type Seen, wordsOf } from "../deployment/seen.ts";
import { type Check, failed, type Finding, passed, skipped } from "../finding.ts";

const OPERATOR_REFUSALS: ReadonlyMap<number, Pick<Finding, "what" | "mend">> = new Map([
  [
    401,
    {
      what: "401: this is not the deployment's OPERATOR_TOKEN, or it has none",
      mend: "set OPERATOR_TOKEN to the Worker's secret of that name (`npx wrangler secret put OPERATOR_TOKEN`)",
    },
  ],
  [
    403,
    {
      what: "403: this bearer may not use the operator's routes: it is a client's, or a proxy refuses",
      mend: "set OPERATOR_TOKEN to the operator's secret, not to a token that was issued",
    },
  ],
]);

/** Whether the operator's bearer works: one finding, however many routes refuse it. */
export function judgeOperatorBearer({ status, tokens, approvals, metrics, catalog }: OperatorSeen): Finding {
  const answers = [status, tokens, approvals, metrics, ...catalog];
  for (const [code, words] of OPERATOR_REFUSALS) {
    if (answers.some((seen) => statusOf(seen) === code)) return failed("operator.bearer", words);
  }
  return answers.some((seen) => statusOf(seen) === 200)
    ? passed("operator.bearer", "the operator's bearer is taken")
    : skipped("operator.bearer", "no route of the operator's says whether it is taken");
}

/** An operator's route that gives no JSON: what its status means, and what helps. */
export function routeProblem(
  check: Check,
  subject: string,
  seen: Seen,
  advice: Advice,
  why = wordsOf(seen),
): Finding {
  return failed(check, { subject, what: why, mend: mendFor(seen, advice) });
}

/** The JSON of an operator's route, or the finding that there is none. */
export function routeJson(
  check: Check,
  subject: string,
  seen: Seen,
  advice: Advice,
): Result<unknown, Finding> {
  const json = readJson(seen);
  return json.ok ? ok(json.value) : fail(routeProblem(check, subject, seen, advice, json.reason));
}

function mendFor(seen: Seen, { log, migrate }: Advice): string {
  if (seen.kind !== "answer") return `ask again; its log may say why (${log})`;
  switch (seen.status) {
    case 200:
      return "look for a proxy or a login page before it";
    case 404:
      return "there is no such route: an older version runs there, or something else; deploy this checkout";
    case 429:
      return "ask again in a minute";
    case 500:
      return `${migrate}; its log says more (${log})`;
    case 503:
      return `ask again; if it stays so, its log says why (${log})`;
    default:
      return "look for a mistake in the address, and for a proxy or a login page before it";
  }
}

export function statusOf(seen: Seen): number | undefined {
  return seen.kind === "answer" ? seen.status : undefined;
}
