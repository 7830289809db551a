import * as fc from "fast-check";
import type { RoutingDocument } from "../../src/routing/analyse-document.ts";
import { buildIndex, type RoutingIndex } from "../../src/routing/index-build.ts";

/** The index of documents whose ids differ. */
export function indexOf(documents: readonly RoutingDocument[]): RoutingIndex {
  const built = buildIndex(documents);
  if (!built.ok) throw new Error(`${built.reason.reason} ${built.reason.id}`);
  return built.value;
}

export function plainDocument(
  name: string,
  description = "",
  id = `plain:${name}#00000000`,
): RoutingDocument {
  return {
    id,
    name,
    description,
    parameterNames: [],
    parameterDescriptions: [],
    server: "plain",
  };
}

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.lorem({ maxCount: 8 }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "the",
    "createIssue",
    "天気予報",
    "\uD800",
    "\0",
    "<|endoftext|>",
  ),
);

/** Any documents with distinct ids, most of their words shared. */
export const anyDocuments = fc.uniqueArray(
  fc.record(
    {
      id: anyText,
      name: anyText,
      title: anyText,
      description: anyText,
      parameterNames: fc.array(anyText, { maxLength: 3 }),
      parameterDescriptions: fc.array(anyText, { maxLength: 3 }),
      server: anyText,
    },
    { requiredKeys: ["id", "name", "description", "parameterNames", "parameterDescriptions", "server"] },
  ),
  { selector: ({ id }) => id, maxLength: 12 },
);

export const anyQuery = fc.oneof(anyText, fc.string({ unit: "binary", maxLength: 300 }));
