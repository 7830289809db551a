import { requestIdKey, requestIdText } from "../frame/request-id.ts";
import type { ReplayAllowance } from "../replay/allowance.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../replay/contract.ts";
import { requestDisposition } from "../replay/disposition.ts";
import { EXECUTION_KNOWLEDGE, type ExecutionKnowledge } from "../replay/knowledge.ts";
import { PROBE_RESOLUTIONS, type ProbeResolution } from "../replay/probe.ts";
import type { Dispatched } from "./churn-host.ts";
import { told, type Violation } from "./violation.ts";

/** One attempt left, none left, none from the beginning, and more used than there is since the bound was lowered. */
const ALLOWANCES: readonly ReplayAllowance[] = [
  { attempts_used: 0, max_attempts: 1 },
  { attempts_used: 1, max_attempts: 1 },
  { attempts_used: 0, max_attempts: 0 },
  { attempts_used: 1, max_attempts: 0 },
];

/** A host's own decision, called with every case there is. */
export type Decide = (
  knowledge: ExecutionKnowledge,
  contract: ReplayContract,
  probe: ProbeResolution | undefined,
  allowance: ReplayAllowance,
) => string;

/** A host decides as the table does, in all of its cases, and never throws. */
export function dispositionViolations(decide: Decide): Violation[] {
  const violations: Violation[] = [];
  for (const knowledge of EXECUTION_KNOWLEDGE) {
    for (const contract of REPLAY_CONTRACTS) {
      for (const probe of [undefined, ...PROBE_RESOLUTIONS]) {
        for (const allowance of ALLOWANCES) {
          const wanted = requestDisposition(knowledge, contract, probe, allowance);
          const decided = told(() => decide(knowledge, contract, probe, allowance));
          if (decided === wanted) continue;
          const { attempts_used: used, max_attempts: max } = allowance;
          const of = `${knowledge}, ${contract}, ${probe ?? "no probe"}, ${used} of ${max} attempts used`;
          violations.push(`${of}: ${decided} instead of ${wanted}`);
        }
      }
    }
  }
  return violations;
}

/**
 * What reached a worker, held against the contracts: nothing that may not run again did, and attempts count up to the
 * bound. For histories in which each id stands for one request.
 */
export function dispatchViolations(
  dispatched: readonly Dispatched[],
  contractOf: (id: Dispatched["id"]) => ReplayContract,
  maxAttempts: number,
): Violation[] {
  const last = new Map<string, number>();
  return dispatched.flatMap(({ id, attempt }) => {
    const key = requestIdKey(id);
    const name = requestIdText(id);
    const before = last.get(key);
    last.set(key, attempt);
    if (before === undefined) return attempt === 0 ? [] : [`${name}: first seen as attempt ${attempt}`];
    if (contractOf(id) === "never_replay") return [`${name}: sent again although never_replay`];
    if (attempt !== before + 1) return [`${name}: attempt ${attempt} after ${before}`];
    return attempt > maxAttempts ? [`${name}: attempt ${attempt} of at most ${maxAttempts}`] : [];
  });
}

/** A host that is asked to register these operations refuses: each lacks what a surface has to declare. */
export function registrationViolations(register: (declared: readonly unknown[]) => boolean): Violation[] {
  const good = { surface: "s", operation: "o", contract: "convergent" };
  const bad: readonly (readonly [string, readonly unknown[]])[] = [
    ["an operation without a contract", [{ surface: "s", operation: "o" }]],
    ["an unknown contract", [{ ...good, contract: "sometimes" }]],
    ["one operation twice", [good, good]],
    ["one bad operation among good ones", [good, { surface: "s", operation: "p" }]],
  ];
  // A registration that throws refuses, too.
  const takes = (declared: readonly unknown[]) => told(() => String(register(declared))) === "true";
  const taken = bad.filter(([, declared]) => takes(declared)).map(([name]) => `registered ${name}`);
  return takes([good]) ? taken : [...taken, "refused a good operation"];
}
