import { readFileSync } from "node:fs";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { isRecord, memberOf } from "../../../src/json.ts";
import {
  pathOf,
  type ReadAnswer,
  type ReadRequest,
  type ReadSource,
  type SourceConnection,
  type SourceDescription,
} from "../../../src/records/source/read-source.ts";

/** A source that answers what it is told to and remembers what it was asked. */
export interface FakeSource extends ReadSource {
  readonly requests: ReadRequest[];
  /** The same as paths with their parameters. */
  paths(): readonly string[];
}

export function fakeSource(
  answer: (request: ReadRequest, path: string) => ReadAnswer,
  description: Partial<SourceDescription> = {},
): FakeSource {
  const requests: ReadRequest[] = [];
  return {
    requests,
    paths: () => requests.map(pathOf),
    describe: () => ({ kind: "d1", profile: "full", connections: [], ...description }),
    get: (request) => {
      requests.push(request);
      return Promise.resolve(answer(request, decodeURIComponent(pathOf(request))));
    },
  };
}

export function good(body: unknown, requestId: string | null = "req_1"): ReadAnswer {
  return { ok: true, status: 200, body, requestId };
}

export function bad(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): ReadAnswer {
  const error = { type: "invalid_request_error", code, message: `no: ${code}`, ...more };
  return { ok: false, status, error, requestId: "req_2" };
}

export function connection(connectionId: string, more: Partial<SourceConnection> = {}): SourceConnection {
  return { connectionId, connectorKey: "testmail", grantId: "grt_1", displayName: null, ...more };
}

interface Recorded {
  readonly status: number;
  readonly body: unknown;
}

/** What a real resource server answered to the bearer of one connection, by path. */
export const recordedAnswers: ReadonlyMap<string, Recorded> = new Map(
  readFileSync(new URL("../../fixtures/records/answers.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .flatMap((line): [string, Recorded][] => {
      const read = parseExactJson(line, { duplicates: "last" });
      const entry: unknown = read.ok ? read.value : undefined;
      const [path, status] = [memberOf(entry, "path"), memberOf(entry, "status")];
      if (memberOf(entry, "token") !== "mail" || typeof path !== "string" || typeof status !== "number")
        return [];
      return [[path, { status, body: memberOf(entry, "body") }]];
    }),
);

/** Replays the recorded server: only what was asked of it can be asked. */
export function recordedSource(description: Partial<SourceDescription> = {}): FakeSource {
  return fakeSource(
    (request) => {
      const found = recordedAnswers.get(pathOf(request)) ?? scopedSchema(request);
      if (found === undefined) return bad(404, "not_found", { path: pathOf(request) });
      if (found.status === 200) return good(found.body);
      const error = memberOf(found.body, "error");
      return bad(found.status, String(memberOf(error, "code")), isRecord(error) ? error : {});
    },
    { connections: [connection("cin_a")], ...description },
  );
}

/** The full schema answers for each stream: the adapter picks the rows that it wants. */
function scopedSchema({ path, query }: ReadRequest): Recorded | undefined {
  const isScoped =
    path[0] === "schema" && query.every(([name]) => name === "stream" || name === "connection_id");
  return isScoped ? recordedAnswers.get("/v1/schema") : undefined;
}
