import {
  ApprovalIndexStore,
  type ApprovalPosition,
  type ApprovalRow,
  type ApprovalState,
} from "../access/approval-index-store.ts";
import { parseExactJson } from "../exact-json/parse.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { APPROVALS_PAGE_MAX_COUNT, APPROVAL_ID_MAX_CHARS } from "../limits.ts";
import { principalPort } from "../principal/principals-store.ts";
import type { Result } from "../result.ts";
import { oneLine } from "../scrub/log-line.ts";
import { NOT_FOUND, UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { scrubberFor } from "./scrubber.ts";

const POSITION = /^(\d{1,15})\.([\w-]+)$/;
const ID = /^[\w-]+$/;

/**
 * `GET /admin/approvals[?after=<next>&limit=N]`: calls that wait for a person and such as were decided, until they expire;
 * the newest first, in pages of at most `APPROVALS_PAGE_MAX_COUNT`. `next` is the `after` of the next page. Arguments are
 * shown redacted.
 */
export async function listApprovals(c: HttpContext): Promise<Response> {
  const limit = pageSize(c.req.query("limit"));
  const written = c.req.query("after");
  const after = written === undefined ? undefined : readPosition(written);
  if (limit === undefined || (written !== undefined && after === undefined)) {
    return c.json({ error: "invalid", problems: ["limit is a number from 1; after is a page's next"] }, 400);
  }
  const { approvals, next } = await new ApprovalIndexStore(c.env.DB).list(Date.now(), limit, after);
  return answer(c, {
    approvals: approvals.map(wireApproval),
    next: next === null ? null : writePosition(next),
  });
}

/**
 * `POST /admin/approvals/{id}/grant|refuse`: the approval as it then is. First the principal's object decides, then the
 * list shows it, so that nothing is listed as granted or refused that is not. A failure in between answers 503 and leaves
 * it listed as before; asking again mends that. Until the call has run, the other decision may be made later.
 */
export async function decideApproval(c: HttpContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const wanted = c.req.param("decision") === "grant" ? "granted" : "refused";
  const outcome = await decide(
    new ApprovalIndexStore(c.env.DB),
    (principal) => principalPort(c.env.PRINCIPALS, principal),
    { id, wanted, nowMs: Date.now() },
  );
  switch (outcome.status) {
    case "decided":
      return answer(c, wireApproval(outcome.approval));
    case "not_found":
      return c.json(NOT_FOUND, 404);
    case "conflict":
      return c.json({ error: "conflict", state: outcome.state }, 409);
    case "unavailable":
      logFor(c)(outcome.detail);
      return c.json(UNAVAILABLE, 503);
  }
}

/** What came of an operator's word. `conflict`: the call has run. */
export type DecisionOutcome =
  | { readonly status: "decided"; readonly approval: ApprovalRow }
  | { readonly status: "conflict"; readonly state: ApprovalState }
  | { readonly status: "not_found" }
  | { readonly status: "unavailable"; readonly detail: string };

/** What of a principal's object is asked: to make one decision, however often it is asked for it. */
export interface ApprovalDecider {
  decideApproval(request: {
    readonly version: 1;
    readonly approvalId: string;
    readonly decision: "grant" | "refuse";
  }): Promise<Result<ApprovalVerdict, { readonly detail: string }>>;
}

export interface ApprovalVerdict {
  /** `already`: it stands so, or has been used, as `state` says. */
  readonly outcome: "granted" | "refused" | "already" | "unknown" | "expired";
  readonly state: ApprovalState | null;
  readonly expiresAtMs: number | null;
}

interface OperatorDecision {
  readonly id: string;
  readonly wanted: "granted" | "refused";
  readonly nowMs: number;
}

/** Finds the approval, has its principal's object decide, and writes the object's word into the index. */
export async function decide(
  index: ApprovalIndexStore,
  objectOf: (principal: string) => ApprovalDecider,
  { id, wanted, nowMs }: OperatorDecision,
): Promise<DecisionOutcome> {
  if (id.length > APPROVAL_ID_MAX_CHARS || !ID.test(id)) return { status: "not_found" };
  const row = await index.find(id, nowMs);
  if (row === null) return { status: "not_found" };
  const decision = wanted === "granted" ? "grant" : "refuse";
  const asked = await objectOf(row.principal).decideApproval({ version: 1, approvalId: id, decision });
  if (!asked.ok) return { status: "unavailable", detail: asked.reason.detail };
  try {
    return await written(index, row, asked.value, wanted, nowMs);
  } catch (error) {
    return { status: "unavailable", detail: `approval ${id} is decided but not listed so: ${String(error)}` };
  }
}

async function written(
  index: ApprovalIndexStore,
  row: ApprovalRow,
  verdict: ApprovalVerdict,
  wanted: "granted" | "refused",
  nowMs: number,
): Promise<DecisionOutcome> {
  const { outcome } = verdict;
  if (outcome === "unknown" || outcome === "expired") {
    await index.remove(row.id);
    return { status: "not_found" };
  }
  const state = outcome === "already" ? (verdict.state ?? "pending") : outcome;
  if (state === "pending") {
    return { status: "unavailable", detail: `approval ${row.id} is decided and yet pending` };
  }
  const expiresAtMs = verdict.expiresAtMs ?? row.expiresAtMs;
  if (!(await index.mark(row, state, expiresAtMs, nowMs))) {
    return { status: "unavailable", detail: `approval ${row.id} was decided by two at once` };
  }
  if (state !== wanted) return { status: "conflict", state };
  const decidedAtMs = row.state === state ? (row.decidedAtMs ?? nowMs) : nowMs;
  return { status: "decided", approval: { ...row, state, expiresAtMs, decidedAtMs } };
}

function wireApproval(row: ApprovalRow): Record<string, unknown> {
  // Numbers that JavaScript would round are shown as they came.
  const args = parseExactJson(row.arguments, { duplicates: "last" });
  return {
    id: row.id,
    principal: row.principal,
    meta_tool: row.metaTool,
    tool_id: row.toolId,
    server: row.server,
    reason: row.reason,
    arguments: args.ok ? args.value : row.arguments,
    requested_at_ms: row.requestedAtMs,
    expires_at_ms: row.expiresAtMs,
    state: row.state,
  };
}

/** A body in which no character hides or turns others: a person reads it, often in a terminal. */
function answer(c: HttpContext, value: Record<string, unknown>): Response {
  const clean = scrubberFor(c.get("config"), c.env).record(value);
  return c.body(oneLine(exactJsonText(clean)), 200, { "Content-Type": "application/json" });
}

function pageSize(text: string | undefined): number | undefined {
  if (text === undefined) return APPROVALS_PAGE_MAX_COUNT;
  return /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), APPROVALS_PAGE_MAX_COUNT) : undefined;
}

function readPosition(text: string): ApprovalPosition | undefined {
  const match = POSITION.exec(text);
  const [, requestedAtMs, id] = match ?? [];
  if (requestedAtMs === undefined || id === undefined || id.length > APPROVAL_ID_MAX_CHARS) return undefined;
  return { requestedAtMs: Number(requestedAtMs), id };
}

function writePosition({ requestedAtMs, id }: ApprovalPosition): string {
  return `${requestedAtMs}.${id}`;
}
