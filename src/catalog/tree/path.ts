import { PATH_REPAIR_MAX_CHARS, PATH_SEGMENT_MAX_CHARS } from "../../limits.ts";
import { fail, ok } from "../../result.ts";
import type { Result } from "../../result.ts";

/** A well-formed browse path. `segments` is empty for `/`; only the last one can be `*`. */
export interface Path {
  readonly text: string;
  readonly segments: readonly string[];
}

/** What is wrong with a path, and the legal path that was most likely meant, where there is one. */
export interface PathInvalid {
  readonly reason: "path_invalid";
  readonly problem:
    | "not_a_string"
    | "no_leading_slash"
    | "trailing_slash"
    | "empty_segment"
    | "misplaced_star"
    | "illegal_namespace"
    | "illegal_segment";
  readonly suggestion?: string;
}

/** "All children at this level": equivalent to leaving it out, and reserved for filters to come. */
export const STAR = "*";

const NAMESPACE = /^[a-z][a-z0-9_-]{0,63}$/;
const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function problemOf(text: string): PathInvalid["problem"] | undefined {
  if (text === "/") return undefined;
  if (!text.startsWith("/")) return "no_leading_slash";
  if (text.endsWith("/")) return "trailing_slash";
  const segments = text.slice(1).split("/");
  for (const [at, segment] of segments.entries()) {
    if (segment === "") return "empty_segment";
    if (segment === STAR) {
      if (at < segments.length - 1) return "misplaced_star";
    } else if (at === 0) {
      if (!NAMESPACE.test(segment)) return "illegal_namespace";
    } else if (!SEGMENT.test(segment)) return "illegal_segment";
  }
  return undefined;
}

/** The slips that models make: no leading slash, one too many, capitals, dots and blanks, a star in the middle. */
function repaired(text: string): string | undefined {
  if (text.length > PATH_REPAIR_MAX_CHARS) return undefined;
  const segments = text
    .toLowerCase()
    .split("/")
    .map((segment) => legalSegment(segment))
    .filter((segment) => segment !== "");
  const path = pathText(segments);
  return problemOf(path) === undefined ? path : undefined;
}

/**
 * A name as a path segment: lower-cased, characters outside the grammar as `-`, nothing before the first letter or
 * digit, at most 64 characters. Empty where the name has neither letter nor digit of ASCII.
 */
export function legalSegment(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/gu, "-")
    .replace(/^[_-]+/, "")
    .slice(0, PATH_SEGMENT_MAX_CHARS);
}

/** The path with these segments; no check, the inverse of `parsePath` for legal ones. */
export function pathText(segments: readonly string[]): string {
  return `/${segments.join("/")}`;
}

/**
 * Reads a browse path: `/`, or segments `[a-z0-9][a-z0-9_-]{0,63}` each after a `/`, of which the first starts with a
 * letter and the last may be `*`. Linear in the text, never throws, changes nothing (seed 000 §3.2).
 */
export function parsePath(text: unknown): Result<Path, PathInvalid> {
  if (typeof text !== "string") return fail({ reason: "path_invalid", problem: "not_a_string" });
  const problem = problemOf(text);
  if (problem === undefined) return ok({ text, segments: text === "/" ? [] : text.slice(1).split("/") });
  const suggestion = repaired(text);
  return fail({ reason: "path_invalid", problem, ...(suggestion === undefined ? {} : { suggestion }) });
}
