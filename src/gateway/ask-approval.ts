import { redactArguments } from "../scrub/redact-arguments.ts";
import type { Result } from "../result.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/** A call that the principal's object has noted as waiting for a person. */
export interface WaitingRequest {
  readonly approvalId: string;
  readonly supersedes?: readonly string[];
  readonly expiresAtMs: number;
  readonly metaTool: string;
  readonly toolId: string;
  readonly server: string;
  readonly why: string | undefined;
  readonly args: unknown;
}

/** Puts a waiting call before the operators, its arguments without secrets. */
export async function askApproval(
  { approvalId, supersedes = [], expiresAtMs, metaTool, toolId, server, why, args }: WaitingRequest,
  { principal }: RequestContext,
  { approvals, scrubber, now }: Pick<GatewayPorts, "approvals" | "scrubber" | "now">,
): Promise<Result<undefined, string>> {
  return approvals.record({
    id: approvalId,
    supersedes,
    principal,
    metaTool,
    toolId,
    server,
    reason: why,
    argumentsJson: redactArguments(scrubber.value(args)),
    requestedAtMs: now(),
    expiresAtMs,
  });
}
