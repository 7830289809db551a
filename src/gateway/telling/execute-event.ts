import type { ResultFigures } from "../../dispatch/call-account.ts";
import type { Executed } from "../../dispatch/execute.ts";
import type { DryRunReport } from "../../dispatch/dry-run.ts";
import type { UpstreamRequest } from "../../dispatch/ports.ts";
import type { UpstreamRecord } from "../../outbox/entry.ts";
import type { ToolAnswer } from "../../surface.ts";
import { firstAnswer } from "../first-answer.ts";
import { type CallEvent, type CallEventOf, named } from "./call-event.ts";
import { askedOf, type ExecuteAccount, type QuotaOwner } from "./execute-account.ts";
import { executeFailed } from "./execute-failure.ts";
import { resultCounts } from "./result-figures.ts";
import { upstreamRecord } from "./upstream-account.ts";

/** The one event of an execute, however it ended. */
export function executeEvent(
  executed: Executed<ToolAnswer>,
  account: ExecuteAccount,
  quotaOwner: QuotaOwner,
): CallEvent {
  switch (executed.kind) {
    case "failed":
      return executeFailed(executed.failure, account, quotaOwner);
    case "report":
      return dryRunReported(executed.report, account);
    case "answer":
      return account.cacheHit ? cacheHit(account) : completed(account);
    case "repeated": {
      const answer = firstAnswer(executed.first, executed.toolId);
      const isGone = executed.first === null;
      if (isGone) return executeFailed({ reason: "answer_gone", path: executed.toolId }, account, quotaOwner);
      return completed(account, answer.isError === true ? "error" : "ok");
    }
  }
}

/** What the call means for its upstream; nothing where it did not reach for one. */
export function executeUpstreams(
  executed: Executed<ToolAnswer>,
  { tool, attempts, overcome, upstreamMs }: ExecuteAccount,
  method: UpstreamRequest["method"] = "tools/call",
): readonly UpstreamRecord[] {
  if (tool === null) return [];
  const { server, targetGeneration: generation } = tool;
  const turn = { method, server, generation, attempts, overcome, latencyMs: upstreamMs };
  if (executed.kind === "failed" && executed.failure.reason === "upstream") {
    return [upstreamRecord({ ...turn, ending: { kind: "failed", failure: executed.failure.failure } })];
  }
  if (attempts === 0) return [];
  const isIllegal = executed.kind === "failed" && executed.failure.reason === "malformed_result";
  return [upstreamRecord({ ...turn, ending: { kind: isIllegal ? "illegal_result" : "answered" } })];
}

/** A tool that reports an error has answered: `status` says so, and the call has not failed on its way. */
function completed(
  account: ExecuteAccount,
  repeated?: ResultFigures["status"],
): CallEventOf<"execute.completed"> {
  const status = account.figures?.status ?? repeated ?? "ok";
  return {
    event: "execute.completed",
    success: status !== "error",
    ...named(account.tool?.id ?? null),
    attributes: { attempts: account.attempts, status, ...askedOf(account), ...resultCounts(account.figures) },
  };
}

function cacheHit(account: ExecuteAccount): CallEventOf<"execute.cache_hit"> {
  return {
    event: "execute.cache_hit",
    success: true,
    ...named(account.tool?.id ?? null),
    attributes: { ...askedOf(account), ...resultCounts(account.figures) },
  };
}

/** The run has succeeded where it has a report; `error_code` is what the call itself would be answered with. */
function dryRunReported(report: DryRunReport, account: ExecuteAccount): CallEventOf<"execute.dry_run"> {
  const code = report.checks.find(({ status }) => status === "fail")?.code;
  return {
    event: "execute.dry_run",
    success: true,
    ...named(account.tool?.id ?? null),
    attributes: {
      args_valid: report.args_valid,
      ...askedOf(account),
      ...(code === undefined ? {} : { error_code: code }),
    },
  };
}
