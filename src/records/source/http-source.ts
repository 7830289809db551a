import { type ConfigProblem, formatProblems } from "../../config.ts";
import type { Result } from "../../result.ts";
import { exchange, type ExchangeIo } from "./http-exchange.ts";
import type { HttpSourceTarget } from "./http-target.ts";
import {
  isFeatureRefusal,
  markedSchema,
  profileOfSchema,
  refusedFeature,
  unsupportedBySource,
} from "./profile.ts";
import { wireProblem } from "../problem.ts";
import { ambiguousConnection } from "./ambiguous.ts";
import type { ReadAnswer, ReadRequest, ReadSource, SourceConnection } from "./read-source.ts";
import { bearerKind, COMPACT_SCHEMA, schemaConnections, schemaDocument } from "./schema-document.ts";
import { failedRead, type FailedRead, sourceUnavailable } from "./source-errors.ts";
import { isFresh, type SourceMemory, type Standing } from "./source-memory.ts";

export interface HttpSourceIo extends Omit<ExchangeIo, "scrubber"> {
  readonly memory: SourceMemory;
}

/** Kinds of bearers that a grant narrows. */
const CLIENT_KINDS: ReadonlySet<string> = new Set(["client", "mcp_package"]);
/** With which servers without a compact form refuse it. */
const NO_VIEW_CODES: ReadonlySet<string> = new Set(["bad_request", "invalid_request", "unsupported_query"]);

/**
 * An external PDPP resource server, read with the one bearer that the configuration has for it. Before anything is read the
 * server's schema has to say that this bearer is a client's; that is remembered for a minute. Then one request a read.
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
  const ask = (request: ReadRequest) =>
    exchange(target, request, { ...io, scrubber: memory.scrubberOf(target) });
  const fresh = (): Standing | undefined => {
    const standing = memory.recall(target);
    return standing !== undefined && isFresh(standing, now()) ? standing : undefined;
  };
  let learning: Promise<FailedRead | undefined> | undefined;

  /** Reads what the bearer is; why not, where that fails. Reads beside each other wait for one. */
  const learn = (): Promise<FailedRead | undefined> => {
    learning ??= askSchema(COMPACT_SCHEMA).then((answer) => {
      learning = undefined;
      return answer.ok ? undefined : answer;
    });
    return learning;
  };

  /** A schema document, the plain one where the server makes no compact one. */
  const askSchema = async (request: ReadRequest): Promise<ReadAnswer> => {
    const compact = asksForCompact(request);
    const plain = { ...request, query: request.query.filter(([name]) => name !== "view") };
    const knownPlain = compact && memory.recall(target)?.compact === false;
    let answer = await ask(knownPlain ? plain : request);
    const refused = !answer.ok && answer.status === 400 && NO_VIEW_CODES.has(answer.error.code);
    const again = compact && !knownPlain && refused;
    if (again) answer = await ask(plain);
    return noteSchema(request, answer, compact ? !again && !knownPlain : undefined);
  };

  const noteSchema = (request: ReadRequest, answer: ReadAnswer, compact: boolean | undefined): ReadAnswer => {
    if (!answer.ok) return forgetting(answer);
    const document = schemaDocument(answer.body);
    if (document === undefined) {
      return sourceUnavailable(target.name, "answered with something that is no schema.", answer.status);
    }
    const before = memory.recall(target);
    const isClient = CLIENT_KINDS.has(bearerKind(document) ?? "");
    const isWhole = request.query.every(([name]) => name === "view");
    if (isWhole || !isClient) {
      const shape = profileOfSchema(answer.body) ?? before?.shape;
      memory.remember(target, {
        isClient,
        shape,
        // What a refusal taught is not unlearnt from a document that looks fuller than the server is.
        profile:
          before?.profile === "core-v0.1-client" && before.shape === shape
            ? before.profile
            : (shape ?? "full"),
        // What an owner may read is nobody's business here.
        connections: isClient ? schemaConnections(document) : [],
        compact: compact ?? before?.compact ?? true,
        atMs: now(),
      });
    }
    if (!isClient) return ownerRefused(target.name);
    return { ...answer, body: markedSchema(answer.body, memory.recall(target)?.profile ?? "full") };
  };

  /** A bearer that the server no longer takes may be another one tomorrow. */
  const forgetting = (answer: FailedRead): FailedRead => {
    if (answer.status === 401 && answer.error.code === "authentication_error") memory.forget(target);
    return answer;
  };

  return {
    describe: () => {
      const standing = memory.recall(target);
      if (standing === undefined) return { kind: "http", profile: "full", connections: [] };
      const { profile, connections } = standing;
      return { kind: "http", profile, connections, ...(fresh() === undefined ? { stale: true } : {}) };
    },
    get: async (request) => {
      if (isWholeSchema(request) && fresh()?.isClient !== false) return askSchema(request);
      const failure = fresh() === undefined ? await learn() : undefined;
      if (failure !== undefined) return failure;
      const standing = memory.recall(target);
      if (standing?.isClient !== true) return ownerRefused(target.name);
      if (request.path[0] === "schema") return askSchema(request);
      const feature = refusedFeature(request);
      if (feature !== undefined && standing.profile !== "full") {
        return unsupportedBySource(target.name, feature, standing.profile);
      }
      const answer = await ask(request);
      if (answer.ok) return answer;
      if (answer.error.code === "ambiguous_connection") return chooseOne(answer, standing.connections);
      if (feature === undefined || !isFeatureRefusal(request, answer, standing.shape))
        return forgetting(answer);
      const profile = "core-v0.1-client";
      memory.remember(target, { ...standing, profile });
      return { ...unsupportedBySource(target.name, feature, profile), requestId: answer.requestId };
    },
  };
}

/** Servers word this in their own ways, some without what to retry with: the candidates that the schema named, in one way. */
function chooseOne(answer: FailedRead, connections: readonly SourceConnection[]): FailedRead {
  const { status, error } = wireProblem(ambiguousConnection(connections));
  return { ...answer, status, error: connections.length === 0 ? { ...answer.error, ...UNIFORM } : error };
}

const UNIFORM = { type: "invalid_request_error", retry_with: "connection_id" };

function isWholeSchema({ path, query }: ReadRequest): boolean {
  return path.length === 1 && path[0] === "schema" && query.every(([name]) => name === "view");
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
