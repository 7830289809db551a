import { refusalOf } from "../dispatch/admit.ts";
import { factsOfLostTool, factsOfRead, factsOfTool, type ToolFacts } from "../dispatch/policy/facts.ts";
import { judgeView } from "../dispatch/policy/judge.ts";
import type { GatewayFailure } from "../errors.ts";
import type { ArtifactRecord } from "../firewall/artifacts/artifact.ts";
import type { Selector } from "../firewall/view/selector.ts";
import { kindOfId } from "../identity/primitive-id.ts";
import { fail, ok, type Result } from "../result.ts";
import { consentAsk, putForward, unconsented } from "./consent.ts";
import type { GatewayPorts } from "./ports.ts";
import { findOfAnyKind } from "./primitives/kind-catalogs.ts";
import type { RequestContext } from "./request-context.ts";

const META_TOOL = "tool_view";

/**
 * Whether the operator's rules let an artifact be viewed, by the tool that brought it, whether the catalog still has it or
 * not. A view that waits for a person is bound to its handle and selector, as a call is to its arguments.
 */
export async function permitView(
  record: ArtifactRecord,
  selector: Selector,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<undefined, GatewayFailure>> {
  const { policy } = ports.controls.gateway;
  if (policy.length === 0) return ok(undefined);
  const { handle, toolId } = record;
  const facts = await factsOf(toolId, ports);
  const verdict = judgeView(policy, { ...facts, principal: context.principal });
  if (verdict.action === "allow") return ok(undefined);
  if (verdict.action === "deny") return fail({ reason: "policy_denied", path: handle, why: verdict.reason });
  const server = facts.servers.join(", ");
  const { rule, reason: why } = verdict;
  const wanted = { metaTool: META_TOOL, toolId, server, rule, why, args: { handle, selector } };
  const admission = await context.admit({ attempt: ports.newId(), ...consentAsk(wanted) });
  const problem = admission.admitted
    ? unconsented(admission, handle)
    : ((await putForward(admission, wanted, handle, context, ports)) ??
      refusalOf(admission, handle, META_TOOL));
  return problem === undefined ? ok(undefined) : fail(problem);
}

/** Without a catalog a tool counts as lost: what is not known for certain errs on the safe side. */
async function factsOf(toolId: string, { catalogs, controls, servers }: GatewayPorts): Promise<ToolFacts> {
  const loaded = await catalogs.current();
  const tool = loaded.ok ? findOfAnyKind(loaded.value, toolId) : undefined;
  if (tool === undefined) return factsOfLostTool(toolId, servers);
  return kindOfId(toolId) === "tool"
    ? factsOfTool(tool, controls.server(tool.server)?.trust_hints === true)
    : factsOfRead(tool);
}
