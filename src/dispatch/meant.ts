import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { CallAccount } from "./call-account.ts";
import { definedIn, type Hydrated, unknownId } from "./hydrate.ts";
import { permit, permitAlso, type Permission, type Permitted } from "./permit.ts";
import type { DispatchTool, ExecutePorts } from "./ports.ts";
import { standingOf, type ToolStanding } from "./tool-standing.ts";
import type { Verb } from "./verb.ts";

/** A call that nothing forbids so far, its arguments found good. */
export interface JudgedCall<Tool> {
  readonly hydrated: Hydrated<Tool>;
  readonly standing: ToolStanding;
  readonly permitted: Permitted;
  readonly args: Readonly<Record<string, unknown>>;
}

type Ports<Tool extends DispatchTool> = Pick<
  ExecutePorts<Tool, unknown>,
  "meant" | "schemaOf" | "controls" | "principal"
>;

const NO_ARGUMENTS = Object.freeze({});

/**
 * A call as the one that its arguments make it: of something else that has a name of its own, and then it goes on under that
 * name as if it had been asked for so; or of the same, and then rules hold too that name what it is asked for.
 */
export async function asMeant<Tool extends DispatchTool>(
  verb: Verb,
  path: string,
  call: JudgedCall<Tool>,
  account: CallAccount<Tool>,
  ports: Ports<Tool>,
): Promise<Result<JudgedCall<Tool>, GatewayFailure>> {
  const { hydrated, standing, args } = call;
  const { controls, principal } = ports;
  const rules = controls.gateway.policy;
  const meant = ports.meant?.(hydrated.catalog, hydrated.tool, hydrated.definition, args);
  if (meant === undefined) return ok(call);
  if ("isHidden" in meant) return fail(unknownId(verb, path, []));
  const judged = ({ permitted, ruleIndex }: Permission): Result<Permitted, GatewayFailure> => {
    account.ruleIndex = ruleIndex;
    if (permitted.ok) account.needsConsent = permitted.value.rule !== null;
    return permitted;
  };
  if (!("tool" in meant)) {
    const own = { permitted: ok(call.permitted), ruleIndex: account.ruleIndex };
    const permitted = judged(permitAlso(rules, verb.metaTool, standing.facts, own, meant, principal));
    return permitted.ok ? ok({ ...call, permitted: permitted.value }) : permitted;
  }
  const defined = await definedIn(hydrated.catalog, { tool: meant.tool }, ports);
  if (!defined.ok) return defined;
  const other = standingOf(verb, meant.tool, defined.value.definition, controls);
  account.tool = meant.tool;
  account.replay = other.replay;
  const permitted = judged(permit(rules, verb.metaTool, other.facts, principal));
  if (!permitted.ok) return permitted;
  return ok({
    hydrated: defined.value,
    standing: other,
    permitted: permitted.value,
    args: NO_ARGUMENTS,
  });
}
