import { isJsonArray, memberOf, parsedJson } from "../../json.ts";

/** One stream of a grant as it is kept: what was agreed to, in full. */
export interface GrantedStream {
  readonly name: string;
  /** Null: every field. */
  readonly fields: readonly string[] | null;
  /** Null: every record. */
  readonly resources: readonly string[] | null;
  /** Canonical times. */
  readonly since: string | null;
  readonly until: string | null;
}

/** The column's text back as what was written. What cannot be read grants nothing: a fault never widens. */
export function readGrantedStreams(text: string): readonly GrantedStream[] {
  const value = parsedJson(text);
  return isJsonArray(value) ? value.flatMap((item) => readStream(item) ?? []) : [];
}

function readStream(value: unknown): GrantedStream | undefined {
  const name = memberOf(value, "name");
  const fields = textsOrNull(memberOf(value, "fields"));
  const resources = textsOrNull(memberOf(value, "resources"));
  const since = textOrNull(memberOf(value, "since"));
  const until = textOrNull(memberOf(value, "until"));
  if (typeof name !== "string" || fields === undefined || resources === undefined) return undefined;
  if (since === undefined || until === undefined) return undefined;
  return { name, fields, resources, since, until };
}

function textOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null ? value : undefined;
}

function textsOrNull(value: unknown): readonly string[] | null | undefined {
  if (value === null) return null;
  if (!isJsonArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === "string");
  return texts.length === value.length ? texts : undefined;
}
