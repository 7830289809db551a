import type { CatalogTool } from "../catalog/catalog.ts";
import { hydrate as findTool, type Hydrated } from "../dispatch/hydrate.ts";
import { judgeHydrate } from "../dispatch/policy/judge.ts";
import { standingOf } from "../dispatch/tool-standing.ts";
import { TOOL_EXECUTE } from "../dispatch/verb.ts";
import type { GatewayFailure } from "../errors.ts";
import { plainJson } from "../exact-json/plain.ts";
import { readListedForm } from "../identity/listed-form.ts";
import { memberOf } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ToolAnswer, ToolDefinition } from "../surface.ts";
import { withAdmittedCatalog } from "./admitted-catalog.ts";
import { ENVELOPE_KEY, errorAnswer, jsonPart, shownPath } from "./answers.ts";
import type { CallContext } from "./call-context.ts";
import { consentAsk, putForward, unconsented, type WantedConsent } from "./consent.ts";
import { judgeArguments, refuseArguments } from "./judge-arguments.ts";
import { logFailure } from "./pipeline.ts";
import type { GatewayPorts } from "./ports.ts";
import { quotaAsk } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { hydrateCompleted, hydrateFailed } from "./telling/hydrate-event.ts";

const META_TOOL = "tool_hydrate";

export const HYDRATE_SCHEMA: ToolDefinition["inputSchema"] = {
  type: "object",
  properties: { tool_id: { type: "string" } },
  required: ["tool_id"],
  additionalProperties: false,
};

/**
 * `tool_hydrate` (seed 000 §4.1): a tool's definition as its upstream gave it. Convergent, and nothing counts as seen by it.
 * Scrubbing, and redaction where it is on, have been done when it was listed.
 */
export async function hydrate(args: unknown, context: CallContext, ports: GatewayPorts): Promise<ToolAnswer> {
  const toolId = readToolId(args);
  if (!toolId.ok) return refuse(null, toolId.reason, context, ports);
  const shown = await definitionOf(toolId.value, context, ports);
  if (!shown.ok) return refuse(shown.reason.toolId, shown.reason.failure, context, ports);
  const { tool, definition, catalog } = shown.value;
  const { generation } = catalog.version;
  context.tell(hydrateCompleted({ toolId: tool.id, schemaBytes: definition.schemaBytes, generation }));
  const written = definition.written ?? definition.definition;
  return { content: [jsonPart(written)], _meta: { [ENVELOPE_KEY]: written } };
}

function readToolId(given: unknown): Result<string, GatewayFailure> {
  const args = plainJson(given);
  const problems = judgeArguments(HYDRATE_SCHEMA, args);
  const message = "the arguments of tool_hydrate do not satisfy its schema";
  return problems.length === 0
    ? ok(String(memberOf(args, "tool_id")))
    : refuseArguments(HYDRATE_SCHEMA, problems, message);
}

function refuse(
  toolId: string | null,
  failure: GatewayFailure,
  context: CallContext,
  ports: GatewayPorts,
): ToolAnswer {
  logFailure(failure, ports);
  context.tell(hydrateFailed(toolId, failure));
  return errorAnswer(failure);
}

/** A definition that the rules let be shown, perhaps with a person's consent. */
interface Permitted {
  readonly hydrated: Hydrated<CatalogTool>;
  readonly wanted: WantedConsent | null;
}

interface NotShown {
  /** `null` where no tool was found. */
  readonly toolId: string | null;
  readonly failure: GatewayFailure;
}

/** Finds, asks the rules, and asks `admit` once for all of it: the quota, the consent, and whether the catalog is new enough. */
async function definitionOf(
  asked: string,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<Hydrated<CatalogTool>, NotShown>> {
  const path = shownPath(asked);
  const quota = quotaAsk(META_TOOL, ports);
  // One attempt, by whichever catalog it is judged.
  const attempt = quota.attempt ?? ports.newId();
  const sees = (id: string): boolean => context.sees(id);
  let toolId: string | null = null;
  const looked = await withAdmittedCatalog<Permitted>(
    {
      path,
      metaTool: META_TOOL,
      make: async (catalog) => {
        const name = readListedForm(asked);
        const { catalogs } = ports;
        const hydrated = await findTool(TOOL_EXECUTE, name, path, ok(catalog), { catalogs, sees });
        if (!hydrated.ok) return fail(withoutReplay(hydrated.reason));
        toolId = hydrated.value.tool.id;
        const permitted = permit(hydrated.value, context, ports);
        return permitted.ok ? ok({ hydrated: hydrated.value, wanted: permitted.value }) : permitted;
      },
      ask: ({ hydrated, wanted }) => ({
        catalogVersion: hydrated.catalog.version,
        ...quota,
        ...(wanted === null ? {} : { attempt, ...consentAsk(wanted) }),
      }),
      refused: async (refusal, { wanted }) =>
        wanted === null ? undefined : putForward(refusal, wanted, path, context, ports),
    },
    context,
    ports,
  );
  if (!looked.ok) return fail({ toolId, failure: looked.reason });
  const { made, admission } = looked.value;
  const problem = made.wanted === null ? undefined : unconsented(admission, path);
  return problem === undefined ? ok(made.hydrated) : fail({ toolId, failure: problem });
}

/** Nothing was to be called, so that there is nothing to say of calling it again. */
function withoutReplay(failure: GatewayFailure): GatewayFailure {
  if (failure.reason !== "not_ready") return failure;
  const { replay: _replay, ...others } = failure;
  return others;
}

/** What the rules say of showing a tool's definition: no, yes, or with the consent that is given back. */
function permit(
  { tool, definition }: Hydrated<CatalogTool>,
  { principal }: RequestContext,
  { controls }: GatewayPorts,
): Result<WantedConsent | null, GatewayFailure> {
  const { facts } = standingOf(TOOL_EXECUTE, tool, definition, controls);
  const verdict = judgeHydrate(controls.gateway.policy, { ...facts, principal });
  switch (verdict.action) {
    case "allow":
      return ok(null);
    case "deny":
      return fail({ reason: "policy_denied", path: tool.id, why: verdict.reason });
    case "require_approval": {
      const { id: toolId, server } = tool;
      const { rule, reason: why } = verdict;
      return ok({ metaTool: META_TOOL, toolId, server, rule, why, args: { tool_id: toolId } });
    }
  }
}
