import type { Surface, ToolAnswer } from "../surface.ts";
import type { Scrubber } from "../scrub/scrub.ts";
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

type MetaTool = (args: unknown, context: RequestContext, ports: GatewayPorts) => Promise<ToolAnswer>;

const META_TOOLS: ReadonlyMap<string, MetaTool> = new Map(
  Object.entries({ tool_browse: browse, tool_execute: execute, tool_view: view } satisfies Record<
    MetaToolName,
    MetaTool
  >),
);

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
    call: async (name, args, context) => {
      const tool = META_TOOLS.get(name);
      const answer = await admittedCall(
        async (admitted) => tool?.(args, admitted, ports),
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
