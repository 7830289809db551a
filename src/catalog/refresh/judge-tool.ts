import type { SchemaLimits } from "../../config.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { listedName } from "../../identity/listed-name.ts";
import type { NamespaceMode } from "../../identity/namespace.ts";
import { identifyTool } from "../../identity/tool-identity.ts";
import { type JsonObject, memberOf } from "../../json.ts";
import { CATALOG_ROW_MAX_BYTES } from "../../limits.ts";
import { analyseDocument, type AnalysedDocument } from "../../routing/document/analyse-document.ts";
import { extractParameters } from "../../routing/document/extract-parameters.ts";
import type { lintSchema } from "../../schema/lint.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import { type DefinitionParts, definitionParts } from "../drift/definition-parts.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { cardLine } from "../cards/card-line.ts";
import { buildCard, type Card } from "../cards/card.ts";
import { entryName, listedDescription } from "../cards/listed-description.ts";

/** Raise it with any change to what a definition gives (cards, lines, lint, index, parts): kept results of before are then void. */
export const INGEST_VERSION = 7;

/** What a tool's definition alone decides of its place in the catalog, with its server's settings. */
export type JudgedTool = AcceptedTool | SkippedTool;

/** What of an accepted tool decides its place among the others; held for all tools of a catalog at once. */
export interface ListedTool {
  readonly id: string;
  readonly namespace: string;
  /** The name part of the id. */
  readonly name: string;
  /** Of a resource its URI, of a template the template's text. */
  readonly upstreamName: string;
  /** Present where it is a resource template. */
  readonly isTemplate?: true;
  readonly findings: readonly string[];
  readonly definitionHash: string;
  /** Absent in a listing that an older version judged, as long as its server does not answer. */
  readonly parts?: DefinitionParts;
  readonly definitionBytes: number;
  /** What the tool takes in a snapshot, about. */
  readonly entryBytes: number;
}

export interface AcceptedTool extends ListedTool {
  readonly kind: "accepted";
  /** Absent where it is the id's (`listedName`). */
  readonly listedName?: string;
  /** Absent where it is the card's description. */
  readonly listedDescription?: string;
  readonly card: Card;
  readonly line: string;
  readonly tokens: number;
  readonly schemaHash: string;
  readonly schemaBytes: number;
}

export interface SkippedTool {
  readonly kind: "skipped";
  readonly reason: string;
  readonly findings: readonly string[];
}

/** One server as ingest sees it. */
export interface JudgeSettings {
  readonly name: string;
  readonly mode: NamespaceMode;
  readonly limits: SchemaLimits;
}

export interface JudgePorts {
  readonly counter: TokenCounter;
  readonly lint: typeof lintSchema;
}

/** A definition that is an object of bearable size with a name, by which its server knows it; its hash is over its canonical JSON. */
export interface Definition {
  /** With plain numbers: what is judged. */
  readonly value: JsonObject;
  /** With its numbers as they are written: what is kept, and told apart. */
  readonly written: JsonObject;
  readonly name: string;
  readonly json: string;
  readonly bytes: number;
  readonly hash: string;
}

/** Everything beside the definition that a judgement depends on, as text. */
export function judgeBasis({ name, mode, limits }: JudgeSettings): string {
  return canonicalJson([INGEST_VERSION, name, mode, limits]);
}

/** Under what a judgement is kept: everything that it depends on. */
export function judgementKey(basis: string, definitionHash: string): string {
  return sha256Hex(`${basis}${definitionHash}`);
}

function skipped(reason: string, findings: readonly string[] = []): { readonly judged: SkippedTool } {
  return { judged: { kind: "skipped", reason, findings } };
}

/** Codes of what is wrong with the tool's schemas, each once; those of the output schema say so. */
function schemaHealth(definition: Definition, limits: SchemaLimits, lint: typeof lintSchema) {
  const input = lint(memberOf(definition.value, "inputSchema"), limits);
  const output = memberOf(definition.value, "outputSchema");
  const outputFindings = output === undefined ? [] : lint(output, limits, { describes: "value" }).findings;
  const codes = [
    ...input.findings.map(({ code }) => code),
    ...outputFindings.map(({ code }) => `output_${code}`),
  ];
  return { rejected: input.rejected, bytes: input.measure.bytes, findings: [...new Set(codes)] };
}

/**
 * Judges one definition: its identity, card, line, schema health and index entry. The dear part of a refresh, and a pure
 * function of its arguments and `INGEST_VERSION`, so that it need not be done again.
 */
export function judgeTool(
  definition: Definition,
  server: JudgeSettings,
  { counter, lint }: JudgePorts,
): { readonly judged: JudgedTool; readonly analysed?: AnalysedDocument } {
  const own = (key: string): unknown => memberOf(definition.value, key);
  const inputSchema = own("inputSchema");
  const identity = identifyTool(server.mode, { name: definition.name, inputSchema, meta: own("_meta") });
  if (!identity.ok) return skipped(identity.reason);
  const { id, namespace, name, upstreamName } = identity.value;
  const { rejected, bytes: schemaBytes, findings } = schemaHealth(definition, server.limits, lint);
  if (rejected) return skipped("schema_invalid", findings);
  const [title, description, annotations] = [own("title"), own("description"), own("annotations")];
  const card = buildCard({ id, namespace, upstreamName, title, description, annotations, inputSchema });
  const line = cardLine(card, counter);
  if (!line.ok) return skipped(line.reason.reason, findings);
  const analysed = analyseDocument({
    id,
    name: upstreamName,
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" ? description : "",
    ...extractParameters(inputSchema),
    server: server.name,
  });
  // What the card shows is cut further, not the whole anew: looking through a long text is the dear part.
  const entry = entryName(id, counter);
  const listed = listedDescription(entry, id, line.value.card.description, counter);
  const entryBytes = utf8Length(JSON.stringify([line.value, analysed])) + 512;
  if (entryBytes > CATALOG_ROW_MAX_BYTES) return skipped("definition_too_large", findings);
  const judged: AcceptedTool = {
    kind: "accepted",
    id,
    namespace,
    name,
    upstreamName,
    ...(entry === listedName(id) ? {} : { listedName: entry }),
    ...(listed === line.value.card.description ? {} : { listedDescription: listed }),
    card: line.value.card,
    line: line.value.line,
    tokens: line.value.tokens,
    findings,
    definitionHash: definition.hash,
    parts: definitionParts(definition.written),
    definitionBytes: definition.bytes,
    schemaHash: sha256Hex(canonicalJson(inputSchema)),
    schemaBytes,
    entryBytes,
  };
  return { judged, analysed };
}
