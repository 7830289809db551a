import { fail, ok, type Result } from "../../../src/result.ts";
import { shown } from "../shown.ts";

/** What came of one request, whatever that was. */
export type Seen =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly contentType: string;
      /** Where a redirect leads, and the challenge of a 401; empty where there is none. */
      readonly location: string;
      readonly challenge: string;
      readonly text: string;
    }
  /** `code` is the system's, like `ECONNREFUSED`. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** The answer began and did not end. */
  | { readonly kind: "broken"; readonly code: string }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "too_large"; readonly maxBytes: number };

/** Why an answer is not the JSON that was asked for: words that follow on "the route". */
export function readJson(seen: Seen): Result<unknown, string> {
  if (seen.kind !== "answer" || seen.status !== 200) return fail(wordsOf(seen));
  try {
    const value: unknown = JSON.parse(seen.text);
    return ok(value);
  } catch {
    return fail(wordsOf(seen));
  }
}

/** What is to be seen of an answer, in words that follow on "the route". */
export function wordsOf(seen: Seen): string {
  switch (seen.kind) {
    case "unreachable":
      return `cannot be reached (${shown(seen.code)})`;
    case "broken":
      return `broke off in the middle of its answer (${shown(seen.code)})`;
    case "timeout":
      return `did not answer within ${seen.timeoutMs / 1000} s`;
    case "too_large":
      return `answers more than ${seen.maxBytes} bytes`;
    case "answer": {
      if (seen.status >= 300 && seen.status < 400)
        return `answers ${seen.status}, a redirect${destinationOf(seen.location)}`;
      return `answers ${seen.status} with ${bodyWords(seen.text, seen.contentType)}`;
    }
  }
}

function destinationOf(location: string): string {
  if (!URL.canParse(location)) return location === "" ? "" : " to another path";
  return ` to ${shown(new URL(location).host)}`;
}

function bodyWords(text: string, contentType: string): string {
  const start = text.slice(0, 200).trimStart().toLowerCase();
  if (start === "") return "an empty body";
  if (start.startsWith("<")) return "a page of HTML";
  return contentType === "" ? "a body of no stated type" : `a body of type ${shown(contentType)}`;
}
