import { SEES_EVERYTHING } from "../access/visibility.ts";
import { openAccount } from "../dispatch/call-account.ts";
import type { GatewayFailure, OtherKind } from "../errors.ts";
import type { CallLine, CallOrigin, Surface, ToolAnswer } from "../surface.ts";
import { ok } from "../result.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { registeredTools } from "./registered-tools.ts";
import { VERSION } from "../version.ts";
import { admittedCall } from "./admitted-context.ts";
import { errorAnswer } from "./answers.ts";
import { browse } from "./browse.ts";
import type { CallContext } from "./call-context.ts";
import { cancelCall } from "./cancel.ts";
import { execute } from "./execute.ts";
import { INSTRUCTIONS, instructionsFor } from "./instructions.ts";
import { type MetaToolName, metaTools, type OfferedKinds } from "./meta-tools.ts";
import type { GatewayPorts } from "./ports.ts";
import { getPrompt, readResource } from "./primitives/fetch.ts";
import { hasKind, kindsIn } from "./primitives/kind-catalogs.ts";
import { quotaOwnerOf } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { scrubbedAnswer } from "./scrubbed-answer.ts";
import { browseFailed } from "./telling/browse-event.ts";
import type { CallEvent } from "./telling/call-event.ts";
import { executeFailed } from "./telling/execute-failure.ts";
import { promptFailed } from "./telling/prompt-event.ts";
import { readFailed } from "./telling/read-event.ts";
import { viewFailed } from "./telling/view-event.ts";
import { view } from "./view.ts";

interface MetaTool {
  /** Answers, and tells the context how the call ended. */
  readonly call: (
    args: unknown,
    context: CallContext,
    ports: GatewayPorts,
    origin: CallOrigin | undefined,
    line: CallLine | undefined,
  ) => Promise<ToolAnswer>;
  /** What is told of a call that did not get as far as to tell of itself. */
  readonly failed: (failure: GatewayFailure, ports: GatewayPorts) => CallEvent;
  /** Of what kind something has to be in the catalog for it to be there; absent: it always is. */
  readonly kind?: OtherKind;
  /** What it promises about being called twice. */
  readonly contract: ReplayContract;
}

const META_TOOLS: Readonly<Record<MetaToolName, MetaTool>> = {
  tool_browse: {
    call: (args, context, ports) => browse("tool", args, context, ports),
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
  resource_browse: {
    kind: "resource",
    call: (args, context, ports) => browse("resource", args, context, ports),
    failed: (failure) => browseFailed({ kind: "resource" }, failure),
    contract: "convergent",
  },
  resource_read: { kind: "resource", call: readResource, failed: readFailed, contract: "convergent" },
  prompt_browse: {
    kind: "prompt",
    call: (args, context, ports) => browse("prompt", args, context, ports),
    failed: (failure) => browseFailed({ kind: "prompt" }, failure),
    contract: "convergent",
  },
  prompt_get: { kind: "prompt", call: getPrompt, failed: promptFailed, contract: "convergent" },
};

const REGISTERED = registeredTools("gateway", META_TOOLS);

/**
 * The gateway as the protocol's faces serve it: a few tools over any number. Nothing throws across it, every call is
 * admitted, and nothing leaves it unscrubbed.
 */
export function gatewaySurface(ports: GatewayPorts): Surface<RequestContext> {
  return {
    name: "loomgate",
    version: VERSION,
    instructions: INSTRUCTIONS,
    admitting: new Set(["tools/call"]),
    catalogVersion: () => ports.catalogs.known(),
    instructionsFor: async () => instructionsFor((await offered(ports)).kinds),
    tools: async () => {
      const { namespaces, kinds } = await offered(ports);
      return ok({
        tools: metaTools(
          namespaces.map((name) => ports.scrubber.text(name)),
          kinds,
        ),
      });
    },
    call: async (name, args, context, origin, line) => {
      const tool = REGISTERED.get(name);
      const answer = await admittedCall(
        async (admitted) =>
          tool?.kind === undefined || (await hasKind(tool.kind, ports.catalogs))
            ? tool?.call(args, admitted, ports, origin, line)
            : undefined,
        (failure, admitted) => {
          if (tool !== undefined) admitted.tell(tool.failed(failure, ports));
          return errorAnswer(failure);
        },
        context,
        ports,
      );
      return tool === undefined || answer === undefined ? undefined : scrubbedAnswer(answer, ports.scrubber);
    },
    cancel: (requestKey, reason, context) => cancelCall(requestKey, reason, context, ports),
  };
}

/** All namespaces and kinds, whoever asks: a list that changed with the bearer's scopes would tell what they hide. */
async function offered(
  ports: GatewayPorts,
): Promise<{ readonly namespaces: readonly string[]; readonly kinds: OfferedKinds }> {
  try {
    const loaded = await ports.catalogs.current();
    if (loaded.ok) {
      const catalog = loaded.value;
      return {
        namespaces: catalog.namespaces(SEES_EVERYTHING).map(({ namespace }) => namespace),
        kinds: kindsIn(catalog),
      };
    }
    ports.log(loaded.reason.detail);
  } catch (error) {
    ports.log(String(error));
  }
  return { namespaces: [], kinds: { resource: false, prompt: false } };
}
