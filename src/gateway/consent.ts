import { canonicalJson } from "../dispatch/cache/canonical-json.ts";
import type { GatewayFailure } from "../errors.ts";
import { sha256Hex } from "../identity/digest.ts";
import { askApproval } from "./ask-approval.ts";
import type { GatewayPorts } from "./ports.ts";
import type { Admission, AdmitAsk, RequestContext } from "./request-context.ts";

/** A reading that a rule lets nobody do without a person's consent: to this very reading, as to a call's arguments. */
export interface WantedConsent {
  readonly metaTool: string;
  readonly toolId: string;
  /** As the operator is told it. */
  readonly server: string;
  /** Hash of the rule. */
  readonly rule: string;
  /** The operator's word on that rule. */
  readonly why: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What is read has no schema of its own. */
const NO_SCHEMA = "none";

/** What `admit` is asked for it; it counts within an attempt. */
export function consentAsk({
  metaTool,
  toolId,
  rule,
  args,
}: WantedConsent): Required<Pick<AdmitAsk, "approval">> {
  const argumentsHash = sha256Hex(canonicalJson(args, Infinity) ?? "");
  return { approval: { metaTool, toolId, schemaHash: NO_SCHEMA, argumentsHash, rule } };
}

/** Why a reading that was let in may not go on: an object of an older version overlooks what it does not know. */
export function unconsented(
  admission: Extract<Admission, { readonly admitted: true }>,
  path: string,
): GatewayFailure | undefined {
  return admission.approval === "granted" ? undefined : notReady(path, "it knows no approvals yet");
}

/** Puts a refused reading before the operators where it waits for one; gives what the caller is told if that fails. */
export async function putForward(
  refusal: Extract<Admission, { readonly admitted: false }>,
  wanted: WantedConsent,
  path: string,
  context: RequestContext,
  ports: Pick<GatewayPorts, "approvals" | "scrubber" | "now">,
): Promise<GatewayFailure | undefined> {
  if (refusal.reason !== "approval_required") return undefined;
  const asked = await askApproval({ ...wanted, ...refusal }, context, ports);
  return asked.ok ? undefined : notReady(path, asked.reason);
}

function notReady(path: string, detail: string): GatewayFailure {
  return { reason: "not_ready", path, what: "principal", detail };
}
