import { RECORD_ADDRESS_MAX_CHARS } from "../../limits.ts";
import {
  isDotSegment,
  pathOf,
  type SourceConnection,
  type SourceDescription,
} from "../source/read-source.ts";
import { textAt } from "./schema/document.ts";
import type { RecordRef } from "./record-id.ts";

/** Where a record itself stands, in the words of its source. */
const OWN_FIELDS = ["url", "href", "source_url"];

/** Where records without an address of their own are read by REST (`https://gate.example/v1`); null: nowhere. */
export interface RecordsPlace {
  readonly url: string | null;
  /** Whether that is another server, which knows paths alone. */
  readonly isElsewhere: boolean;
}

/**
 * A record is read where its connection is: at the external server that has it, or at this one. This one knows all of its own, so
 * that an unknown one of a package with an external server is there, at an address that nobody told.
 */
export function placeOf(
  { recordsUrl, external }: Pick<SourceDescription, "recordsUrl" | "external">,
  connection: SourceConnection | undefined,
  baseUrl: string | null,
): RecordsPlace {
  if (connection === undefined && external === true) return { url: null, isElsewhere: true };
  const url = connection?.recordsUrl ?? recordsUrl;
  return { url: url ?? baseUrl, isElsewhere: url !== undefined };
}

/**
 * Where a person finds a record: its own address, the one that its server gives it, or the one that it has at this server;
 * empty where it has none. The last two name its connection.
 */
export function addressOf(holder: unknown, place: RecordsPlace, ref: RecordRef): string {
  for (const field of OWN_FIELDS) {
    const address = safeAddress(textAt(holder, field));
    if (address !== undefined) return address;
  }
  const given = safeAddress(textAt(holder, "record_url"));
  if (given === undefined) return recordAddress(place, ref);
  const url = new URL(given);
  if (ref.connectionId !== null) url.searchParams.set("connection_id", ref.connectionId);
  return url.href;
}

/** An absolute address of the web, without a password in it; nothing that a click would run. */
function safeAddress(text: string | null): string | undefined {
  if (text === null || text.length > RECORD_ADDRESS_MAX_CHARS || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && username === "" && password === "" && href.length <= RECORD_ADDRESS_MAX_CHARS
    ? href
    : undefined;
}

function recordAddress({ url, isElsewhere }: RecordsPlace, { connectionId, stream, key }: RecordRef): string {
  if (url === null || key === "" || stream === "" || isDotSegment(stream)) return "";
  if (isElsewhere && isDotSegment(key)) return "";
  const path = pathOf({
    path: ["streams", stream, "records", key],
    query: connectionId === null ? [] : [["connection_id", connectionId]],
  });
  return url + path.slice("/v1".length);
}
