import { isRecord, memberOf } from "../../json.ts";
import { diffRecordSchema } from "../../outbox/refresh-record.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import type { Finding, Skip } from "./ingest.ts";
import type { JudgedTool } from "./judge-tool.ts";
import type { KeptTool, Listing, PublishedFacts } from "./refresh-ports.ts";
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
  const generation = memberOf(drift, "generation");
  const diff = diffRecordSchema.safeParse(memberOf(drift, "diff"));
  if (typeof generation !== "number" || !diff.success) return { fingerprint, tools };
  return { fingerprint, tools, drift: { generation, diff: diff.data } };
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
  return {
    ...(typeof basis === "string" ? { basis } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
    ...(isTools(tools) ? { tools } : {}),
    keys: Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [],
    skipped: isSkips(skipped) ? skipped : [],
    findings: isFindings(findings) ? findings : [],
    omitted: typeof omitted === "number" ? omitted : 0,
  };
}
