import { faultOfFailure, knowledgeOfFailure } from "./fault-of-failure.ts";
import { ARTIFACTS_FULL, artifactsFullDetails, noArtifactDetails, NOTHING_KEPT } from "./kept-failures.ts";
import { limitedMessage } from "./limit-scopes.ts";
import { noAnswerMessage } from "./no-answer.ts";
import type { Outcome, UpstreamFailure } from "./upstream-failure.ts";
import type { WantedRequest } from "./wanted-request.ts";
import { FRESH_ALLOWANCE } from "./spine/replay/allowance.ts";
import { createFault } from "./spine/fault/fault.ts";
import { GENESIS } from "./spine/fault/generation.ts";
import { type SurfaceCode, type SurfacedFault, surfaceFault } from "./spine/fault/surface.ts";
import type { ReplayContract } from "./spine/replay/contract.ts";

/**
 * Every failure is a tagged reason here, and one exhaustive switch maps reasons to the wire. `detail` is the operator's
 * alone: it goes to the log and never to a model.
 */

export type { Outcome, UpstreamFailure };

/** One thing wrong with arguments: a JSON Pointer, and the keyword that is not satisfied. Never a value. */
export interface ArgumentProblem {
  readonly path: string;
  readonly keyword: string;
}

/** What can be asked for besides tools. */
export type OtherKind = "resource" | "prompt";

/** Why a meta-tool gave no result. `path` is the path, id or handle that was asked for, where there is one. */
export type GatewayFailure =
  | {
      readonly reason: "arguments";
      /** A tool's id, or nothing where a meta-tool's own arguments are wrong. */
      readonly path: string;
      readonly message: string;
      readonly errors: readonly ArgumentProblem[];
      /** The compact schema. */
      readonly schema: unknown;
    }
  | { readonly reason: "schema"; readonly path: string; readonly finding: string }
  | {
      readonly reason: "unknown_id";
      readonly path: string;
      readonly didYouMean: readonly string[];
      /** Absent: a tool. */
      readonly kind?: OtherKind;
    }
  /** A URI that several servers have a claim to; `owners` are ids. */
  | { readonly reason: "contested"; readonly path: string; readonly owners: readonly string[] }
  /** A URI that no server lists, and that several may be asked for; `names` are URIs that say which one. */
  | { readonly reason: "whose"; readonly path: string; readonly names: readonly string[] }
  | { readonly reason: "path_invalid"; readonly path: string; readonly problem: string; readonly try: string }
  | {
      readonly reason: "path_not_found";
      readonly path: string;
      readonly nearest: string;
      readonly try: readonly string[];
    }
  /** Called by its own name, where tools are listed to be seen and are run by `tool_execute`. `path` is the tool's id. */
  | { readonly reason: "listed_only"; readonly path: string }
  /** Expired, unknown and another's handles look the same, so that nobody learns which. The caller's own may have given way. */
  | { readonly reason: "no_artifact"; readonly path: string; readonly gaveWay?: boolean }
  /** The artifact is there, and this selector does not read it. */
  | {
      readonly reason: "selector";
      readonly path: string;
      readonly problem: string;
      /** Names that exist, where one was asked for that does not. */
      readonly have?: readonly string[];
      /** Types of selectors that read it, and selectors as they can be used. */
      readonly try: readonly unknown[];
    }
  | {
      readonly reason: "upstream";
      readonly path: string;
      readonly failure: UpstreamFailure;
      /** The tool's contract. */
      readonly replay: ReplayContract;
      /** Near misses, where the upstream does not know the tool. */
      readonly didYouMean: readonly string[];
      /** Absent: a tool. */
      readonly kind?: OtherKind;
      /** What the upstream wanted of the caller meanwhile; absent where nothing. */
      readonly wanted?: readonly WantedRequest[];
    }
  /** Something of ours did not answer, and nothing was sent. `replay` where a tool was to be called. */
  | {
      readonly reason: "not_ready";
      readonly path: string;
      readonly what: "catalog" | "principal" | "artifacts";
      readonly replay?: ReplayContract;
      readonly detail: string;
    }
  /** A rule forbids it; `why` is the operator's word to the caller. */
  | { readonly reason: "policy_denied"; readonly path: string; readonly why: string | undefined }
  /** A rule wants a person's consent, and none was given yet. */
  | {
      readonly reason: "approval_required";
      readonly path: string;
      readonly metaTool: string;
      readonly approvalId: string;
      readonly expiresAtMs: number;
    }
  /** A limit of ours. `retryAfterMs` is null where no waiting helps. */
  | {
      readonly reason: "rate_limited";
      readonly path: string;
      readonly scope: string;
      readonly retryAfterMs: number | null;
    }
  /** What is kept of results has reached its quota, and nothing may give way. Nothing was sent. */
  | { readonly reason: "artifacts_full"; readonly path: string; readonly retryAfterMs: number | null }
  /** The same call, by its caller's own word, is running still. */
  | {
      readonly reason: "in_flight";
      readonly path: string;
      readonly scope: string;
      readonly retryAfterMs: number;
    }
  /** The same call was sent before, and nobody knows what came of it. */
  | { readonly reason: "ambiguous"; readonly path: string }
  /** The same call was made before, and what it answered was not kept. */
  | { readonly reason: "answer_gone"; readonly path: string }
  /** A fault of ours, or an answer that is no legal result. */
  | {
      readonly reason: "internal" | "malformed_result";
      readonly path: string;
      readonly outcome: Outcome;
      readonly detail: string;
    };

