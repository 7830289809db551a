import { type ConfigProblem, formatProblems } from "../../config.ts";
import { RECORD_SOURCE_HUNG_PERCENT } from "../../limits/records.ts";
import type { Result } from "../../result.ts";
import { wireProblem } from "../problem.ts";
import { ambiguousConnection } from "./ambiguous.ts";
import { deniesClient } from "./bearer-kind.ts";
import { exchange, type ExchangeIo } from "./http-exchange.ts";
import type { HttpSourceTarget } from "./http-target.ts";
import { type BookIo, connectionBook } from "./connection-book.ts";
import { cutPage } from "./page-cut.ts";
import {
  isFeatureRefusal,
  markedSchema,
  profileOfSchema,
  refusedFeature,
  unsupportedBySource,
} from "./profile.ts";
import type { ReadAnswer, ReadRequest, ReadSource, SourceConnection } from "./read-source.ts";
import { COMPACT_SCHEMA, schemaConnections, schemaDocument } from "./schema-document.ts";
import { failedRead, type FailedRead, mayRecover, sourceUnavailable } from "./source-errors.ts";
import { isFresh, type Standing } from "./source-memory.ts";

export interface HttpSourceIo extends Omit<ExchangeIo, "scrubber" | "onDeadline">, BookIo {}

/** With which servers without a compact form refuse it. */
const NO_VIEW_CODES: ReadonlySet<string> = new Set(["bad_request", "invalid_request", "unsupported_query"]);

/**
 * An external PDPP resource server, read with the one bearer that the configuration has for it. Before anything is read the
 * server's schema is asked what this bearer is, which is remembered for a minute: one that is not a client's is not used. A
 * schema that cannot be had says nothing against it. Then one request a read.
 */
export function createHttpSource(
  target: Result<HttpSourceTarget, readonly ConfigProblem[]>,
  io: HttpSourceIo,
): ReadSource {
  return target.ok ? readable(target.value, io) : notSetUp(target.reason, io);
}

function notSetUp(problems: readonly ConfigProblem[], { log }: HttpSourceIo): ReadSource {
  return {
    describe: () => ({ kind: "http", profile: "full", connections: [] }),
    get: () => {
      log(formatProblems(problems));
      return Promise.resolve(
        failedRead(0, {
          type: "api_error",
          code: "source_unavailable",
          message: "The source is not set up: the operator's log says what is missing.",
        }),
      );
    },
  };
}

