import type { BearerClaims } from "../access/bearer.ts";
import { type RefusalReason, type RequestContext, turnsCallerAway } from "../gateway/request-context.ts";
import { memberOf } from "../json.ts";
import { answerLegacy, type FaceLine } from "../mcp/legacy.ts";
import type { PostedMessages } from "../mcp/messages.ts";
import type { RpcProblem, Surface } from "../surface.ts";
import { mintSessionId, type SessionHandle, verifySessionId } from "../principal/session-id.ts";
import type { Result } from "../result.ts";
import { rpcError } from "./answers.ts";
import { unauthorized } from "./authenticate.ts";
import type { HttpContext } from "./bindings.ts";
import { serveMcp } from "./mcp-post.ts";
import { HttpRequestContext } from "./request-context.ts";

const SESSION_HEADER = "Mcp-Session-Id";

/** Whether an endpoint keeps sessions. Without them none is opened, asked for or looked at. */
export interface EndpointOptions {
  readonly sessions: boolean;
}

/**
 * A surface whose calls are admitted by the principal's object, with sessions of our own or without any. A session id is
 * judged by its MAC before anything is woken; whether it was ended is the principal's object's word.
 */
export function mcpEndpoint(
  surfaceOf: (c: HttpContext) => Surface<RequestContext>,
  { sessions }: EndpointOptions,
) {
  const methodNotAllowed = () =>
    rpcError(405, -32000, "Method not allowed", { Allow: sessions ? "POST, DELETE" : "POST" });
  if (!sessions) {
    return serveMcp({
      post: (c, claims, messages) =>
        answerPosted(messages, new HttpRequestContext(c, claims, null), c, surfaceOf(c)),
      methodNotAllowed,
    });
  }
  return serveMcp({
    post: async (c, claims, messages) => {
      const surface = surfaceOf(c);
      if (messages.initialize) return initialize(c, claims, messages.body, surface);
      const session = await sessionOf(c, claims);
      if (!session.ok) return session.reason;
      return answerPosted(messages, new HttpRequestContext(c, claims, session.value), c, surface);
    },
    delete: endSession,
    methodNotAllowed,
  });
}

/** Admits what was posted, and answers it. */
async function answerPosted(
  { body, count, method }: PostedMessages,
  context: HttpRequestContext,
  c: HttpContext,
  surface: Surface<RequestContext>,
): Promise<Response> {
  // A tool call is admitted as a part of the call, so that it costs one visit to the object and not two. The calls of a
  // batch are admitted together first: one that is refused later must not take the others' answers with it.
  if (method === null || !surface.admitting.has(method)) {
    const admission = await context.admit({});
    if (!admission.admitted) return refused(c, admission.reason);
  }
  const response = await answerLegacy(c.req, body, surface, context, faceLine(context));
  // What was answered before any tool saw it (a notification, a call without a name) must not hide the session's end.
  if (!context.asked) await context.admit({});
  const { refusal } = context;
  // What the tool answers itself, as a typed error, stays an answer.
  if (refusal === null || count > 1 || !turnsCallerAway(refusal)) return response;
  await response.body?.cancel();
  return refused(c, refusal);
}

function faceLine(context: HttpRequestContext): FaceLine {
  return {
    waitUntil: (work) => {
      context.waitUntil(work);
    },
    refusal: () => (context.refusal === null ? undefined : refusalInStream(context.refusal)),
  };
}

/** The session opens once the handshake has succeeded; a refused one leaves nothing behind. */
async function initialize(
  c: HttpContext,
  claims: BearerClaims,
  body: unknown,
  surface: Surface<RequestContext>,
): Promise<Response> {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const { id, session } = await mintSessionId(c.get("keys").session, claims.principal, random, Date.now());
  const context = new HttpRequestContext(c, claims, session);
  const response = await answerLegacy(c.req, body, surface, context, faceLine(context));
  if (response.status !== 200) return response;
  const answer = await response.text();
  const headers = new Headers(response.headers);
  if (memberOf(JSON.parse(answer), "result") !== undefined) {
    const opened = await context.openSession(surface.catalogVersion?.());
    if (!opened.admitted) return refused(c, opened.reason);
    headers.set(SESSION_HEADER, id);
  }
  return new Response(answer, { status: response.status, headers });
}

async function endSession(c: HttpContext, claims: BearerClaims): Promise<Response> {
  const session = await sessionOf(c, claims);
  if (!session.ok) return session.reason;
  const ended = await new HttpRequestContext(c, claims, session.value).endSession();
  return ended.admitted ? new Response(null, { status: 204 }) : refused(c, ended.reason);
}

async function sessionOf(c: HttpContext, claims: BearerClaims): Promise<Result<SessionHandle, Response>> {
  const id = c.req.header(SESSION_HEADER);
  if (id === undefined) {
    return { ok: false, reason: rpcError(400, -32000, `${SESSION_HEADER} header is required`) };
  }
  const session = await verifySessionId(c.get("keys").session, claims.principal, id, Date.now());
  return session.ok ? session : { ok: false, reason: sessionNotFound() };
}

const TEMPORARILY_UNAVAILABLE: RpcProblem = { code: -32603, message: "Temporarily unavailable" };
const SESSION_NOT_FOUND: RpcProblem = { code: -32001, message: "Session not found" };

function sessionNotFound(): Response {
  return rpcError(404, SESSION_NOT_FOUND.code, SESSION_NOT_FOUND.message);
}

/** The same where a stream has begun; what the tool answers itself stays an answer. */
function refusalInStream(reason: RefusalReason): RpcProblem | undefined {
  if (!turnsCallerAway(reason)) return undefined;
  if (reason === "token_revoked") return { code: -32000, message: "Unauthorized" };
  return reason === "malformed" ? TEMPORARILY_UNAVAILABLE : SESSION_NOT_FOUND;
}

/** What the client is told when `admit` said no. A client re-initialises on 404, so only a session's end may be one. */
function refused(c: HttpContext, reason: RefusalReason): Response {
  switch (reason) {
    case "token_revoked":
      return unauthorized(c);
    case "session_unknown":
    case "session_ended":
    case "session_expired":
      return sessionNotFound();
    case "malformed":
    case "unreachable":
    case "rate_limited":
    case "approval_required":
    case "approval_refused":
    case "in_flight":
    case "outcome_unknown":
    case "key_conflict":
    case "artifacts_full":
      return rpcError(503, TEMPORARILY_UNAVAILABLE.code, TEMPORARILY_UNAVAILABLE.message, {
        "Retry-After": "1",
      });
  }
}
