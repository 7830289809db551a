import { openAccount } from "../../dispatch/call-account.ts";
import type { GatewayFailure } from "../../errors.ts";
import type { ListedForm } from "../../identity/listed-form.ts";
import type { ReplayContract } from "../../spine/replay/contract.ts";
import { registeredTools } from "../registered-tools.ts";
import { type Surface, type ToolAnswer, UNNAMED_CALL } from "../../surface.ts";
import { VERSION } from "../../version.ts";
import { admittedCall } from "../admitted-context.ts";
import { errorAnswer } from "../answers.ts";
import type { CallContext } from "../call-context.ts";
import { cancelCall } from "../cancel.ts";
import { hydrate } from "../hydrate.ts";
import type { GatewayPorts } from "../ports.ts";
import { quotaOwnerOf } from "../quota.ts";
import type { RequestContext } from "../request-context.ts";
import { scrubbedAnswer } from "../scrubbed-answer.ts";
import type { CallEvent } from "../telling/call-event.ts";
import { executeFailed } from "../telling/execute-failure.ts";
import { hydrateFailed } from "../telling/hydrate-event.ts";
import { listedOnly } from "./listed-only.ts";
import type { NativePart } from "./native-part.ts";
import { type ProxyCall, proxyExecute } from "./proxy-execute.ts";
import { PROXY_INSTRUCTIONS } from "./proxy-instructions.ts";
import type { ProxyToolName } from "./proxy-tools.ts";
import { toolPage } from "./tool-page.ts";

export interface ProxyOptions {
  /** In which form tools are listed. */
  readonly names: ListedForm;
  /** Absent: nothing but tools. */
  readonly native?: NativePart | undefined;
}

interface ProxyTool {
  /** Answers, and tells the context how the call ended. */
  readonly call: (
    args: unknown,
    call: ProxyCall,
    context: CallContext,
    ports: GatewayPorts,
    native: NativePart | undefined,
  ) => Promise<ToolAnswer>;
  /** What is told of a call that did not get as far as to tell of itself. */
  readonly failed: (failure: GatewayFailure, ports: GatewayPorts) => CallEvent;
  /** What it promises about being called twice. */
  readonly contract: ReplayContract;
}

const TOOLS: Readonly<Record<ProxyToolName, ProxyTool>> = {
  tool_hydrate: {
    call: (args, _call, context, ports) => hydrate(args, context, ports),
    failed: (failure) => hydrateFailed(null, failure),
    contract: "convergent",
  },
  tool_execute: {
    call: proxyExecute,
    failed: executeFailedUnnamed,
    // It runs whatever tool is named, and that tool's own contract counts.
    contract: "never_replay",
  },
};

const REGISTERED = registeredTools("proxy", TOOLS);

/**
 * The transparent proxy as the protocol's faces serve it (seed 000 §4.1): every tool listed without its arguments, beside the
 * two that show and run them. Nothing throws across it, every call is admitted once, and nothing leaves it unscrubbed.
 */
export function proxySurface(ports: GatewayPorts, { names, native }: ProxyOptions): Surface<RequestContext> {
  return {
    name: "loomgate-proxy",
    version: VERSION,
    instructions: PROXY_INSTRUCTIONS,
    admitting: new Set(["tools/list", "tools/call", ...(native?.admitting ?? [])]),
    tools: (context, cursor) => toolPage(cursor, names, context, ports),
    call: async (name, args, context, origin = UNNAMED_CALL, line) => {
      const tool = REGISTERED.get(name);
      const answer = await admittedCall(
        async (admitted) =>
          tool === undefined
            ? listedOnly(name, admitted, ports)
            : tool.call(args, { origin, line }, admitted, ports, native),
        (failure, admitted) => {
          admitted.tell((tool?.failed ?? executeFailedUnnamed)(failure, ports));
          return errorAnswer(failure);
        },
        context,
        ports,
      );
      return answer === undefined ? undefined : scrubbedAnswer(answer, ports.scrubber);
    },
    cancel: (requestKey, reason, context) => cancelCall(requestKey, reason, context, ports),
    ...(native === undefined
      ? {}
      : {
          capabilities: (context) => native.capabilities(context),
          request: (method, params, context, origin) => native.request(method, params, context, origin),
        }),
  };
}

function executeFailedUnnamed(failure: GatewayFailure, ports: GatewayPorts): CallEvent {
  return executeFailed(failure, openAccount("", false), quotaOwnerOf(ports));
}