export type ErrorCode =
  | "ARGS_INVALID"
  | "SCHEMA_INVALID"
  | "HYDRATE_FAILED"
  | "PATH_INVALID"
  | "PATH_NOT_FOUND"
  | "VIEW_FAILED"
  | "RESOURCE_NOT_FOUND"
  | "PROMPT_NOT_FOUND"
  | "POLICY_DENIED"
  | "AUTH_REQUIRED"
  | SurfaceCode;

/** An error as a model reads it (CONTRACTS "Errors"): one line of JSON with its keys in this order. */
export interface WireError {
  readonly error: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Every failure's form on the wire. Nothing of a `detail` is in it. */
export function toWire(failure: GatewayFailure): WireError {
  const { path } = failure;
  switch (failure.reason) {
    case "arguments":
      return wire("ARGS_INVALID", failure.message, path, false, {
        errors: failure.errors.map(({ path, keyword }) => ({ path, keyword })),
        schema: failure.schema,
      });
    case "schema":
      return wire("SCHEMA_INVALID", "the tool's own input schema is broken", path, false, {
        finding: failure.finding,
      });
    case "unknown_id":
      return unknownWire(failure);
    case "contested":
      return wire("RESOURCE_NOT_FOUND", "several resources have this URI: read one by its id", path, false, {
        did_you_mean: failure.owners,
      });
    case "whose":
      return wire(
        "RESOURCE_NOT_FOUND",
        "no server lists this URI: to read a link in a result, write it as in did_you_mean, with the name of the server that gave it",
        path,
        false,
        { did_you_mean: failure.names },
      );
    case "listed_only":
      return wire("ARGS_INVALID", `this tool is run with tool_execute: ${callOf(path, "{…}")}`, path, false, {
        errors: [{ path: "", keyword: "tool_execute" }],
        try: { name: "tool_execute", arguments: { tool_id: path, args: {} } },
      });
    case "path_invalid":
      return wire("PATH_INVALID", "not a browse path: write / or /namespace/segment", path, false, {
        problem: failure.problem,
        try: failure.try,
      });
    case "path_not_found":
      return wire("PATH_NOT_FOUND", "the path leads nowhere in the catalog now", path, false, {
        nearest: failure.nearest,
        try: failure.try,
      });
    case "no_artifact":
      return wire("VIEW_FAILED", NOTHING_KEPT, path, false, noArtifactDetails(failure.gaveWay));
    case "selector":
      return wire("VIEW_FAILED", "the selector does not read this artifact", path, false, {
        problem: failure.problem,
        ...(failure.have === undefined ? {} : { have: failure.have }),
        try: failure.try,
      });
    case "upstream":
      return upstreamWire(failure);
    case "policy_denied":
      return wire("POLICY_DENIED", "the gateway's policy denies this call", path, false, {
        reason: failure.why ?? null,
      });
    case "approval_required":
      return wire("AUTH_REQUIRED", "a person must approve this call; then repeat it as it is", path, false, {
        approval: "required",
        meta_tool: failure.metaTool,
        approval_id: failure.approvalId,
        expires_at: new Date(failure.expiresAtMs).toISOString(),
      });
    case "rate_limited":
      return wire("RATE_LIMITED", limitedMessage(failure.scope), path, true, {
        scope: failure.scope,
        retry_after: failure.retryAfterMs === null ? null : failure.retryAfterMs / 1000,
      });
    case "artifacts_full":
      return wire("RATE_LIMITED", ARTIFACTS_FULL, path, true, artifactsFullDetails(failure.retryAfterMs));
    case "not_ready":
      return wire("UPSTREAM_UNAVAILABLE", NOT_READY[failure.what], path, true, {
        outcome: "not_dispatched",
        ...(failure.replay === undefined ? {} : { replay: failure.replay }),
      });
    case "in_flight":
      return wire(
        "RATE_LIMITED",
        "the same call is still running: make it again later for its answer",
        path,
        true,
        {
          scope: failure.scope,
          retry_after: failure.retryAfterMs / 1000,
        },
      );
    case "ambiguous": {
      const fault = createFault({
        generation: GENESIS,
        class: "ambiguous_outcome",
        code: "internal",
        detail: "",
      });
      const standing = {
        knowledge: "outcome_unknown",
        contract: "never_replay",
        allowance: FRESH_ALLOWANCE,
      } as const;
      return surfacedWire(surfaceFault(fault, standing), path, { outcome: "unknown" });
    }
    case "answer_gone":
      return wire("UPSTREAM_ERROR", "the same call ran before, and its answer was not kept", path, false, {
        outcome: "completed",
      });
    case "internal":
    case "malformed_result":
      return oursWire(failure);
  }
}

const NOT_FOUND = {
  tool: "HYDRATE_FAILED",
  resource: "RESOURCE_NOT_FOUND",
  prompt: "PROMPT_NOT_FOUND",
} as const;

function unknownWire({
  path,
  didYouMean,
  kind,
}: Extract<GatewayFailure, { reason: "unknown_id" }>): WireError {
  const what = kind ?? "tool";
  const details = { did_you_mean: didYouMean };
  return wire(NOT_FOUND[what], `no such ${what} in the catalog now`, path, false, details);
}

/** A call of a tool as it is written down; what is put for its arguments need not be JSON. */
function callOf(toolId: string, args: string): string {
  return `{"tool_id":${JSON.stringify(toolId)},"args":${args}}`;
}

const NOT_READY = {
  catalog: "the catalog is not ready yet",
  principal: "the gateway could not admit the call",
  artifacts: "the artifact store did not answer",
};

/** The text for the operator's log, where there is more to say than the wire does. */
export function logDetail(failure: GatewayFailure): string | undefined {
  switch (failure.reason) {
    case "upstream":
      return failure.failure.detail;
    case "not_ready":
    case "internal":
    case "malformed_result":
      return failure.detail;
    case "arguments":
    case "schema":
    case "unknown_id":
    case "contested":
    case "whose":
    case "listed_only":
    case "path_invalid":
    case "path_not_found":
    case "no_artifact":
    case "selector":
    case "policy_denied":
    case "approval_required":
    case "rate_limited":
    case "artifacts_full":
    case "in_flight":
    case "ambiguous":
    case "answer_gone":
      return undefined;
  }
}

function upstreamWire({
  path,
  failure,
  replay,
  didYouMean,
  kind,
  wanted,
}: Extract<GatewayFailure, { reason: "upstream" }>): WireError {
  const fault = faultOfFailure(failure, GENESIS, () => "");
  // A caller's repetition is a request of its own.
  const standing = { knowledge: knowledgeOfFailure(failure), contract: replay, allowance: FRESH_ALLOWANCE };
  const surfaced = surfaceFault(fault, standing);
  const known = upstreamDetails(surfaced, failure, replay, didYouMean);
  const details = wanted === undefined ? known : { ...known, wanted };
  return surfaced.code === "HYDRATE_FAILED" && kind !== undefined
    ? wire(NOT_FOUND[kind], `the upstream server has no such ${kind}`, path, surfaced.retryable, details)
    : surfacedWire(surfaced, path, details);
}

function oursWire(failure: Extract<GatewayFailure, { reason: "internal" | "malformed_result" }>): WireError {
  const { reason, path, outcome, detail } = failure;
  const fault =
    reason === "internal"
      ? createFault({ generation: GENESIS, class: "invariant", code: "internal", detail: "" })
      : createFault({ generation: GENESIS, class: "protocol", code: "illegal_result", detail: "" });
  const knowledge = knowledgeOfFailure({ outcome });
  const standing = { knowledge, contract: "never_replay", allowance: FRESH_ALLOWANCE } as const;
  return surfacedWire({ ...surfaceFault(fault, standing), ...noAnswerMessage(detail) }, path, { outcome });
}

function surfacedWire(
  { code, message, hint, retryable }: SurfacedFault,
  path: string,
  details: Readonly<Record<string, unknown>> | undefined,
): WireError {
  return wire(code, hint === undefined ? message : `${message}; ${hint}`, path, retryable, details);
}

function upstreamDetails(
  { code, outcome }: SurfacedFault,
  failure: UpstreamFailure,
  replay: ReplayContract,
  didYouMean: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  switch (code) {
    case "UPSTREAM_TIMEOUT":
    case "UPSTREAM_UNAVAILABLE":
      return { outcome, replay };
    case "RATE_LIMITED":
      return {
        scope: "upstream",
        retry_after: failure.reason === "rate_limited" ? failure.retryAfterSeconds : null,
      };
    case "HYDRATE_FAILED":
      return { did_you_mean: didYouMean };
    case "UPSTREAM_ERROR":
      return { outcome };
    case "AUTH_FAILED":
    case "PERMISSION_DENIED":
      return undefined;
  }
}

function wire(
  error: ErrorCode,
  message: string,
  path: string,
  retryable: boolean,
  details?: Readonly<Record<string, unknown>>,
): WireError {
  return { error, message, path, retryable, ...(details === undefined ? {} : { details }) };
}
