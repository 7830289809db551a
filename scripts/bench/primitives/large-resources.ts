import { isJsonArray, isRecord } from "../../../src/json.ts";
import type { ResultCase } from "../../../test/fixtures/results/kit/result-case.ts";
import { kindOf, SMALL_KIND } from "../firewall/reading/kind-figures.ts";

/** A text that a server has as a resource. */
export interface LargeResource {
  readonly kind: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Answers longer than this never are in memory whole. */
const WHOLE_MAX_CHARS = 3_000_000;

const MIME_TYPES: Readonly<Record<string, string>> = {
  "json object": "application/json",
  "json array": "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  markdown: "text/markdown",
  "markdown table": "text/markdown",
  html: "text/html",
  yaml: "application/yaml",
  diff: "text/x-diff",
};
const LEFT_OUT: ReadonlySet<string> = new Set([SMALL_KIND, "hostile", "blob", "mixed"]);

/** The corpus's large results that are one text each, as resources of the same text. */
export function largeResources(cases: readonly ResultCase[]): LargeResource[] {
  return cases.flatMap((each) => {
    const kind = kindOf(each);
    const text = LEFT_OUT.has(kind) ? undefined : onlyText(each.result());
    if (text === undefined || text.length > WHOLE_MAX_CHARS) return [];
    const uri = `corpus://${encodeURIComponent(each.name)}`;
    return [{ kind, uri, mimeType: MIME_TYPES[kind] ?? "text/plain", text }];
  });
}

function onlyText({ content, structuredContent }: Readonly<Record<string, unknown>>): string | undefined {
  const parts = isJsonArray(content) ? content.filter(isRecord) : [];
  const [part] = parts;
  if (parts.length !== 1 || structuredContent !== undefined) return undefined;
  return part?.["type"] === "text" && typeof part["text"] === "string" ? part["text"] : undefined;
}
