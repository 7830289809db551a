import type { PdppError } from "../problem.ts";

/** What is read: a path under `/v1`, segment by segment and decoded, and parameters in their order, repeated ones too. */
export interface ReadRequest {
  /** `["streams", "messages", "records", "m/1"]` is `/v1/streams/messages/records/m%2F1`. */
  readonly path: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The path and query as the caller wrote them, where it was a URL: an answer's links repeat them. */
  readonly asked?: string;
}

/** A resource server's answer. It never throws: what cannot be had is an error object. */
export type ReadAnswer =
  | { readonly ok: true; readonly status: number; readonly body: unknown; readonly requestId: string | null }
  | {
      readonly ok: false;
      /** The server's status; 0 where it was never reached. */
      readonly status: number;
      readonly error: PdppError;
      readonly requestId: string | null;
    };

/** What a resource server takes from a client: all that the contract has, or only what the stricter version of August 2026 left. */
export type SourceProfile = "full" | "core-v0.1-client";

/** One connection of a source, so far as it is known without asking the source. */
export interface SourceConnection {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly grantId: string | null;
  readonly displayName: string | null;
  /** The names of the streams that may be read there, where they are known. */
  readonly streams?: readonly string[];
  /** Where its records are read by REST (`https://rs.example/v1`), if not at this server. */
  readonly recordsUrl?: string;
}

export interface SourceDescription {
  readonly kind: "d1" | "http" | "package";
  readonly profile: SourceProfile;
  /** Empty where only a schema read would tell. */
  readonly connections: readonly SourceConnection[];
  /** Of an external server: where records of connections that nothing is known of are read by REST. */
  readonly recordsUrl?: string;
  /** Of a package one of whose sources is an external server: what only such a one takes may be asked for. */
  readonly external?: true;
  /** What a schema read told more than a minute ago: enough to name candidates, not to say that one does not exist. */
  readonly stale?: true;
  /** Of a package: nothing at all is known of one of its sources' connections, so that these are no total. */
  readonly uncounted?: true;
}

/**
 * A member of a schema document, and of each connector (or, in a flat document, each stream) of it, that has the profile of a
 * source which takes no filters, expansions and views; absent where it takes all. Of a package, `describe` tells the widest.
 */
export const PROFILE_MEMBER = "source_profile";

/** Where records are read, whatever keeps them. One instance serves one request of one caller. */
export interface ReadSource {
  /** What is known now; no IO. The profile may be learned by a later read. */
  describe(): SourceDescription;
  get(request: ReadRequest): Promise<ReadAnswer>;
}

/** Whether a URL's parser takes the segment for a step, however it is encoded (WHATWG URL): it never reaches a server. */
export function isDotSegment(segment: string | undefined): boolean {
  return segment === "." || segment === "..";
}

/**
 * The path and parameters as a URL has them: `/v1/streams/messages/records?limit=3`. A record whose key no path can hold is
 * `/v1/streams/messages/record?key=..`.
 */
export function pathOf({ path, query }: ReadRequest): string {
  const [, stream = "", , key = ""] = path;
  if (path.length === 4 && isDotSegment(key)) {
    return pathOf({ path: ["streams", stream, KEYED_RECORD], query: [["key", key], ...query] });
  }
  const segments = path.map((segment) => encodeURIComponent(segment.replace(/\p{Cs}/gu, "\uFFFD"))).join("/");
  const parameters = new URLSearchParams(
    query.map(([name, value]): [string, string] => [name, value]),
  ).toString();
  return `/v1/${segments}${parameters === "" ? "" : `?${parameters}`}`;
}

/** The last segment of a record's path where a parameter has its key. */
export const KEYED_RECORD = "record";
