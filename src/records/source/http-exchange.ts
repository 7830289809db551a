import { cutAtCodePoint } from "../../code-points.ts";
import { parseExactJson } from "../../exact-json/parse.ts";
import { isRecord } from "../../json.ts";
import {
  RECORD_ANSWER_MAX_BYTES,
  RECORD_ERROR_BODY_MAX_BYTES,
  RECORD_ERROR_CODE_MAX_CHARS,
  RECORD_ERROR_MESSAGE_MAX_CHARS,
  RECORD_REQUEST_ID_MAX_CHARS,
  RECORD_URL_MAX_CHARS,
} from "../../limits/records.ts";
import type { Scrubber } from "../../scrub/scrub.ts";
import { discard, openBody, readPrefix, readWhole } from "../../upstream/body.ts";
import type { BufferBudget } from "../../upstream/buffer-budget.ts";
import { orAbort, startDeadline } from "../../upstream/deadline.ts";
import { judgeUrl } from "../../upstream/egress.ts";
import type { Fetch } from "../../upstream/guarded-fetch.ts";
import { createHeldBytes } from "../../upstream/held-bytes.ts";
import { mediaType } from "../../upstream/http-answer.ts";
import { isRedirect } from "../../upstream/redirect.ts";
import { retryAfterSeconds } from "../../upstream/retry-after.ts";
import { faultOf, networkFault, WireError, type WireFault } from "../../upstream/wire-fault.ts";
import type { HttpSourceTarget } from "./http-target.ts";
import { isDotSegment, pathOf, type ReadAnswer, type ReadRequest } from "./read-source.ts";
import { errorTypeOf, failedRead, type FailedRead, sourceUnavailable } from "./source-errors.ts";

