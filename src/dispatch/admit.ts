import type { GatewayFailure } from "../errors.ts";
import { sha256Hex } from "../identity/digest.ts";
import { ARTIFACTS_SCOPE } from "../limit-scopes.ts";
import { JOURNAL_LEASE_GRACE_MS } from "../limits.ts";
import { accountName } from "../outbox/account-name.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type { CallOrigin } from "../surface.ts";
import type {
  AdmissionRefusal,
  ApprovalBinding,
  ArtifactAllowance,
  ArtifactQuota,
  CatalogVersion,
  DispatchAdmission,
  DispatchAsk,
  EarlierCall,
  FirstAnswer,
  JournalAsk,
  KeptSession,
} from "./admission.ts";
import { canonicalJson } from "./cache/canonical-json.ts";
import { flightAsk } from "./flight.ts";
import type { Permitted } from "./permit.ts";
import { bucketsFor } from "./policy/buckets.ts";
import type { Controls, DispatchDefinition, DispatchTool, ExecutePorts } from "./ports.ts";
import type { Verb } from "./verb.ts";

/** A call that is put to the principal's object. */
export interface AskedCall<Tool> {
  readonly verb: Verb;
  readonly tool: Tool;
  readonly definition: DispatchDefinition;
  readonly catalogVersion: CatalogVersion;
  readonly permitted: Permitted;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly attempt: string;
  readonly origin: CallOrigin;
  readonly replay: ReplayContract;
  /** Of the upstream's deadline. */
  readonly timeoutMs: number;
  readonly dryRun: boolean;
  /** Of the upstream and its credential. */
  readonly sessionKey: string;
  /** Where what is kept of results has a quota. */
  readonly artifactQuota?: ArtifactQuota | undefined;
  /** See `ExecuteOperation.wholeAnswer`. */
  readonly wholeAnswer?: true | undefined;
  /** Whether nothing will be sent, since the answer is here already. */
  readonly isAnswered?: boolean | undefined;
}

/** Let in, with the upstream's session if one is kept; for a dry run, with what a real call would meet. */
export interface Admitted {
  readonly session: KeptSession | undefined;
  readonly exceeded: { readonly scope: string; readonly retryAfterMs: number | null } | null;
  readonly approval: "granted" | "required" | "refused" | null;
  /** For a dry run under a name of its caller's: what that stands for; `undefined` where nobody has said. */
  readonly earlier: EarlierCall | undefined;
  /** How much of the result may be kept; `undefined` where nobody has said. */
  readonly allowance: ArtifactAllowance | undefined;
}

/** Let in, answered from the journal, or turned back for a newer catalog. */
export type AdmitVerdict =
  | { readonly stale: false; readonly admitted: Admitted; readonly first?: undefined }
  | { readonly stale: false; readonly first: FirstAnswer }
  | { readonly stale: true; readonly newestGeneration: number };

/** What is asked of `admit`, all at once. A control that is off leaves no trace in it. */
export function askOf(
  { verb, tool, definition, catalogVersion, permitted, args }: AskedCall<DispatchTool>,
  { attempt, origin, replay, timeoutMs, dryRun, sessionKey, artifactQuota, wholeAnswer, isAnswered }: Asking,
  controls: Controls,
): DispatchAsk {
  const quota = bucketsFor(verb.metaTool, tool.id, controls.gateway.rate_limits);
  const hash = argumentsHash(args);
  const { schemaHash } = definition;
  const approval: ApprovalBinding | null =
    permitted.rule === null
      ? null
      : {
          metaTool: verb.metaTool,
          toolId: tool.id,
          schemaHash,
          argumentsHash: hash,
          rule: permitted.rule,
          target: sessionKey,
        };
  // A dry run is a request of its own: its id names no call, and its caller's own name one that may have been made.
  const names = dryRun ? { ...origin, requestKey: null } : origin;
  const journal = journalAsk(tool, fingerprintOf(tool.id, hash, wholeAnswer), replay, timeoutMs, names);
  const reserve = artifactQuota && { ...artifactQuota, leaseMs: timeoutMs + JOURNAL_LEASE_GRACE_MS };
  const noted = flightAsk(tool, { attempt, origin, timeoutMs, dryRun, sessionKey, isAnswered });
  const flight = noted === null ? null : { ...noted, toolId: tool.id, contract: replay };
  const isAttempt =
    quota !== null || approval !== null || journal !== null || reserve !== undefined || flight !== null;
  return {
    catalogVersion,
    upstreams: dryRun ? [] : [sessionKey],
    ...(isAttempt ? { attempt, ...(dryRun ? { dry: true } : {}) } : {}),
    ...(quota === null ? {} : { quota }),
    ...(approval === null ? {} : { approval }),
    ...(journal === null ? {} : { journal }),
    ...(reserve === undefined ? {} : { reserve }),
    ...(flight === null ? {} : { flight }),
  };
}

/**
 * What is written down: every call that may not run again, and every one that its caller has named. A call that nothing
 * names cannot come again as the same one.
 */
