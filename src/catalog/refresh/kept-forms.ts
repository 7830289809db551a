import { isRecord, memberOf } from "../../json.ts";
import { diffRecordSchema } from "../../outbox/refresh-record.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import type { Finding, Skip } from "./ingest-report.ts";
import type { JudgedTool } from "./judge-tool.ts";
import type { OtherKind } from "../catalog.ts";
import { OTHER_KINDS, unlessEmpty } from "../snapshot/pointer.ts";
import type { KeptTool, Listing, PublishedFacts, PublishedKind, PublishedParts } from "./refresh-ports.ts";
import type { ShardItem } from "../snapshot/shards.ts";

/**
 * Reads back what the object wrote itself. The outside of each form is looked at and the inside trusted: it was written by
 * this code under a key that changes with the code.
 */

function isJudged(value: unknown): value is JudgedTool {
  return isRecord(value) && (value["kind"] === "accepted" || value["kind"] === "skipped");
}

function isAnalysed(value: unknown): value is AnalysedDocument {
  return isRecord(value) && Array.isArray(value["terms"]) && Array.isArray(value["weights"]);
}

function isSkips(value: unknown): value is readonly Skip[] {
  return Array.isArray(value);
}

function isFindings(value: unknown): value is readonly Finding[] {
  return Array.isArray(value);
}

function isTools(value: unknown): value is readonly KeptTool[] {
  return Array.isArray(value);
}

function isKeys(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((key) => typeof key === "string");
}

function isItems(value: unknown): value is readonly ShardItem[] {
  return Array.isArray(value);
}

export function keptJudgement(text: string): JudgedTool | undefined {
  const value: unknown = JSON.parse(text);
  return isJudged(value) ? value : undefined;
}

export function keptAnalysis(text: string): AnalysedDocument | undefined {
  const value: unknown = JSON.parse(text);
  return isAnalysed(value) ? value : undefined;
}

export function keptStrings(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}

export function keptItems(text: string): readonly ShardItem[] {
  const value: unknown = JSON.parse(text);
  return isItems(value) ? value : [];
}

export function keptFacts(text: string): PublishedFacts | undefined {
  const value: unknown = JSON.parse(text);
  const [fingerprint, tools, drift] = [
    memberOf(value, "fingerprint"),
    memberOf(value, "tools"),
    memberOf(value, "drift"),
  ];
  if (typeof fingerprint !== "string" || typeof tools !== "number") return undefined;
  const counts = memberOf(value, "kinds");
  const kinds: Partial<Record<OtherKind, number>> = {};
  for (const kind of OTHER_KINDS) {
    const count = memberOf(counts, kind);
    if (typeof count === "number") kinds[kind] = count;
  }
  const known = { fingerprint, tools, ...unlessEmpty("kinds", kinds) };
  const generation = memberOf(drift, "generation");
  const diff = diffRecordSchema.safeParse(memberOf(drift, "diff"));
  if (typeof generation !== "number" || !diff.success) return known;
  return { ...known, drift: { generation, diff: diff.data } };
}

/** All or none: of a kind whose contents are not known they would be deleted. */
export function keptParts(text: string): PublishedParts | undefined {
  if (text === "") return undefined;
  const value: unknown = JSON.parse(text);
  const [tools, of] = [memberOf(value, "tools"), memberOf(value, "kinds")];
  if (!isKeys(tools) || !isRecord(of)) return undefined;
  const kinds: Partial<Record<OtherKind, PublishedKind>> = {};
  for (const kind of OTHER_KINDS) {
    const part = memberOf(of, kind);
    if (part === undefined) continue;
    const [identity, contents] = [memberOf(part, "identity"), memberOf(part, "contents")];
    if (typeof identity !== "string" || !isKeys(contents)) return undefined;
    kinds[kind] = { identity, contents };
  }
  return { tools, kinds };
}

export function keptListing(text: string): Listing {
  const value: unknown = JSON.parse(text);
  const [keys, skipped, findings] = [
    memberOf(value, "keys"),
    memberOf(value, "skipped"),
    memberOf(value, "findings"),
  ];
  const [omitted, tools] = [memberOf(value, "omitted"), memberOf(value, "tools")];
  const [basis, digest] = [memberOf(value, "basis"), memberOf(value, "digest")];
  const leftOut = memberOf(value, "leftOut");
  return {
    ...(typeof basis === "string" ? { basis } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
    ...(isTools(tools) ? { tools } : {}),
    keys: Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [],
    skipped: isSkips(skipped) ? skipped : [],
    findings: isFindings(findings) ? findings : [],
    omitted: typeof omitted === "number" ? omitted : 0,
    ...(isKeys(leftOut) ? { leftOut } : {}),
  };
}
