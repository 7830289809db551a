import { PACKAGE_FANOUT_MAX_COUNT } from "../../limits/records.ts";
import { orAbort, startDeadline } from "../../upstream/deadline.ts";
import type { Warning } from "../server/answer.ts";
import type { ReadAnswer, ReadRequest, ReadSource, SourceConnection } from "./read-source.ts";
import { COMPACT_SCHEMA } from "./schema-document.ts";
import { type FailedRead, sourceUnavailable } from "./source-errors.ts";

/** One source of a package. */
export interface PackageMember {
  /** Stands in cursors and errors: a grant's id, or the name of an external source. */
  readonly id: string;
  /** For warnings. */
  readonly name: string;
  /** Whose word its answers are: the same for all members that one server is behind. */
  readonly authority: string;
  readonly source: ReadSource;
  /** The same for a search of the whole package, whose cursor seals this one's; where absent, `source`. */
  readonly searched?: ReadSource;
}

export interface MemberRequest {
  readonly member: PackageMember;
  readonly request: ReadRequest;
}

export interface MemberAnswer {
  readonly member: PackageMember;
  readonly answer: ReadAnswer;
}

/** What a member answers within `timeoutMs` milliseconds; one that throws, or never answers, is not available. */
export async function askMember({ member, request }: MemberRequest, timeoutMs: number): Promise<ReadAnswer> {
  const deadline = startDeadline(timeoutMs);
  try {
    return await orAbort(member.source.get(request), deadline.signal);
  } catch {
    return sourceUnavailable(member.name, "did not answer: try again.");
  } finally {
    deadline.stop();
  }
}

/** All answers, in the order of the requests; a few are asked at a time, and none waits for one that hangs but those behind it. */
export async function askMembers(
  requests: readonly MemberRequest[],
  timeoutMs: number,
): Promise<readonly MemberAnswer[]> {
  const answers = new Map<MemberRequest, ReadAnswer>();
  const waiting = requests.values();
  const work = async (): Promise<void> => {
    for (const each of waiting) {
      // As many of these loops run as members may be asked at a time.
      answers.set(each, await askMember(each, timeoutMs));
    }
  };
  await Promise.all(Array.from({ length: PACKAGE_FANOUT_MAX_COUNT }, work));
  return requests.flatMap((each) => {
    const answer = answers.get(each);
    return answer === undefined ? [] : [{ member: each.member, answer }];
  });
}

/** Whether a member's connections are only known after a schema read, or were known too long ago to deny one. */
export function isUnknown({ source }: PackageMember): boolean {
  const { kind, connections, stale } = source.describe();
  return kind !== "d1" && (connections.length === 0 || stale === true);
}

/** Whether nothing at all is known of a member's connections, so that nobody can count them. */
export function isUncounted({ source }: PackageMember): boolean {
  const { kind, connections } = source.describe();
  return kind !== "d1" && connections.length === 0;
}

/** The names of all streams that a member has; undefined where they are not known. */
export function streamsOf(member: PackageMember): ReadonlySet<string> | undefined {
  const { connections } = member.source.describe();
  if (isUnknown(member) || connections.some(({ streams }) => streams === undefined)) return undefined;
  return new Set(connections.flatMap(({ streams = [] }) => streams));
}

/** What the members' connections are, as far as it is known. */
export function connectionsOf(members: readonly PackageMember[]): readonly SourceConnection[] {
  return members.flatMap((member) => ownConnections(member, members));
}

/**
 * The connections that are a member's to speak of. Ids are the servers' own, so that one may claim what another one has: the
 * authority that comes first in the package keeps it, and the embedded server comes before all others.
 */
export function ownConnections(
  member: PackageMember,
  members: readonly PackageMember[],
): readonly SourceConnection[] {
  const foreign = foreignIds(member, members);
  return member.source.describe().connections.filter(({ connectionId }) => !foreign.has(connectionId));
}

/** The connections that another authority has, whatever this member says of them. */
export function foreignIds(
  { authority }: PackageMember,
  members: readonly PackageMember[],
): ReadonlySet<string> {
  const holders = new Map<string, string>();
  for (const each of members) {
    for (const { connectionId } of each.source.describe().connections) {
      if (!holders.has(connectionId)) holders.set(connectionId, each.authority);
    }
  }
  return new Set([...holders].flatMap(([id, holder]) => (holder === authority ? [] : [id])));
}

/** Has the members whose connections are not known read their schema, which they remember; those that could not, and why. */
export async function learnMembers(
  members: readonly PackageMember[],
  timeoutMs: number,
): Promise<ReadonlyMap<PackageMember, FailedRead>> {
  const unknown = members.filter((member) => isUnknown(member));
  const answers = await askMembers(
    unknown.map((member) => ({ member, request: COMPACT_SCHEMA })),
    timeoutMs,
  );
  return new Map(answers.flatMap(({ member, answer }) => (answer.ok ? [] : [[member, answer] as const])));
}

/** How servers say that a grant has no such stream or connection, each in its way. */
const NOT_THERE_CODES: ReadonlySet<string> = new Set([
  "stream_not_declared",
  "grant_stream_not_allowed",
  "connection_not_found",
  "context.stream_not_allowed",
  "context.instance_mismatch",
]);

/** Whether a member said that it does not have what was asked for, so that another one may. */
export function isNotThere({ error }: FailedRead): boolean {
  return NOT_THERE_CODES.has(error.code);
}

export function unavailableWarning({ name }: PackageMember, { error }: FailedRead): Warning {
  return {
    code: "source_unavailable",
    message: `The source ${JSON.stringify(name)} gave no answer: what it has is missing here.`,
    detail: { source: name, reason: error.code },
  };
}

/** Of several failures the one to pass on where nothing else came: what the caller can mend first. */
export function failureToTell(failures: readonly FailedRead[]): FailedRead | undefined {
  const mendable = failures.find(
    (failure) =>
      failure.status >= 400 && failure.status < 500 && !isNotThere(failure) && failure.status !== 429,
  );
  return mendable ?? failures.find((failure) => !isNotThere(failure)) ?? failures[0];
}
