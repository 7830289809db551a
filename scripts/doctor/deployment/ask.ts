import { isRecord, memberOf } from "../../../src/json.ts";
import type { Scrubber } from "../../../src/scrub/scrub.ts";
import { ANSWER_MAX_BYTES, ASK_TIMEOUT_MS } from "../bounds.ts";
import type { Seen } from "./seen.ts";

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AskBounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export const ASK_BOUNDS: AskBounds = { timeoutMs: ASK_TIMEOUT_MS, maxBytes: ANSWER_MAX_BYTES };

/** An answer whole, with all of its headers. */
export interface WholeAnswer {
  readonly kind: "whole";
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Failure = Exclude<Seen, { readonly kind: "answer" }>;

/**
 * One request, its answer read whole within the bounds; never throws. Redirects are not followed: a bearer goes to no other
 * place than the one that was named.
 */
export async function askWhole(
  url: string,
  { method = "GET", headers = {}, body }: Question,
  { timeoutMs, maxBytes }: AskBounds,
): Promise<WholeAnswer | Failure> {
  const signal = AbortSignal.timeout(timeoutMs);
  let begun = false;
  try {
    const response = await fetch(url, {
      method,
      headers: { Connection: "close", ...headers },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
    begun = true;
    const text = await readBounded(response, maxBytes);
    if (text === undefined) return { kind: "too_large", maxBytes };
    return { kind: "whole", status: response.status, headers: response.headers, text };
  } catch (error) {
    if (signal.aborted) return { kind: "timeout", timeoutMs };
    return { kind: begun ? "broken" : "unreachable", code: codeOf(error) };
  }
}

/** The same for what is judged and told of: without the secrets that the scrubber knows. */
export async function ask(
  url: string,
  question: Question,
  scrubber: Scrubber,
  bounds: AskBounds = ASK_BOUNDS,
): Promise<Seen> {
  const answer = await askWhole(url, question, bounds);
  if (answer.kind !== "whole") return answer;
  const header = (name: string): string => scrubber.text(answer.headers.get(name) ?? "");
  return {
    kind: "answer",
    status: answer.status,
    contentType: header("content-type"),
    location: header("location"),
    challenge: header("www-authenticate"),
    text: scrubber.text(answer.text),
  };
}

async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  const { body } = response;
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The system's own code where there is one: its messages may quote what was sent. */
function codeOf(error: unknown): string {
  for (let cause: unknown = error, depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const code: unknown = "code" in cause ? cause.code : undefined;
    if (typeof code === "string") return code;
    if (cause instanceof AggregateError && isRecord(cause.errors[0])) {
      const inner = memberOf(cause.errors[0], "code");
      if (typeof inner === "string") return inner;
    }
    cause = cause.cause;
  }
  return "no answer";
}
