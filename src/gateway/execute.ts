import { orderedCard } from "../catalog/cards/card.ts";
import type { CatalogTool } from "../catalog/catalog.ts";
import { openAccount } from "../dispatch/call-account.ts";
import { execute as dispatch } from "../dispatch/execute.ts";
import type { CallNotes, ExecutePorts, PresentedAnswer, Remains } from "../dispatch/ports.ts";
import type { GatewayFailure } from "../errors.ts";
import { logDetail } from "../errors.ts";
import { memberOf } from "../json.ts";
import { firstCodePoints } from "../catalog/cards/display-text.ts";
import { ARG_REPAIRS_TOLD_MAX_COUNT, ARG_REPAIR_PATH_MAX_CODE_POINTS } from "../limits.ts";
import { createKeeper } from "../firewall/artifacts/keeper.ts";
import { type Keep, presentResult } from "../firewall/present.ts";
import type { CallProvenance } from "../firewall/envelope.ts";
import { readToolResult } from "../firewall/result/tool-result.ts";
import type { CallOrigin, ToolAnswer } from "../surface.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { ok, type Result } from "../result.ts";
import {
  ENVELOPE_KEY,
  errorAnswer,
  KEPT_PARTS_KEY,
  objectAnswer,
  type Render,
  shownPath,
  textPart,
} from "./answers.ts";
import { readExecuteArguments } from "./arguments.ts";
import { askApproval } from "./ask-approval.ts";
import type { CallContext } from "./call-context.ts";
import { firstAnswer, keepAnswer } from "./first-answer.ts";
import type { GatewayPorts } from "./ports.ts";
import { quotaOwnerOf, wireQuota } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { executeEvent, executeUpstreams } from "./telling/execute-event.ts";
import { executeFailed } from "./telling/execute-failure.ts";
import { figuresOf } from "./telling/result-figures.ts";

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
  return {
    catalogs: ports.catalogs,
    validators: ports.validators,
    controls: ports.controls,
    results: ports.results,
    principal: context.principal,
    newId: () => ports.newId(),
    now: () => ports.now(),
    random: () => ports.random(),
    sleep: (delayMs, signal) => ports.sleep(delayMs, signal),
    sees: (id) => context.sees(id),
    admit: ({ quota, ...ask }) =>
      context.admit(quota === undefined ? ask : { ...ask, quota: wireQuota(quota) }),
    // Where the catalog says that the call was checked against, whatever is promoted meanwhile.
    upstream: (tool) => ports.upstream(tool.server, tool.target),
    present: (tool, result, notes) => present(tool, result, notes, context, ports, render),
    keepAnswer: (tool, executed) => keepAnswer(executed, keeperFor(tool, context, ports)),
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

/** Scrubbed first of all, so that no secret gets into an artifact or into what a handle is made of. */
async function present(
  tool: CatalogTool,
  result: Readonly<Record<string, unknown>>,
  notes: CallNotes,
  context: RequestContext,
  ports: GatewayPorts,
  render: Render,
): Promise<Result<PresentedAnswer<ToolAnswer>, string>> {
  // Judged before the scrubber walks it, and again as it will be shown: the first bounds the walk.
  const judged = readToolResult(result);
  if (!judged.ok) return judged;
  const scrubbed = ports.scrubber.record(result);
  const clean = scrubbed === result ? judged : readToolResult(scrubbed);
  if (!clean.ok) return clean;
  const keep = keeperFor(tool, context, ports);
  const presented = await presentResult(clean.value, tool, provenanceOf(notes), keep);
  for (const failure of presented.failures) ports.log(failure);
  const answer = objectAnswer(render, presented.envelope, presented.content, presented.beside);
  const meta = Object.entries(presented.meta ?? {}).filter(([key]) => !key.startsWith("loomgate/"));
  return ok({
    answer: {
      ...presented.foreign,
      ...answer,
      ...(presented.isError ? { isError: true } : {}),
      _meta: {
        ...Object.fromEntries(meta),
        [ENVELOPE_KEY]: presented.envelope,
        ...(presented.keptParts.length === 0 ? {} : { [KEPT_PARTS_KEY]: presented.keptParts }),
      },
    },
    kept: presented.records,
    figures: figuresOf(presented.envelope),
  });
}

function keeperFor(tool: CatalogTool, { principal }: RequestContext, ports: GatewayPorts): Keep {
  return createKeeper({
    store: ports.artifacts,
    ring: ports.artifactKeys,
    principal,
    owner: principalObjectName(principal),
    toolId: tool.id,
    nowMs: ports.now(),
  });
}

/** Only what was done stands in the provenance; names in it are the caller's own, as many and as long as it liked. */
function provenanceOf({ repairs, cacheHit, attempts }: CallNotes): CallProvenance {
  const told = repairs
    .slice(0, ARG_REPAIRS_TOLD_MAX_COUNT)
    .map(({ path, rule }) => ({ path: firstCodePoints(path, ARG_REPAIR_PATH_MAX_CODE_POINTS), rule }));
  const untold = repairs.length - told.length;
  return {
    ...(told.length === 0 ? {} : { arg_repairs: told }),
    ...(untold === 0 ? {} : { arg_repairs_untold: untold }),
    ...(cacheHit ? { cache_hit: true } : {}),
    ...(attempts > 1 ? { attempts } : {}),
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
    ...(kept.length === 0 ? {} : { artifacts: [...kept] }),
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
