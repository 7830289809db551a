import { orderedCard } from "../catalog/cards/card.ts";
import type { CatalogTool } from "../catalog/catalog.ts";
import { openAccount } from "../dispatch/call-account.ts";
import { execute as dispatch } from "../dispatch/execute.ts";
import type { ExecutePorts, Remains } from "../dispatch/ports.ts";
import type { GatewayFailure } from "../errors.ts";
import { logDetail } from "../errors.ts";
import { memberOf } from "../json.ts";
import type { CallOrigin, ToolAnswer } from "../surface.ts";
import { errorAnswer, objectAnswer, type Render, shownPath, textPart } from "./answers.ts";
import { readExecuteArguments } from "./arguments.ts";
import { askApproval } from "./ask-approval.ts";
import type { CallContext } from "./call-context.ts";
import { callKeeping } from "./call-keeping.ts";
import { firstAnswer, keepAnswer } from "./first-answer.ts";
import type { GatewayPorts } from "./ports.ts";
import { present } from "./present.ts";
import { quotaOwnerOf, wireQuota } from "./quota.ts";
import { executeEvent, executeUpstreams } from "./telling/execute-event.ts";
import { executeFailed } from "./telling/execute-failure.ts";
import { artifactQuota } from "./tool-artifacts.ts";

/** `tool_execute`: the pipeline of `dispatch`, handed what this gateway stands on. */
export async function execute(
  args: unknown,
  context: CallContext,
  ports: GatewayPorts,
  origin: CallOrigin = UNNAMED,
): Promise<ToolAnswer> {
  const read = readExecuteArguments(args, ports.controls.gateway.tolerant_args);
  if (!read.ok) {
    const dryRun = memberOf(args, "dry_run") === true;
    context.tell(executeFailed(read.reason, openAccount("", dryRun), quotaOwnerOf(ports)));
    return errorAnswer(read.reason);
  }
  const { toolId, dryRun, render } = read.value;
  const operation = { toolId, path: shownPath(toolId), args: read.value.args, dryRun, origin };
  const executed = await dispatch(operation, executePorts(context, ports, render));
  switch (executed.kind) {
    case "failed":
      logFailure(executed.failure, ports);
      return errorAnswer(executed.failure);
    case "report":
      return reportAnswer(executed.report, render);
    case "answer":
      return executed.answer;
    case "repeated":
      return firstAnswer(executed.first, executed.toolId);
  }
}

/** A call that nothing tells from another. */
const UNNAMED: CallOrigin = { requestKey: null, idempotencyKey: null };

function executePorts(
  context: CallContext,
  ports: GatewayPorts,
  render: Render,
): ExecutePorts<CatalogTool, ToolAnswer> {
  const keeping = callKeeping(context, ports);
  return {
    catalogs: ports.catalogs,
    validators: ports.validators,
    controls: ports.controls,
    results: ports.results,
    principal: context.principal,
    artifactQuota: artifactQuota(ports.controls.gateway.artifacts),
    newId: () => ports.newId(),
    now: () => ports.now(),
    random: () => ports.random(),
    sleep: (delayMs, signal) => ports.sleep(delayMs, signal),
    sees: (id) => context.sees(id),
    admit: ({ quota, ...ask }) =>
      context.admit(quota === undefined ? ask : { ...ask, quota: wireQuota(quota) }),
    // Where the catalog says that the call was checked against, whatever is promoted meanwhile.
    upstream: (tool) => ports.upstream(tool.server, tool.target),
    largeSinks: (tool, timeoutMs) => keeping.sinks(tool, timeoutMs),
    present: async (tool, result, notes) => {
      try {
        return await present(tool, result, notes, keeping, ports, render);
      } finally {
        await keeping.end(result);
      }
    },
    keepAnswer: (tool, executed) => keepAnswer(executed, keeping.keep(tool)),
    askApproval: (request) =>
      askApproval({ ...request, toolId: request.tool.id, server: request.tool.server }, context, ports),
    settle: (remains) => {
      settle(remains, context, ports);
    },
    waitUntil: (work) => {
      context.waitUntil(work);
    },
  };
}

/** Tells the principal's object all of it at once. */
function settle(remains: Remains<CatalogTool, ToolAnswer>, context: CallContext, ports: GatewayPorts): void {
  const { opened, lost, kept, journal, executed, account } = remains;
  // Seed 000 §5.1: a tool that was hydrated counts as seen.
  const seen = ports.settings.cacheStable ? seenIn(remains, context) : undefined;
  const report = {
    ...(opened.length === 0 ? {} : { opened: [...opened] }),
    ...(lost.length === 0 ? {} : { lost: [...lost] }),
    // Frees the room that was held for what the call might keep.
    attempt: account.attempt,
    ...(kept.length === 0
      ? {}
      : { artifacts: [...kept], artifactQuota: artifactQuota(ports.controls.gateway.artifacts) }),
    ...(journal === null ? {} : { journal }),
    ...(seen === undefined ? {} : { seen }),
  };
  const more = { key: account.attempt, upstreams: executeUpstreams(executed, account) };
  context.tell(executeEvent(executed, account, quotaOwnerOf(ports)), more, report);
}

function seenIn({ seen }: Remains<CatalogTool, ToolAnswer>, { sessionKey }: CallContext) {
  if (seen === null) return undefined;
  const { tool, catalogVersion } = seen;
  const json = JSON.stringify(orderedCard(tool.card));
  return {
    sessionKey,
    catalogVersion,
    cards: [{ id: tool.id, kind: tool.card.kind, json, line: tool.line }],
  };
}

/** A dry run is JSON in both renders. */
function reportAnswer(report: object, render: Render): ToolAnswer {
  return objectAnswer(render, report, [textPart(JSON.stringify(report))]);
}

function logFailure(failure: GatewayFailure, ports: GatewayPorts): void {
  const detail = logDetail(failure);
  if (detail !== undefined) ports.log(`${failure.reason} ${failure.path}: ${detail}`);
}
