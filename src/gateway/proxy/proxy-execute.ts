import { openAccount } from "../../dispatch/call-account.ts";
import { execute as dispatch } from "../../dispatch/execute.ts";
import { TOOL_EXECUTE } from "../../dispatch/verb.ts";
import type { GatewayFailure } from "../../errors.ts";
import { readListedForm } from "../../identity/listed-form.ts";
import { memberOf } from "../../json.ts";
import type { CallLine, CallOrigin, ToolAnswer } from "../../surface.ts";
import { errorAnswer, jsonPart, objectAnswer, shownPath } from "../answers.ts";
import { readExecuteArguments } from "../arguments.ts";
import type { CallContext } from "../call-context.ts";
import { type CallForm, callPorts, logFailure } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import { quotaOwnerOf } from "../quota.ts";
import { executeEvent } from "../telling/execute-event.ts";
import { executeFailed } from "../telling/execute-failure.ts";
import type { NativePart } from "./native-part.ts";
import { PROXY_EXECUTE_SCHEMA } from "./proxy-tools.ts";
import { wholeFirstAnswer } from "./whole-first-answer.ts";
import { type Relink, wholeResult } from "./whole-result.ts";

/** How a call came. */
export interface ProxyCall {
  readonly origin: CallOrigin;
  readonly line: CallLine | undefined;
}

/** `tool_execute` of the proxy: the same pipeline as the gateway's, and the server's result itself as the answer. */
export async function proxyExecute(
  given: unknown,
  { origin, line }: ProxyCall,
  context: CallContext,
  ports: GatewayPorts,
  native: NativePart | undefined,
): Promise<ToolAnswer> {
  const read = readExecuteArguments(given, ports.controls.gateway.tolerant_args, PROXY_EXECUTE_SCHEMA);
  if (!read.ok) {
    const dryRun = memberOf(given, "dry_run") === true;
    context.tell(executeFailed(read.reason, openAccount("", dryRun), quotaOwnerOf(ports)));
    return errorAnswer(read.reason);
  }
  const { toolId: asked, args, dryRun } = read.value;
  const toolId = readListedForm(asked);
  const operation = {
    verb: TOOL_EXECUTE,
    toolId,
    path: shownPath(asked),
    args,
    dryRun,
    origin,
    wholeAnswer: true,
  } as const;
  const executed = await dispatch(
    operation,
    callPorts(wholeForm(origin, context, ports, native), context, ports, origin, line),
  );
  switch (executed.kind) {
    case "failed":
      return failed(executed.failure, ports);
    case "report":
      return objectAnswer("porcelain", executed.report, [jsonPart(executed.report)]);
    case "answer":
      return executed.answer;
    case "repeated": {
      const first = await wholeFirstAnswer(executed.first, executed.toolId, context, ports);
      return first.ok ? first.value : failed(first.reason, ports);
    }
  }
}

function failed(failure: GatewayFailure, ports: GatewayPorts): ToolAnswer {
  logFailure(failure, ports);
  return errorAnswer(failure);
}

function wholeForm(
  { idempotencyKey }: CallOrigin,
  context: CallContext,
  ports: GatewayPorts,
  native: NativePart | undefined,
): CallForm {
  const relink: Relink | undefined = native && ((result, tool) => native.relinked(result, tool, context));
  return {
    isWhole: true,
    // A request's id says that two calls are one only within a session.
    ...(idempotencyKey === null && context.sessionKey === null ? { keepsNothing: true as const } : {}),
    present: (tool, result, notes, keeping) => wholeResult(tool, result, notes, keeping, ports, relink),
    event: executeEvent,
  };
}
