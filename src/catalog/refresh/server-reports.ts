import { REPORT_ENTRIES_MAX_COUNT } from "../../limits.ts";
import { GENESIS } from "../../spine/fault/generation.ts";
import { boundDiff } from "../drift/diff.ts";
import type { ActiveTarget } from "../rollout/targets.ts";
import { otherTarget } from "../rollout/targets.ts";
import { OTHER_KINDS, type PerKind } from "../snapshot/pointer.ts";
import type { Composed } from "./compose.ts";
import type { Listed } from "./list-targets.ts";
import { compareExchange, type OtherTarget, TOO_LARGE } from "./other-targets.ts";
import type { CandidateReport, ServerReport } from "./refresh-contract.ts";

const COUNTED = { resource: "resources", prompt: "prompts" } as const;

/** What was found of one server. */
export interface FoundServer {
  readonly active: ActiveTarget;
  readonly listed: Listed;
  readonly other: OtherTarget | undefined;
}

/** How each server fared, its other target included. Pauses between two catalogs that are made to be compared. */
export async function serverReports(
  found: readonly FoundServer[],
  composed: Composed,
  kinds: PerKind<Composed>,
  pause: () => Promise<void>,
): Promise<readonly ServerReport[]> {
  const reports: ServerReport[] = [];
  const listed = found.map((each) => each.listed);
  for (const [at, { active, listed: own, other }] of found.entries()) {
    const part = composed.servers[at];
    if (part === undefined) continue;
    const report = withKinds(reportOf(own, part), own, kinds, at);
    if (
      otherTarget(active) === undefined &&
      active.target === "configured" &&
      active.generation === GENESIS
    ) {
      reports.push(report);
      continue;
    }
    if (other?.status === "listed") await pause();
    const candidate = other && candidateReport(listed, composed, at, other);
    reports.push({
      ...report,
      target: active.target,
      generation: active.generation,
      // Once the candidate serves, the other one waits for nothing.
      rollout: active.target === "configured" && candidate?.status === "listed" ? "pending" : "stable",
      ...(candidate === undefined ? {} : { candidate }),
    });
  }
  return reports;
}

function candidateReport(
  listed: readonly Listed[],
  composed: Composed,
  at: number,
  other: OtherTarget,
): CandidateReport {
  if (other.status === "rejected") return other;
  const { comparison, diff, tools, tooLarge } = compareExchange(listed, composed, at, other.listed);
  if (tooLarge) return { status: "rejected", reason: TOO_LARGE };
  const bound = diff && boundDiff(diff, REPORT_ENTRIES_MAX_COUNT);
  return { status: "listed", comparison, tools, ...(bound === undefined ? {} : { diff: bound }) };
}

/** The report with what became of the server's other kinds. */
function withKinds(
  report: ServerReport,
  { kinds: listed, failure }: Listed,
  composed: PerKind<Composed>,
  at: number,
): ServerReport {
  const counts: { resources?: number; prompts?: number } = {};
  const skipped = [...report.skipped];
  const findings = [...report.findings];
  let omitted = report.omitted ?? 0;
  for (const kind of OTHER_KINDS) {
    const [own, part] = [listed[kind], composed[kind]?.servers[at]];
    if (part !== undefined && part.tools > 0) counts[COUNTED[kind]] = part.tools;
    // A server that did not answer at all has said so once.
    if (failure === undefined)
      for (const tool of own?.failed ?? []) findings.push({ tool, code: "not_listed" });
    if (part?.tooLarge === true) skipped.push({ name: COUNTED[kind], reason: "catalog_too_large" });
    skipped.push(...(own?.listing?.skipped ?? []), ...(part?.skipped ?? []));
    findings.push(...(own?.listing?.findings ?? []));
    omitted += own?.listing?.omitted ?? 0;
  }
  const more = [skipped, findings].map(({ length }) => Math.max(0, length - REPORT_ENTRIES_MAX_COUNT));
  omitted += more.reduce((sum, count) => sum + count, 0);
  return {
    ...report,
    ...counts,
    skipped: skipped.slice(0, REPORT_ENTRIES_MAX_COUNT),
    findings: findings.slice(0, REPORT_ENTRIES_MAX_COUNT),
    ...(omitted > 0 ? { omitted } : {}),
  };
}

function reportOf(listed: Listed, composed: Composed["servers"][number]): ServerReport {
  const reason = composed.tooLarge ? TOO_LARGE : listed.failure;
  const { skipped = [], findings = [], omitted: before = 0 } = listed.listing ?? {};
  const all = [...skipped, ...composed.skipped];
  const omitted = before + Math.max(0, all.length - REPORT_ENTRIES_MAX_COUNT);
  const isFailed = composed.tooLarge || (listed.failure !== undefined && listed.listing === undefined);
  return {
    name: listed.server.name,
    status: isFailed ? "failed" : listed.failure === undefined ? "ok" : "stale",
    tools: composed.tools,
    skipped: all.slice(0, REPORT_ENTRIES_MAX_COUNT),
    findings,
    ...(omitted > 0 ? { omitted } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}
