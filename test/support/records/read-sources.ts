import { createSeal, type Seal } from "../../../src/records/seal/seal.ts";
import type {
  ReadAnswer,
  ReadRequest,
  ReadSource,
  SourceConnection,
  SourceProfile,
} from "../../../src/records/source/read-source.ts";

/** `/v1/search?q=x&limit=3` as the request that it is. */
export function requestOf(path: string): ReadRequest {
  const url = new URL(path, "http://records.test");
  const segments = url.pathname.split("/").slice(2).map(decodeURIComponent);
  return { path: segments, query: [...url.searchParams] };
}

export function parameterOf({ query }: ReadRequest, name: string): string | undefined {
  return query.find(([each]) => each === name)?.[1];
}

/** A seal with a key that nobody else has. */
export async function freshSeal(nowMs: () => number = () => 0): Promise<Seal> {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
  if (!("algorithm" in key)) throw new Error("not one key");
  return createSeal(
    { current: { id: "00000001", key }, previous: null },
    () => crypto.getRandomValues(new Uint8Array(12)),
    nowMs,
  );
}

export interface FakeHit {
  readonly connectionId: string;
  readonly key: string;
}

export interface FakeSourceOptions {
  readonly connections: readonly SourceConnection[];
  readonly kind?: "d1" | "http";
  readonly profile?: SourceProfile;
  /** Its ranking. */
  readonly hits?: readonly FakeHit[];
  /** Answers in its own way; undefined leaves it to the well-behaved source. */
  readonly behave?: (
    request: ReadRequest,
    nth: number,
  ) => Promise<ReadAnswer | undefined> | ReadAnswer | undefined;
}

export interface FakeSource extends ReadSource {
  readonly asked: ReadRequest[];
}

export function connection(id: string, streams: readonly string[] = ["messages"]): SourceConnection {
  return { connectionId: id, connectorKey: "mail", grantId: `grant-${id}`, displayName: null, streams };
}

export function answer(body: unknown): ReadAnswer {
  return { ok: true, status: 200, body, requestId: null };
}

export function refusal(status: number, code: string): ReadAnswer {
  return { ok: false, status, error: { type: "x", code, message: code }, requestId: null };
}

/** A source over a list of hits: pages by opaque cursors, counts exactly, and remembers what it was asked. */
export function fakeSource(options: FakeSourceOptions): FakeSource {
  const { connections, hits = [], kind = "d1", profile = "full" } = options;
  const asked: ReadRequest[] = [];
  return {
    asked,
    describe: () => ({ kind, profile, connections }),
    get: async (request) => {
      asked.push(request);
      const own = await options.behave?.(request, asked.length);
      if (own !== undefined) return own;
      if (request.path[0] === "search") return answer(searchPage(hits, request));
      return answer({ from: connections.map(({ connectionId }) => connectionId) });
    },
  };
}

export function searchPage(hits: readonly FakeHit[], request: ReadRequest): object {
  const limit = Number(parameterOf(request, "limit") ?? 25);
  const cursor = parameterOf(request, "cursor");
  const from = cursor === undefined ? 0 : Number(cursor.slice(1));
  const hasMore = from + limit < hits.length;
  return {
    object: "list",
    has_more: hasMore,
    ...(hasMore ? { next_cursor: `@${from + limit}` } : {}),
    data: hits.slice(from, from + limit).map(({ connectionId, key }) => ({
      object: "search_result",
      stream: "messages",
      record_key: key,
      connector_id: "mail",
      connection_id: connectionId,
    })),
    meta: {
      count: hits.length,
      count_accuracy: "exact",
      recall: {
        complete: true,
        ranked_candidate_count: hits.length,
        ranking_scope: "all_matches",
        sources_searched_count: 1,
        truncated: false,
      },
      warnings: [],
    },
  };
}

/** The embedded server's word for all of its grants, each external one's for its own. */
export function authorityOf(source: ReadSource, at: number): string {
  return source.describe().kind === "d1" ? "embedded" : `https://rs-${at}.example`;
}