function readable(target: HttpSourceTarget, io: HttpSourceIo): ReadSource {
  const { memory, now } = io;
  const connections = connectionBook(target, io);
  const recordsUrl = `${target.base}/v1`;
  const placed = (connection: SourceConnection): SourceConnection => ({ ...connection, recordsUrl });
  /** Once the server has refused the bearer it is not shown to it again in this request. */
  let rejected: FailedRead | undefined;
  /** Whether a schema could not be had in this request: it is not asked for again before a read. */
  let isSchemaDown = false;
  let learning: Promise<FailedRead | undefined> | undefined;
  /** Once a whole deadline has passed without an answer, what follows in this request gets a part of one: its caller is waiting. */
  let timeoutMs = target.timeoutMs;

  const ask = async (request: ReadRequest): Promise<ReadAnswer> => {
    if (rejected !== undefined) return rejected;
    const answer = await exchange({ ...target, timeoutMs }, request, {
      ...io,
      scrubber: memory.scrubberOf(target),
      onDeadline: () => {
        timeoutMs = (target.timeoutMs * RECORD_SOURCE_HUNG_PERCENT) / 100;
      },
    });
    if (!answer.ok && answer.status === 401) rejected = answer;
    return answer;
  };
  const fresh = (): Standing | undefined => {
    const standing = memory.recall(target);
    return standing !== undefined && isFresh(standing, now()) ? standing : undefined;
  };

  /** Reads what the bearer is and which connections it has; why not, where that fails. Reads beside each other wait for one. */
  const learn = (): Promise<FailedRead | undefined> => {
    learning ??= askSchema(COMPACT_SCHEMA).then((answer) => {
      learning = undefined;
      return answer.ok ? undefined : answer;
    });
    return learning;
  };

  /** A schema document, the plain one where the server makes no compact one. It tells by itself what the bearer is. */
  const askSchema = async (request: ReadRequest): Promise<ReadAnswer> => {
    const compact = asksForCompact(request);
    const plain = { ...request, query: request.query.filter(([name]) => name !== "view") };
    const knownPlain = compact && memory.recall(target)?.compact === false;
    let answer = await ask(knownPlain ? plain : request);
    const refused = !answer.ok && answer.status === 400 && NO_VIEW_CODES.has(answer.error.code);
    const again = compact && !knownPlain && refused;
    if (again) answer = await ask(plain);
    const noted = noteSchema(request, answer, compact ? !again && !knownPlain : undefined);
    if (!noted.ok && (mayRecover(noted) || noted.error.code === "http_404")) isSchemaDown = true;
    return noted;
  };

  const noteSchema = (request: ReadRequest, answer: ReadAnswer, compact: boolean | undefined): ReadAnswer => {
    if (!answer.ok) return answer;
    const document = schemaDocument(answer.body);
    if (document === undefined) {
      return sourceUnavailable(target.name, "answered with something that is no schema.", answer.status);
    }
    const before = memory.recall(target);
    const isClient = !deniesClient(answer.body);
    const isWhole = isWholeSchema(request);
    const shown = profileOfSchema(answer.body);
    const shape = isWhole ? (shown ?? before?.shape) : (before?.shape ?? shown);
    const named = isClient ? schemaConnections(document) : [];
    memory.remember(target, {
      isClient,
      shape,
      // What a refusal taught is not unlearnt from a document that looks fuller than the server is.
      profile:
        before?.profile === "core-v0.1-client" && before.shape === shape ? before.profile : (shape ?? "full"),
      // What an owner may read is nobody's business here.
      told: !isClient ? undefined : isWhole ? { connections: named, atMs: now() } : before?.told,
      compact: compact ?? before?.compact ?? true,
      atMs: now(),
    });
    if (!isClient) return ownerRefused(target.name);
    if (isWhole) connections.keep(named);
    else connections.noteStream(request, named);
    return { ...answer, body: markedSchema(answer.body, memory.recall(target)?.profile ?? "full") };
  };

  return {
    describe: () => {
      const isStale = !connections.areFresh();
      const known = connections.known().map(placed);
      return {
        kind: "http",
        recordsUrl,
        profile: memory.recall(target)?.profile ?? "full",
        connections: known,
        ...(isStale && known.length > 0 ? { stale: true } : {}),
      };
    },
    get: async (request) => {
      if (rejected !== undefined) return rejected;
      if (fresh()?.isClient === false) return ownerRefused(target.name);
      if (request.path[0] === "schema") return askSchema(request);
      const stream = unnamedStream(request);
      const isTold = stream === undefined || connections.areFresh() || connections.haveStream(stream);
      if (!isSchemaDown && !(isTold && fresh() !== undefined)) {
        const failure = await learn();
        if (failure?.status === 401 || failure?.status === 403) return failure;
      }
      const standing = memory.recall(target);
      if (standing?.isClient === false) return ownerRefused(target.name);
      const profile = standing?.profile ?? "full";
      const feature = refusedFeature(request);
      if (feature !== undefined && profile !== "full")
        return unsupportedBySource(target.name, feature, profile);
      const several = stream === undefined ? [] : connections.having(stream);
      if (stream !== undefined && several.length > 1) return chooseOne(several, stream);
      const answer = await ask(request);
      if (answer.ok) return { ...answer, body: cutPage(target.name, request, answer.body) };
      if (answer.error.code === "ambiguous_connection") {
        const having =
          request.path[1] === undefined ? connections.known() : connections.having(request.path[1]);
        return having.length === 0
          ? { ...answer, error: { ...answer.error, ...UNIFORM } }
          : { ...chooseOne(having, request.path[1]), requestId: answer.requestId };
      }
      if (feature === undefined || !isFeatureRefusal(request, answer, standing?.shape)) return answer;
      const stricter = "core-v0.1-client";
      if (standing !== undefined) memory.remember(target, { ...standing, profile: stricter });
      return { ...unsupportedBySource(target.name, feature, stricter), requestId: answer.requestId };
    },
  };
}

/** Servers word this in their own ways, some without what to retry with: the candidates that the schema named, in one way. */
function chooseOne(connections: readonly SourceConnection[], stream: string | undefined): FailedRead {
  const what = stream === undefined ? "this" : `a read of ${JSON.stringify(stream)}`;
  return { ok: false, ...wireProblem(ambiguousConnection(connections, { what })), requestId: null };
}

const UNIFORM = { type: "invalid_request_error", retry_with: "connection_id" };

/** The stream that is read without a connection to read it from; undefined for every other request. */
function unnamedStream({ path: [head, stream, part], query }: ReadRequest): string | undefined {
  if (head !== "streams" || (part !== "records" && part !== "aggregate")) return undefined;
  const isNamed = query.some(([name]) => name === "connection_id" || name === "connector_instance_id");
  return isNamed ? undefined : stream;
}

function isWholeSchema({ path, query }: ReadRequest): boolean {
  return path.length === 1 && query.every(([name]) => name === "view");
}

function asksForCompact({ query }: ReadRequest): boolean {
  return query.some(([name, value]) => name === "view" && value === "compact");
}

/** Whatever the server would let it read: an owner's bearer reads past every grant, and nobody knows what another kind does. */
function ownerRefused(name: string): FailedRead {
  return failedRead(403, {
    type: "permission_error",
    code: "owner_token_refused",
    message: `The bearer of the source ${JSON.stringify(name)} is not a client's: the operator has to give it one that a grant narrows.`,
  });
}
