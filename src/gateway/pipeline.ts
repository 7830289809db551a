import { orderedCard } from "../catalog/cards/card.ts";
import type { CatalogTool } from "../catalog/catalog.ts";
import type {
  CallNotes,
  ExecutePorts,
  PresentedAnswer,
  Remains,
  UpstreamRequest,
} from "../dispatch/ports.ts";
import type { Executed } from "../dispatch/execute.ts";
import type { GatewayFailure } from "../errors.ts";
import { logDetail } from "../errors.ts";
import { ok, type Result } from "../result.ts";
import type { CallLine, CallOrigin, ToolAnswer } from "../surface.ts";
import { askApproval } from "./ask-approval.ts";
import type { CallContext } from "./call-context.ts";
import { type CallKeeping, callKeeping } from "./call-keeping.ts";
import { keepAnswer } from "./first-answer.ts";
import { FlightWatch } from "./flight-watch.ts";
import type { GatewayPorts } from "./ports.ts";
import { relayProgress } from "./progress.ts";
import { type QuotaOwner, type ExecuteAccount } from "./telling/execute-account.ts";
import type { CallEvent } from "./telling/call-event.ts";
import { executeUpstreams } from "./telling/execute-event.ts";
import { quotaOwnerOf, wireQuota } from "./quota.ts";
import { artifactQuota } from "./tool-artifacts.ts";
import { watchedUpstream } from "./watched-upstream.ts";

/** What is a verb's own on the way of its calls: how an answer is made of a result, and how its end is told. */
export interface CallForm {
  /** Of a verb that finds its things elsewhere than among the tools. */
  readonly lookup?: Pick<
    ExecutePorts<CatalogTool, ToolAnswer>,
    "catalogs" | "find" | "unlisted" | "schemaOf" | "judge" | "meant"
  >;
  /** How the upstream is asked; absent: the tool is called. */
  readonly request?: ExecutePorts<CatalogTool, ToolAnswer>["request"];
  /** How its account names that; absent: `tools/call`. */
  readonly method?: UpstreamRequest["method"];
  /** Answers are handed on whole, so that one which is too large to hold is none. */
  readonly isWhole?: true;
  /** Nothing of an answer is kept: what is shown is all, and nobody can make the same call again under a name. */
  readonly keepsNothing?: true;
  /** Makes the answer; fails for what is no legal result, with the text for the log. */
  readonly present: (
    tool: CatalogTool,
    result: Readonly<Record<string, unknown>>,
    notes: CallNotes,
    keeping: CallKeeping,
  ) => Promise<Result<PresentedAnswer<ToolAnswer>, string>>;
  /** The one event of a call, however it ended. */
  readonly event: (executed: Executed<ToolAnswer>, account: ExecuteAccount, owner: QuotaOwner) => CallEvent;
}

/** MCP 2025-11-25, "Calling Tools". */
const callTool: ExecutePorts<CatalogTool, ToolAnswer>["request"] = ({ upstreamName }, _definition, args) => ({
  method: "tools/call",
  params: { name: upstreamName, arguments: args },
});

/** What the pipeline of `dispatch` stands on in this gateway, for one call; `line` is the way to its caller meanwhile. */
export function callPorts(
  form: CallForm,
  context: CallContext,
  ports: GatewayPorts,
  origin: CallOrigin,
  line?: CallLine,
): ExecutePorts<CatalogTool, ToolAnswer> {
  const keeping = callKeeping(context, ports);
  const watch = new FlightWatch(context, ports, origin);
  // Of the tool that is called: nothing is sent before its upstream was asked for.
  let server: string | undefined;
  return {
    catalogs: ports.catalogs,
    ...form.lookup,
    validators: ports.validators,
    controls: ports.controls,
    results: ports.results,
    principal: context.principal,
    ...(form.keepsNothing === true ? {} : { artifactQuota: artifactQuota(ports.controls.gateway.artifacts) }),
    newId: () => ports.newId(),
    now: () => ports.now(),
    random: () => ports.random(),
    sleep: (delayMs, signal) => ports.sleep(delayMs, signal),
    signal: watch.signal,
    sees: (id) => context.sees(id),
    admit: ({ quota, ...ask }) => {
      watch.asked(ask);
      return context.admit(quota === undefined ? ask : { ...ask, quota: wireQuota(quota) });
    },
    // Where the catalog says that the call was checked against, whatever is promoted meanwhile.
    upstream: (tool) => {
      server = tool.server;
      const found = ports.upstream(tool.server, tool.target);
      return found.ok ? ok(watchedUpstream(found.value, tool.server, watch, ports)) : found;
    },
    request: form.request ?? callTool,
    ...relayProgress(line, () => server, ports),
    mayRetry: (requestId) => watch.mayRetry(requestId),
    ...(form.isWhole === true
      ? {}
      : { largeSinks: (tool: CatalogTool, timeoutMs: number) => keeping.sinks(tool, timeoutMs) }),
    present: async (tool, result, notes) => {
      try {
        return await form.present(tool, result, notes, keeping);
      } finally {
        await keeping.end(result);
      }
    },
    keepAnswer: async (tool, executed) =>
      form.keepsNothing === true ? { answer: null, kept: [] } : keepAnswer(executed, keeping.keep(tool)),
    askApproval: (request) =>
      askApproval({ ...request, toolId: request.tool.id, server: request.tool.server }, context, ports),
    settle: (remains) => {
      watch.end();
      settle(remains, form, context, ports);
    },
    waitUntil: (work) => {
      context.waitUntil(work);
    },
  };
}

/** Tells the principal's object all of it at once. */
function settle(
  remains: Remains<CatalogTool, ToolAnswer>,
  form: CallForm,
  context: CallContext,
  ports: GatewayPorts,
): void {
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
  const more = { key: account.attempt, upstreams: executeUpstreams(executed, account, form.method) };
  context.tell(form.event(executed, account, quotaOwnerOf(ports)), more, report);
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

/** What an operator is told of a failure beyond what its caller is. */
export function logFailure(failure: GatewayFailure, ports: GatewayPorts): void {
  const detail = logDetail(failure);
  if (detail !== undefined) ports.log(`${failure.reason} ${failure.path}: ${detail}`);
}
