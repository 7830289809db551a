import { isJsonArray, isRecord } from "../../json.ts";
import { PROFILE_MEMBER, type ReadRequest, type SourceProfile } from "./read-source.ts";
import { recordsIn, schemaDocument, schemaStreams } from "./schema-document.ts";
import { failedRead, type FailedRead } from "./source-errors.ts";

/** What the stricter servers of August 2026 refuse to clients, by parameter, and what to do instead. */
const ALTERNATIVES = {
  filter: "page through the records with limit and cursor, or use search, and pick out what matches",
  expand: "read the related stream with query_records and match by its key",
  expand_limit: "read the related stream with query_records and match by its key",
  view: "name the fields one by one in fields",
} as const satisfies Readonly<Record<string, string>>;

export type Feature = keyof typeof ALTERNATIVES;

const FIRST_PART = /^[^[\]]+/;

/** The first parameter of a request that such a server refuses. A schema's `view` is another thing. */
export function refusedFeature({ path, query }: ReadRequest): Feature | undefined {
  if (path[0] === "schema") return undefined;
  for (const [name] of query) {
    const feature = featureOf(FIRST_PART.exec(name)?.[0]);
    if (feature !== undefined) return feature;
  }
  return undefined;
}

function featureOf(name: unknown): Feature | undefined {
  return name === "filter" || name === "expand" || name === "expand_limit" || name === "view"
    ? name
    : undefined;
}

/**
 * Whether a refusal is that of a whole feature, not of a value: the stricter servers name the bare parameter under the
 * general code, the others name none or use codes of their own. A `view` may be unknown to a server that has views.
 */
export function isFeatureRefusal(
  request: ReadRequest,
  { status, error }: FailedRead,
  shape: SourceProfile | undefined,
): boolean {
  if (status !== 400 || error.code !== "invalid_request") return false;
  const feature = featureOf(error.param);
  if (feature === undefined || refusedFeature(request) === undefined) return false;
  return feature !== "view" || shape !== "full";
}

/**
 * The profile that a schema document shows: without any field's type or filters, and without keys and relations in every
 * stream, it is the stricter one's; undefined where it describes no field.
 */
export function profileOfSchema(body: unknown): SourceProfile | undefined {
  const document = schemaDocument(body);
  if (document === undefined) return undefined;
  const described = schemaStreams(document).filter(({ stream }) => fieldsOf(stream).length > 0);
  if (described.length === 0) return undefined;
  return described.every(({ stream }) => isStripped(stream)) ? "core-v0.1-client" : "full";
}

function fieldsOf(stream: Readonly<Record<string, unknown>>): readonly unknown[] {
  const fields = stream["field_capabilities"];
  return isRecord(fields) ? Object.values(fields) : [];
}

function isStripped(stream: Readonly<Record<string, unknown>>): boolean {
  const keys = stream["primary_key"];
  const relations = stream["expand_capabilities"];
  return (
    (!isJsonArray(keys) || keys.length === 0) &&
    (!isJsonArray(relations) || relations.length === 0) &&
    fieldsOf(stream).every((field) => !saysHowToFilter(field))
  );
}

/** A flag of the compact form, or a member of the full one, that the stricter servers leave out. */
function saysHowToFilter(field: unknown): boolean {
  if (typeof field === "string") return /(?:^|,)(?:t=|eq(?:,|$)|r=)/.test(field);
  return isRecord(field) && ["type", "schema", "exact_filter", "range_filter"].some((key) => key in field);
}

/** The one answer to a feature that a source refuses: no call is made for it. */
export function unsupportedBySource(source: string, feature: Feature, profile: SourceProfile): FailedRead {
  const alternative = ALTERNATIVES[feature];
  return failedRead(400, {
    type: "invalid_request_error",
    code: "unsupported_by_source",
    message: `The source ${JSON.stringify(source)} takes no ${feature} from clients: ${alternative}.`,
    param: feature,
    feature,
    profile,
    alternative,
  });
}

/** The schema document with its source's profile in it, where that is not the full one; see {@link PROFILE_MEMBER}. */
export function markedSchema(body: unknown, profile: SourceProfile): unknown {
  const document = schemaDocument(body);
  if (profile === "full" || document === undefined) return body;
  const mark = { [PROFILE_MEMBER]: profile };
  const withMark = (each: Readonly<Record<string, unknown>>) => ({ ...each, ...mark });
  const nested = document["connectors"];
  const flat = document["streams"];
  const marked = {
    ...document,
    ...(isJsonArray(nested) ? { connectors: recordsIn(nested).map(withMark) } : {}),
    ...(isJsonArray(flat) ? { streams: recordsIn(flat).map(withMark) } : {}),
    ...mark,
  };
  return document === body || !isRecord(body) ? marked : { ...body, data: marked };
}
