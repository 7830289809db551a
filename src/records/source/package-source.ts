import { PACKAGE_MEMBER_MAX_MS } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { Holder } from "../grant/coverage.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { Seal } from "../seal/seal.ts";
import { ambiguousConnection } from "./ambiguous.ts";
import { answered, mergedList, mergedSchema } from "./package-lists.ts";
import {
  askMember,
  connectionsOf,
  isNotThere,
  isUncounted,
  isUnknown,
  learnMembers,
  ownConnections,
  type PackageMember,
  streamsOf,
} from "./package-members.ts";
import { mergedSearch } from "./package-search.ts";
import type { ReadAnswer, ReadRequest, ReadSource } from "./read-source.ts";
import { type FailedRead, sourceUnavailable } from "./source-errors.ts";

export type { PackageMember } from "./package-members.ts";

export interface PackageSettings {
  readonly holder: Holder;
  /** In the order of their grants; two or more. */
  readonly members: readonly PackageMember[];
  readonly seal: Seal;
  /** How long one member is waited for, in milliseconds. */
  readonly memberTimeoutMs: number;
}

/**
 * Several sources as one. What can be told of all is asked of all: the schema, the lists of streams, search. What is about
 * one connection goes to the one that has it, and without a connection nowhere (seed 002: `ambiguous_connection`).
 */
export function createPackageSource(
  given: Omit<PackageSettings, "memberTimeoutMs"> & Partial<Pick<PackageSettings, "memberTimeoutMs">>,
): ReadSource {
  const settings = { memberTimeoutMs: PACKAGE_MEMBER_MAX_MS, ...given };
  const { members } = settings;
  return {
    describe: () => {
      const each = members.map(({ source }) => source.describe());
      return {
        kind: "package",
        profile: each.some(({ profile }) => profile === "full") ? "full" : "core-v0.1-client",
        connections: connectionsOf(members),
        ...(each.some(({ kind }) => kind === "http") ? { external: true } : {}),
        ...(members.some((member) => isUnknown(member)) ? { stale: true } : {}),
        ...(members.some((member) => isUncounted(member)) ? { uncounted: true } : {}),
      };
    },
    get: async (request) => {
      const connection = connectionOf(request);
      if (!connection.ok) return answered(connection.reason);
      if (connection.value !== undefined) return readOne(request, connection.value, settings);
      const [head, stream] = request.path;
      if (request.path.length === 1) {
        if (head === "schema") return mergedSchema(request, settings);
        if (head === "streams" || head === "connectors") return mergedList(request, settings);
        if (head === "search") return mergedSearch(request, settings);
      }
      if (head !== "streams" || stream === undefined) return answered(NOTHING_THERE);
      return readUnnamed(request, settings);
    },
  };
}

const NOTHING_THERE = problem("not_found", "There is nothing at this path.");

/** The connection that a request names, by its present name or the old one. */
function connectionOf({ query }: ReadRequest): Result<string | undefined, PdppProblem> {
  const named = query.filter(([name]) => name === "connection_id" || name === "connector_instance_id");
  const ids = new Set(named.map(([, value]) => value));
  if (ids.size <= 1) return ok(named[0]?.[1]);
  return fail(
    problem("invalid_argument", "connection_id and connector_instance_id name different connections.", {
      param: "connector_instance_id",
    }),
  );
}

/** A read that has to be of one connection and names none: no member is asked. */
async function readUnnamed(request: ReadRequest, settings: PackageSettings): Promise<ReadAnswer> {
  const { members } = settings;
  const candidates = connectionsOf(members);
  const incomplete = members.some((member) => isUnknown(member));
  const [first] = candidates;
  const isOne = new Set(candidates.map(({ connectionId }) => connectionId)).size === 1;
  if (first !== undefined && isOne && !incomplete) return readOne(request, first.connectionId, settings);
  const stream = request.path[1] ?? "";
  const having = candidates.filter(({ streams }) => streams?.includes(stream) ?? true);
  const what = `a read of ${JSON.stringify(stream)} from several sources`;
  const uncounted = members.some((member) => isUncounted(member));
  const named = having.length > 0 ? having : candidates;
  return answered(ambiguousConnection(named, { what, incomplete, uncounted }));
}

/** A read of one connection, passed on as it came to the member that has it. */
async function readOne(
  request: ReadRequest,
  connectionId: string,
  settings: PackageSettings,
): Promise<ReadAnswer> {
  const { members, memberTimeoutMs } = settings;
  let owners = ownersOf(connectionId, members);
  if (owners.length === 0) {
    const failed = await learnMembers(members, memberTimeoutMs);
    owners = ownersOf(connectionId, members);
    const [down] = failed.keys();
    if (owners.length === 0 && down !== undefined) {
      return sourceUnavailable(
        down.name,
        "gave no answer, and it may be the one with this connection: try again.",
      );
    }
  }
  if (owners.length === 0) {
    const message = "There is no such connection: schema lists those that can be read.";
    return answered(problem("connection_not_found", message, { param: "connection_id" }));
  }
  return readOfFirst(request, byStream(owners, request), memberTimeoutMs);
}

function ownersOf(connectionId: string, members: readonly PackageMember[]): readonly PackageMember[] {
  return members.filter((member) =>
    ownConnections(member, members).some((connection) => connection.connectionId === connectionId),
  );
}

/** Of several grants over one connection, those first that have the stream. */
function byStream(owners: readonly PackageMember[], { path }: ReadRequest): readonly PackageMember[] {
  const stream = path[0] === "streams" ? path[1] : undefined;
  if (stream === undefined || owners.length === 1) return owners;
  const has = (member: PackageMember) => Number(streamsOf(member)?.has(stream) ?? true);
  return owners.toSorted((left, right) => has(right) - has(left));
}

/** What the first of them answers that has it; where none has, what the first one said. */
async function readOfFirst(
  request: ReadRequest,
  owners: readonly PackageMember[],
  timeoutMs: number,
): Promise<ReadAnswer> {
  let first: FailedRead | undefined;
  for (const member of owners) {
    // Another grant is only asked where this one has it not.
    const answer = await askMember({ member, request }, timeoutMs);
    if (answer.ok || !(isNotThere(answer) || answer.error.code === "not_found")) return answer;
    first ??= answer;
  }
  return first ?? answered(NOTHING_THERE);
}
