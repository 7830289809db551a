import { RECORD_ADDRESS_MAX_CHARS } from "../../limits.ts";
import { pathOf } from "../source/read-source.ts";
import { textAt } from "./schema/document.ts";
import type { RecordRef } from "./record-id.ts";

/** Where a record itself stands, in the words of its source. */
const OWN_FIELDS = ["url", "href", "source_url"];

/**
 * Where a person finds a record: its own address, the one that its server gives it, or the one that it has at this server;
 * empty where it has none. The last two name its connection.
 */
export function addressOf(holder: unknown, baseUrl: string | null, ref: RecordRef): string {
  for (const field of OWN_FIELDS) {
    const address = safeAddress(textAt(holder, field));
    if (address !== undefined) return address;
  }
  const given = safeAddress(textAt(holder, "record_url"));
  if (given === undefined) return recordAddress(baseUrl, ref);
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

function recordAddress(baseUrl: string | null, { connectionId, stream, key }: RecordRef): string {
  // A URL's parser takes a segment of dots for a step up, however it is encoded.
  if (baseUrl === null || [stream, key].some((segment) => /^\.{0,2}$/.test(segment))) return "";
  const path = pathOf({
    path: ["streams", stream, "records", key],
    query: connectionId === null ? [] : [["connection_id", connectionId]],
  });
  return baseUrl + path.slice("/v1".length);
}
