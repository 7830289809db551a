import { requestIdText } from "../frame/request-id.ts";
import { ChurnHarness } from "./churn-harness.ts";
import { CHURN_HISTORIES, type ChurnStep } from "./churn-histories.ts";
import type { ChurnBounds, ChurnHost } from "./churn-host.ts";
import { thrown, type Violation } from "./violation.ts";

/**
 * Puts a host, fresh and with these bounds, through a history beside the harness, and tells the first step after which the
 * two differ: in the answer, in what is pending, or in what reached a worker.
 */
export async function historyViolations(
  host: ChurnHost,
  bounds: ChurnBounds,
  steps: readonly ChurnStep[],
): Promise<Violation[]> {
  const model = new ChurnHarness(bounds);
  for (const [index, step] of steps.entries()) {
    const wanted = await afterStep(model, step);
    const found = await afterStep(host, step).catch(thrown);
    if (found !== wanted) return [`step ${index + 1}, ${stepText(step)}: ${found} instead of ${wanted}`];
  }
  return [];
}

/** A host through all of `CHURN_HISTORIES`; `open` gives a fresh one for each. */
export async function churnViolations(
  open: (bounds: ChurnBounds) => ChurnHost | Promise<ChurnHost>,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { law, bounds, steps } of CHURN_HISTORIES) {
    const found = await historyViolations(await open(bounds), bounds, steps);
    violations.push(...found.map((violation) => `${law}: ${violation}`));
  }
  return violations;
}

/** The answer to a step and where the host stands after it, in words. */
async function afterStep(host: ChurnHost, step: ChurnStep): Promise<string> {
  const answer = await answerTo(host, step);
  const pending = (await host.pending()).map(requestIdText).join(" ");
  const dispatched = await host.dispatched();
  const last = dispatched.at(-1);
  const sent = last === undefined ? "" : `, the last ${requestIdText(last.id)} as attempt ${last.attempt}`;
  return `${answer} (pending: ${pending || "none"}; sent: ${dispatched.length}${sent})`;
}

async function answerTo(host: ChurnHost, step: ChurnStep): Promise<string> {
  switch (step.do) {
    case "dispatch_first": {
      const begun = await host.dispatchFirst(step.id, step.contract);
      return begun.ok ? begun.value : begun.reason;
    }
    case "kill_worker": {
      const { rejected, heldForProbe } = await host.killWorker();
      const words = [
        ...rejected.map(({ id, reason }) => `${requestIdText(id)} ${reason}`),
        ...heldForProbe.map((id) => `${requestIdText(id)} held`),
      ];
      return words.join(", ") || "nothing rejected or held";
    }
    case "dispatch_next": {
      const sent = await host.dispatchNext();
      return sent.kind === "empty" ? "empty" : `${sent.kind} ${requestIdText(sent.id)}`;
    }
    case "resolve_probe": {
      const resolved = await host.resolveProbe(step.id, step.resolution);
      return resolved.ok ? resolved.value : resolved.reason;
    }
    case "complete": {
      const completed = await host.complete(step.id);
      return completed.ok ? "completed" : completed.reason;
    }
  }
}

function stepText(step: ChurnStep): string {
  switch (step.do) {
    case "dispatch_first":
      return `${step.do} ${requestIdText(step.id)} ${step.contract}`;
    case "resolve_probe":
      return `${step.do} ${requestIdText(step.id)} ${step.resolution}`;
    case "complete":
      return `${step.do} ${requestIdText(step.id)}`;
    case "kill_worker":
    case "dispatch_next":
      return step.do;
  }
}