function journalAsk(
  { id: toolId, server }: DispatchTool,
  fingerprint: string,
  contract: ReplayContract,
  timeoutMs: number,
  { requestKey, idempotencyKey }: CallOrigin,
): JournalAsk | null {
  const isRepeatable = contract === "convergent";
  if (idempotencyKey === null && (isRepeatable || requestKey === null)) return null;
  return {
    contract,
    toolId,
    server: accountName(server),
    leaseMs: timeoutMs + JOURNAL_LEASE_GRACE_MS,
    fingerprint,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    // An id may be as long as a message; what counts is that it is the same.
    ...(requestKey === null ? {} : { requestKey: sha256Hex(requestKey) }),
  };
}

/** Reads the object's answer. A call that waits for a person is put before an operator first. */
export async function judgeAdmission<Tool extends DispatchTool>(
  asked: DispatchAsk,
  admission: DispatchAdmission,
  { verb: { metaTool }, tool, permitted, args }: AskedCall<Tool>,
  replay: ReplayContract,
  ports: Pick<ExecutePorts<Tool, unknown>, "askApproval" | "admit">,
): Promise<Result<AdmitVerdict, GatewayFailure>> {
  if (!admission.admitted) {
    if (admission.reason === "approval_required") {
      const { approvalId, expiresAtMs, supersedes = [] } = admission;
      const { why } = permitted;
      const put = await ports.askApproval({
        approvalId,
        supersedes,
        expiresAtMs,
        metaTool,
        tool,
        why,
        args,
      });
      // Nobody would ever see it: the caller repeats the call, and the same approval is put forward again.
      if (!put.ok) return fail(notReady(tool.id, put.reason, replay));
    }
    return fail(refusalOf(admission, tool.id, metaTool, replay));
  }
  if (admission.stale && admission.newestGeneration !== null) {
    return ok({ stale: true, newestGeneration: admission.newestGeneration });
  }
  if (admission.journal?.disposition === "answered") {
    return ok({ stale: false, first: admission.journal.answer });
  }
  const isDry = asked.dry === true;
  if (!isDry && asked.journal?.idempotencyKey !== undefined && admission.journal === undefined) {
    // An object of an older version would let the call run once more under its key.
    return fail(notReady(tool.id, "the principal's object knows no journal yet", replay));
  }
  if (permitted.rule !== null && admission.approval === undefined) {
    // An object of an older version overlooks what it does not know: nobody has consented.
    return fail(notReady(tool.id, "the principal's object knows no approvals yet", replay));
  }
  return ok({
    stale: false,
    admitted: {
      session: admission.upstreamSessions.at(0),
      exceeded: admission.quota?.exceeded ?? artifactsExceeded(admission.artifactsFull ?? null),
      approval: admission.approval ?? null,
      earlier: admission.earlier,
      allowance: admission.artifactAllowance,
    },
  });
}

/** A full quota as the limit that it is. */
function artifactsExceeded(full: { readonly retryAfterMs: number | null } | null): Admitted["exceeded"] {
  return full === null ? null : { scope: ARTIFACTS_SCOPE, retryAfterMs: full.retryAfterMs };
}

/** Why a call was not let in, as its caller is told. Nothing has been sent. */
export function refusalOf(
  refusal: AdmissionRefusal,
  path: string,
  metaTool: string,
  replay?: ReplayContract,
): GatewayFailure {
  switch (refusal.reason) {
    case "rate_limited":
      return { reason: "rate_limited", path, scope: refusal.scope, retryAfterMs: refusal.retryAfterMs };
    case "approval_required": {
      const { approvalId, expiresAtMs } = refusal;
      return { reason: "approval_required", path, metaTool, approvalId, expiresAtMs };
    }
    case "approval_refused":
      return { reason: "policy_denied", path, why: "a person refused this call" };
    case "in_flight":
      return {
        reason: "in_flight",
        path,
        scope: `${metaTool}/in_flight`,
        retryAfterMs: refusal.retryAfterMs,
      };
    case "artifacts_full":
      return { reason: "artifacts_full", path, retryAfterMs: refusal.retryAfterMs };
    case "outcome_unknown":
      return { reason: "ambiguous", path };
    case "key_conflict": {
      const message = "another call was made under this idempotency key";
      const errors = [{ path: "/_meta/loomgate~1idempotency-key", keyword: "unique" }];
      return { reason: "arguments", path, message, errors, schema: {} };
    }
    case "malformed":
    case "token_revoked":
    case "session_unknown":
    case "session_ended":
    case "session_expired":
    case "unreachable":
      return notReady(path, `admit: ${refusal.reason}`, replay);
  }
}

/** What makes two calls the same call. */
function fingerprintOf(toolId: string, hash: string, wholeAnswer: true | undefined): string {
  return sha256Hex(JSON.stringify(wholeAnswer === true ? [toolId, hash, "whole"] : [toolId, hash]));
}

/** Member order aside, equal arguments have one hash; it stands in the journal of approvals in their place. */
function argumentsHash(args: unknown): string {
  return sha256Hex(canonicalJson(args, Infinity) ?? "");
}

function notReady(path: string, detail: string, replay: ReplayContract | undefined): GatewayFailure {
  return {
    reason: "not_ready",
    path,
    what: "principal",
    ...(replay === undefined ? {} : { replay }),
    detail,
  };
}
