import { openAccount } from "../dispatch/call-account.ts";
import { execute as dispatch } from "../dispatch/execute.ts";
import { TOOL_EXECUTE } from "../dispatch/verb.ts";
import { memberOf } from "../json.ts";
import { type CallLine, type CallOrigin, type ToolAnswer, UNNAMED_CALL } from "../surface.ts";
import { errorAnswer, jsonPart, objectAnswer, type Render, shownPath } from "./answers.ts";
import { readExecuteArguments } from "./arguments.ts";
import type { CallContext } from "./call-context.ts";
import { firstAnswer } from "./first-answer.ts";
import { type CallForm, callPorts, logFailure } from "./pipeline.ts";
import type { GatewayPorts } from "./ports.ts";
import { relinkedIfAny } from "./native/relinked.ts";
import { present } from "./present.ts";
import { quotaOwnerOf } from "./quota.ts";
import { executeEvent } from "./telling/execute-event.ts";
import { executeFailed } from "./telling/execute-failure.ts";

/** `tool_execute`: the pipeline of `dispatch`, handed what this gateway stands on. */
export async function execute(
  args: unknown,
  context: CallContext,
  ports: GatewayPorts,
  origin: CallOrigin = UNNAMED_CALL,
  line?: CallLine,
): Promise<ToolAnswer> {
  const read = readExecuteArguments(args, ports.controls.gateway.tolerant_args);
  if (!read.ok) {
    const dryRun = memberOf(args, "dry_run") === true;
    context.tell(executeFailed(read.reason, openAccount("", dryRun), quotaOwnerOf(ports)));
    return errorAnswer(read.reason);
  }
  const { toolId, dryRun, render } = read.value;
  const operation = {
    verb: TOOL_EXECUTE,
    toolId,
    path: shownPath(toolId),
    args: read.value.args,
    dryRun,
    origin,
  };
  const executed = await dispatch(
    operation,
    callPorts(executeForm(render, context, ports), context, ports, origin, line),
  );
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

/** A dry run is JSON in both renders. */
function reportAnswer(report: object, render: Render): ToolAnswer {
  return objectAnswer(render, report, [jsonPart(report)]);
}

function executeForm(render: Render, context: CallContext, ports: GatewayPorts): CallForm {
  return {
    present: async (tool, result, notes, keeping) => {
      const linked = await relinkedIfAny(result, tool.server, context, ports);
      return present(tool, linked, notes, keeping, ports, render);
    },
    event: executeEvent,
  };
}
