import { openAccount } from "../dispatch/call-account.ts";
import type { GatewayFailure } from "../errors.ts";
import type { CallOrigin, Surface, ToolAnswer } from "../surface.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { registerOperations } from "../spine/replay/registry.ts";
import { VERSION } from "../version.ts";
import { admittedCall } from "./admitted-context.ts";
import { errorAnswer } from "./answers.ts";
import { browse } from "./browse.ts";
import type { CallContext } from "./call-context.ts";
import { execute } from "./execute.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { type MetaToolName, metaTools } from "./meta-tools.ts";
import type { GatewayPorts } from "./ports.ts";
import { quotaOwnerOf } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { browseFailed } from "./telling/browse-event.ts";
import type { CallEvent } from "./telling/call-event.ts";
import { executeFailed } from "./telling/execute-failure.ts";
import { viewFailed } from "./telling/view-event.ts";
import { view } from "./view.ts";

interface MetaTool {
  /** Answers, and tells the context how the call ended. */
  readonly call: (
    args: unknown,
    context: CallContext,
    ports: GatewayPorts,
    origin: CallOrigin | undefined,
  ) => Promise<ToolAnswer>;
  /** What is told of a call that did not get as far as to tell of itself. */
  readonly failed: (failure: GatewayFailure, ports: GatewayPorts) => CallEvent;
  /** What it promises about being called twice. */
  readonly contract: ReplayContract;
}

const META_TOOLS: Readonly<Record<MetaToolName, MetaTool>> = {
  tool_browse: {
    call: browse,
    failed: (failure) => browseFailed(null, failure),
    contract: "convergent",
  },
  tool_execute: {
    call: execute,
    failed: (failure, ports) => executeFailed(failure, openAccount("", false), quotaOwnerOf(ports)),
    // It runs whatever tool is named, and that tool's own contract counts.
    contract: "never_replay",
  },
  tool_view: {
    call: view,
    failed: (failure) => viewFailed(null, null, failure),
    contract: "convergent",
  },
};

/** By name, once every one of them has a contract; without one there is no gateway. */
function registeredTools(): ReadonlyMap<string, MetaTool> {
  const declared = Object.entries(META_TOOLS);
  const registered = registerOperations(
    declared.map(([operation, { contract }]) => ({ surface: "gateway", operation, contract })),
  );
  if (!registered.ok) throw new Error(`meta-tools refused: ${JSON.stringify(registered.reason)}`);
  return new Map(declared);
}

const REGISTERED = registeredTools();

/**
 * The gateway as the protocol's faces serve it: three tools over any number. Nothing throws across it, every call is
 * admitted, and nothing leaves it unscrubbed.
 */
export function gatewaySurface(ports: GatewayPorts): Surface<RequestContext> {
  return {
    name: "loomgate",
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: async () => metaTools((await namespaces(ports)).map((name) => ports.scrubber.text(name))),
    call: async (name, args, context, origin) => {
      const tool = REGISTERED.get(name);
      const answer = await admittedCall(
        async (admitted) => tool?.call(args, admitted, ports, origin),
        (failure, admitted) => {
          if (tool !== undefined) admitted.tell(tool.failed(failure, ports));
          return errorAnswer(failure);
        },
        context,
        ports,
      );
      return tool === undefined || answer === undefined ? undefined : scrubbed(answer, ports.scrubber);
    },
  };
}

/** All namespaces, whoever asks: a list that changed with the bearer's scopes would tell what they hide. */
async function namespaces(ports: GatewayPorts): Promise<readonly string[]> {
  try {
    const loaded = await ports.catalogs.current();
    if (loaded.ok) return loaded.value.namespaces(() => true).map(({ namespace }) => namespace);
    ports.log(loaded.reason.detail);
  } catch (error) {
    ports.log(String(error));
  }
  return [];
}

function scrubbed(answer: ToolAnswer, scrubber: Scrubber): ToolAnswer {
  const { content: _c, structuredContent: _s, isError: _e, _meta: _m, ...foreign } = answer;
  return {
    ...scrubber.record(foreign),
    content: answer.content.map((part) => scrubber.value(part)),
    ...(answer.structuredContent === undefined
      ? {}
      : { structuredContent: scrubber.value(answer.structuredContent) }),
    ...(answer.isError === undefined ? {} : { isError: answer.isError }),
    ...(answer["_meta"] === undefined ? {} : { _meta: scrubber.record(answer["_meta"]) }),
  };
}