export interface ExchangeIo {
  readonly fetch: Fetch;
  readonly buffers: BufferBudget;
  readonly allowLoopback: boolean;
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Knows the source's bearer: a server may say it back. */
  readonly scrubber: Scrubber;
  /** Hears that the whole deadline passed without an answer. */
  readonly onDeadline: () => void;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;

/** One request to an external resource server, and what became of it. It never throws. */
export async function exchange(
  target: HttpSourceTarget,
  request: ReadRequest,
  io: ExchangeIo,
): Promise<ReadAnswer> {
  const url = addressOf(target, request, io);
  if (url === undefined) {
    const message =
      "The source cannot be asked for this: a name or key in it does not fit a URL. A page of its stream, by query_records, has the record.";
    return failedRead(400, { type: "invalid_request_error", code: "invalid_request", message });
  }
  const deadline = startDeadline(target.timeoutMs, io.signal);
  try {
    const response = await reach(url, target, deadline.signal, io);
    const requestId = requestIdOf(response, io.scrubber);
    if (isRedirect(response)) {
      discard(response);
      return refusal(target.name, response, undefined, requestId, io.now());
    }
    if (!response.ok) return await readError(target, response, requestId, deadline.signal, io);
    return await readBody(target, response, requestId, deadline.signal, io);
  } catch (error) {
    const fault = faultOf(error);
    if (fault.kind === "deadline") io.onDeadline();
    io.log(io.scrubber.cut(`record source ${target.name}: ${fault.detail}`, RECORD_ERROR_MESSAGE_MAX_CHARS));
    return failureOf(target.name, request, fault);
  } finally {
    deadline.stop();
  }
}

/**
 * The address of a read: under the origin and path that were judged, whatever is asked for. `.` and `..` would be taken out
 * of a path, however they are written, and an empty segment is another path.
 */
function addressOf(
  target: HttpSourceTarget,
  request: ReadRequest,
  { allowLoopback }: ExchangeIo,
): URL | undefined {
  if (request.path.some((segment) => segment === "" || isDotSegment(segment))) return undefined;
  const base = judgeUrl(target.base, { allowLoopback });
  const text = `${target.base}${pathOf(request)}`;
  if (!base.ok || text.length > RECORD_URL_MAX_CHARS) return undefined;
  const url = new URL(text);
  return url.origin === base.value.origin && url.href.startsWith(`${target.base}/v1/`) ? url : undefined;
}

async function reach(
  url: URL,
  { bearer }: HttpSourceTarget,
  signal: AbortSignal,
  io: ExchangeIo,
): Promise<Response> {
  const headers = { accept: "application/json", authorization: `Bearer ${bearer}` };
  try {
    // By hand, so that no redirect is followed with the bearer, or at all.
    return await orAbort(io.fetch(url, { headers, redirect: "manual", signal }), signal, discard);
  } catch (error) {
    if (signal.aborted && signal.reason instanceof WireError) throw signal.reason;
    throw error instanceof WireError ? error : new WireError(networkFault(error));
  }
}

async function readBody(
  { name, timeoutMs }: HttpSourceTarget,
  response: Response,
  requestId: string | null,
  signal: AbortSignal,
  { buffers, scrubber }: ExchangeIo,
): Promise<ReadAnswer> {
  const { status } = response;
  const reader = JSON_TYPE.test(mediaType(response)) ? openBody(response) : undefined;
  if (reader === undefined) {
    discard(response);
    return { ...sourceUnavailable(name, "answered with something that is not JSON.", status), requestId };
  }
  const account = buffers.open(timeoutMs);
  try {
    const read = await readWhole(reader, signal, {
      held: createHeldBytes(account, RECORD_ANSWER_MAX_BYTES),
      drainBytes: RECORD_ANSWER_MAX_BYTES,
      count: () => undefined,
      overflow: () => undefined,
    });
    const parsed =
      typeof read === "string"
        ? parseExactJson(scrubber.text(read), { duplicates: "last" })
        : ({ ok: false } as const);
    if (!parsed.ok || !isRecord(parsed.value)) {
      return {
        ...sourceUnavailable(name, "answered with something that is no PDPP answer.", status),
        requestId,
      };
    }
    return { ok: true, status, body: parsed.value, requestId };
  } finally {
    account.release();
  }
}

async function readError(
  { name }: HttpSourceTarget,
  response: Response,
  requestId: string | null,
  signal: AbortSignal,
  { scrubber, now }: ExchangeIo,
): Promise<FailedRead> {
  if (!JSON_TYPE.test(mediaType(response))) {
    discard(response);
    return refusal(name, response, undefined, requestId, now());
  }
  const text = await readPrefix(response, signal, RECORD_ERROR_BODY_MAX_BYTES);
  const parsed = parseExactJson(scrubber.text(text), { duplicates: "last" });
  const error = parsed.ok && isRecord(parsed.value) ? parsed.value["error"] : undefined;
  return refusal(name, response, isRecord(error) ? error : undefined, requestId, now());
}

const CODE = new RegExp(`^[\\w.:-]{1,${RECORD_ERROR_CODE_MAX_CHARS}}$`);

/** A refusing answer as PDPP's error object: the server's own, its words bounded, or one made of the status. */
function refusal(
  name: string,
  response: Response,
  said: Readonly<Record<string, unknown>> | undefined,
  requestId: string | null,
  nowMs: number,
): FailedRead {
  const { status } = response;
  const retryAfter = retryAfterSeconds(response.headers.get("retry-after"), nowMs);
  const wait = retryAfter === null ? {} : { retry_after: retryAfter };
  const code = word(said?.["code"]);
  if (said === undefined || code === undefined) {
    const message = `The source ${JSON.stringify(name)} answered ${isRedirect(response) ? "with a redirect, which is not followed" : `with status ${status}`}.`;
    return failedRead(
      status,
      { type: errorTypeOf(status), code: `http_${status}`, message, ...wait },
      requestId,
    );
  }
  const message = typeof said["message"] === "string" ? said["message"] : "";
  const error = {
    ...said,
    type: word(said["type"]) ?? errorTypeOf(status),
    code,
    message: cutAtCodePoint(message, RECORD_ERROR_MESSAGE_MAX_CHARS),
    ...wait,
  };
  return failedRead(status, error, requestId);
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && CODE.test(value) ? value : undefined;
}

/** How to ask for less of what was too large. */
function lessOf({ path: [head, , part, key], query }: ReadRequest): string {
  if (head === "schema") {
    const isOne = query.some(([name]) => name === "stream");
    return isOne ? "ask for this stream without detail" : "ask for one stream of it with stream";
  }
  if (head === "search") return "ask for fewer hits with limit, or name streams";
  if (head !== "streams" || part === undefined) return "ask for less of it";
  if (part === "aggregate") return "ask for fewer groups with limit";
  return key === undefined
    ? "ask for fewer records with limit, or for less of them with fields"
    : "ask for less of the record with fields";
}

function failureOf(name: string, request: ReadRequest, fault: WireFault): FailedRead {
  switch (fault.kind) {
    case "deadline":
      return sourceUnavailable(name, "did not answer in time: try again.");
    case "cancelled":
      return sourceUnavailable(name, "was not waited for: the caller went away.");
    case "too_large": {
      const message = `The source ${JSON.stringify(name)} answered with more than ${RECORD_ANSWER_MAX_BYTES} bytes, or more than there is room for now: ${lessOf(request)}.`;
      return failedRead(200, { type: "api_error", code: "source_unavailable", message });
    }
    case "refused_address":
    case "refused_redirect":
    case "bad_headers":
    case "network":
    case "status":
    case "rpc":
    case "protocol":
      return sourceUnavailable(name, "cannot be reached: try again.");
  }
}

const REQUEST_ID = new RegExp(`^[\\x21-\\x7e]{1,${RECORD_REQUEST_ID_MAX_CHARS}}$`);

/** Servers of this contract say `Request-Id`, others `x-request-id`. */
function requestIdOf({ headers }: Response, scrubber: Scrubber): string | null {
  const found = [headers.get("request-id"), headers.get("x-request-id")].find(
    (id) => id !== null && REQUEST_ID.test(id),
  );
  return found === undefined || found === null ? null : scrubber.text(found);
}
