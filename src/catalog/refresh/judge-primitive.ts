import { sha256Hex } from "../../identity/digest.ts";
import { identifyPrompt, identifyResource } from "../../identity/primitive-identity.ts";
import { type JsonObject, isJsonArray, memberOf } from "../../json.ts";
import { CATALOG_ROW_MAX_BYTES, PRIMITIVE_NAME_MAX_CHARS } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import { analyseDocument, type AnalysedDocument } from "../../routing/document/analyse-document.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import { parseTemplate } from "../../uri-template/parse-template.ts";
import { cardLine } from "../cards/card-line.ts";
import { callSchema, promptArguments } from "../primitives/call-schema.ts";
import { argumentLabels, primitiveCard } from "../primitives/primitive-card.ts";
import { addressWords, mediaTypeWords } from "../primitives/resource-words.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { type Definition, INGEST_VERSION, type JudgedTool, type JudgeSettings } from "./judge-tool.ts";

/** What a server lists beside tools. Templates are resources with a list of their own. */
export type PrimitiveForm = "resource" | "template" | "prompt";

/** Everything beside the definition that a judgement depends on, as text. */
export function primitiveBasis(form: PrimitiveForm, { name, mode }: JudgeSettings): string {
  return canonicalJson([INGEST_VERSION, form, name, mode]);
}

/** By what its server knows an entry, and by what its globs may name it; the failure says why it has no place. */
export function readPrimitive(
  form: PrimitiveForm,
  value: JsonObject,
): Result<{ readonly name: string; readonly called: readonly string[] }, string> {
  const member = form === "prompt" ? "name" : form === "template" ? "uriTemplate" : "uri";
  const own = memberOf(value, member);
  if (typeof own !== "string" || own.trim() === "") return fail(`no_${member === "name" ? "name" : "uri"}`);
  if (own.length > PRIMITIVE_NAME_MAX_CHARS)
    return fail(member === "name" ? "name_too_long" : "uri_too_long");
  // By that member templates are known, so nothing else may have it.
  if (form === "resource" && memberOf(value, "uriTemplate") !== undefined) return fail("uri_and_template");
  const name = memberOf(value, "name");
  return ok({ name: own, called: typeof name === "string" && name !== own ? [own, name] : [own] });
}

function identityOf(form: PrimitiveForm, { name, value }: Definition, { mode }: JudgeSettings) {
  return form === "prompt"
    ? identifyPrompt(mode, { name, arguments: memberOf(value, "arguments") })
    : identifyResource(mode, { uri: name, name: memberOf(value, "name") });
}

/** Why a template is none, if it is one. */
function faultOfTemplate(form: PrimitiveForm, text: string): string | undefined {
  const template = form === "template" ? parseTemplate(text) : undefined;
  return template?.ok === false ? `template_${template.reason}` : undefined;
}

function documentOf(
  form: PrimitiveForm,
  definition: Definition,
  {
    id,
    labels,
    server,
  }: { readonly id: string; readonly labels: readonly string[]; readonly server: string },
): AnalysedDocument {
  const text = (key: string): string => {
    const value = memberOf(definition.value, key);
    return typeof value === "string" ? value : "";
  };
  const named = promptArguments(definition.value);
  const [title, description] = [text("title"), text("description")];
  // The words of the address say where a thing is when its name does not, and its media type what it is.
  const address = [description, addressWords(definition.name), mediaTypeWords(text("mimeType"))].join("\n\n");
  return analyseDocument({
    id,
    name: text("name") === "" ? definition.name : text("name"),
    ...(title === "" ? {} : { title }),
    description: form === "prompt" ? description : address,
    parameterNames: form === "prompt" ? named.map(({ name }) => name) : labels,
    parameterDescriptions: form === "prompt" ? named.map((each) => `${each.title} ${each.description}`) : [],
    server,
  });
}

/**
 * Judges one resource, template or prompt: identity, card, line and index entry. A pure function of its arguments and
 * `INGEST_VERSION`. `behind` is what its id has behind it where another has the same (`resolveCollisions`).
 */
export function judgePrimitive(
  form: PrimitiveForm,
  definition: Definition,
  server: JudgeSettings,
  counter: TokenCounter,
  behind = "",
): { readonly judged: JudgedTool; readonly analysed?: AnalysedDocument } {
  const kind = form === "prompt" ? "prompt" : "resource";
  const findings: string[] = [];
  const skipped = (reason: string) => ({ judged: { kind: "skipped", reason, findings } as const });
  const listed = memberOf(definition.value, "arguments");
  if (form === "prompt" && listed !== undefined && !isJsonArray(listed))
    findings.push("arguments_not_a_list");
  const fault = faultOfTemplate(form, definition.name);
  if (fault !== undefined) return skipped(fault);
  const identity = identityOf(form, definition, server);
  if (!identity.ok) return skipped(identity.reason);
  const { namespace, name } = identity.value;
  const id = identity.value.id + behind;
  const schema = callSchema(kind, definition.value);
  const schemaText = canonicalJson(schema);
  const upstreamName = definition.name;
  const card = primitiveCard({ kind, id, namespace, upstreamName, definition: definition.value, schema });
  const labels = argumentLabels(schema);
  const line = cardLine(card, counter, labels);
  if (!line.ok) return skipped(line.reason.reason);
  const analysed = documentOf(form, definition, { id, labels, server: server.name });
  const entryBytes = utf8Length(JSON.stringify([line.value, analysed, upstreamName])) + 512;
  if (entryBytes > CATALOG_ROW_MAX_BYTES) return skipped("definition_too_large");
  const judged: JudgedTool = {
    kind: "accepted",
    id,
    namespace,
    name,
    upstreamName,
    ...(form === "template" ? { isTemplate: true } : {}),
    card: line.value.card,
    line: line.value.line,
    tokens: line.value.tokens,
    findings,
    definitionHash: definition.hash,
    definitionBytes: definition.bytes,
    schemaHash: sha256Hex(schemaText),
    schemaBytes: utf8Length(schemaText),
    entryBytes,
  };
  return { judged, analysed };
}
