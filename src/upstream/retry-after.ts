import { UPSTREAM_RETRY_AFTER_MAX_SECONDS } from "../limits.ts";

const SECONDS = /^\d{1,12}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` header asks for, in whole seconds from `nowMs` (epoch milliseconds), at most a day; null
 * without a legal one (RFC 9110 §10.2.3: seconds or an HTTP date; the obsolete date forms are not read).
 */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) return Math.min(Number(text), UPSTREAM_RETRY_AFTER_MAX_SECONDS);
  if (!HTTP_DATE.test(text)) return null;
  const waitMs = Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return null;
  return Math.min(Math.max(Math.ceil(waitMs / 1000), 0), UPSTREAM_RETRY_AFTER_MAX_SECONDS);
}
