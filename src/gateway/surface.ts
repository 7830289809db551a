import type { CallOrigin, Surface, ToolAnswer } from "../surface.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import { registerOperations } from "../spine/replay/registry.ts";
import { VERSION } from "../version.ts";
import { admittedCall } from "./admitted-context.ts";
import { errorAnswer } from "./answers.ts";
import { browse } from "./browse.ts";
import { execute } from "./execute.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { type MetaToolName, metaTools } from "./meta-tools.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";
import { view } from "./view.ts";

type MetaTool = (
  args: unknown,
  context: RequestContext,
  ports: GatewayPorts,
  origin: CallOrigin | undefined,
) => Promise<ToolAnswer>;

/** What each meta-tool does, and what it promises about being called twice. */
const META_TOOLS: Readonly<
  Record<MetaToolName, { readonly call: MetaTool; readonly contract: ReplayContract }>
> = {
  tool_browse: { call: browse, contract: "convergent" },
  // It runs whatever tool is named, and that tool's own contract counts.
  tool_execute: { call: execute, contract: "never_replay" },
  tool_view: { call: view, contract: "convergent" },
};

/** By name, once every one of them has a contract; without one there is no gateway. */
function registeredTools(): ReadonlyMap<string, MetaTool> {
  const declared = Object.entries(META_TOOLS);
  const registered = registerOperations(
    declared.map(([operation, { contract }]) => ({ surface: "gateway", operation, contract })),
  );
  if (!registered.ok) throw new Error(`meta-tools refused: ${JSON.stringify(registered.reason)}`);
  return new Map(declared.map(([name, { call }]) => [name, call]));
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
        async (admitted) => tool?.(args, admitted, ports, origin),
        errorAnswer,
        context,
        (detail) => {
          ports.log(detail);
        },
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
