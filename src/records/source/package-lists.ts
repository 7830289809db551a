import { isJsonArray, memberOf } from "../../json.ts";
import { problem, wireProblem } from "../problem.ts";
import { listLinks, selfLink, type Warning } from "../server/answer.ts";
import { bearerOf } from "../server/schema/schema.ts";
import { ambiguousConnection, candidateRow } from "./ambiguous.ts";
import {
  askMembers,
  connectionsOf,
  failureToTell,
  foreignIds,
  isNotThere,
  type MemberAnswer,
  type PackageMember,
  streamsOf,
  unavailableWarning,
} from "./package-members.ts";
import type { PackageSettings } from "./package-source.ts";
import type { ReadAnswer, ReadRequest } from "./read-source.ts";
import { recordsIn, schemaConnections, schemaDocument, text } from "./schema-document.ts";
import type { FailedRead } from "./source-errors.ts";

type Member = Readonly<Record<string, unknown>>;

interface Gathered {
  /** The bodies of those that answered, with the member each is from. */
  readonly bodies: readonly { readonly member: PackageMember; readonly body: unknown }[];
  readonly isPartial: boolean;
  readonly warnings: readonly object[];
}

/** One schema document over all members: each connector as its own source tells it, with its own connections. */
export async function mergedSchema(request: ReadRequest, settings: PackageSettings): Promise<ReadAnswer> {
  const one = (wanted: string) => request.query.find(([name]) => name === wanted)?.[1];
  const [stream, isFull] = [one("stream"), one("detail") === "full"];
  if (isFull && stream === undefined) return answered(FULL_WITHOUT_STREAM);
  const gathered = await gather(request, settings, stream);
  if (!("bodies" in gathered)) return gathered;
  const documents = gathered.bodies.flatMap(({ member, body }) => {
    const document = schemaDocument(body);
    return document === undefined
      ? []
      : [{ document, connectors: connectorsOf(document, member, settings.members) }];
  });
  const found = documents.filter(({ connectors }) => connectors.length > 0);
  if (isFull && found.length > 1) {
    const own = new Map(connectionsOf(settings.members).map((each) => [each.connectionId, each]));
    const candidates = found.flatMap((each) =>
      schemaConnections({ ...each.document, connectors: each.connectors }).map((candidate) =>
        Object.assign({}, candidate, {
          grantId: candidate.grantId ?? own.get(candidate.connectionId)?.grantId ?? null,
        }),
      ),
    );
    const what = `the full detail of ${JSON.stringify(stream)}`;
    return answered(ambiguousConnection(candidates, { code: "ambiguous_schema_detail", what }));
  }
  const connectors = documents.flatMap((each) => each.connectors);
  const detail = documents.map(({ document }) => text(document["detail"])).find((word) => word !== undefined);
  const { holder, members } = settings;
  return {
    ok: true,
    status: 200,
    body: {
      bearer: bearerOf(holder),
      connectors,
      object: "schema",
      ...(detail === undefined ? {} : { detail }),
      connector_count: connectors.length,
      stream_count: connectors.reduce((sum, each) => sum + recordsIn(each["streams"]).length, 0),
      package: {
        grant_package: holder.kind === "package" ? holder.packageId : null,
        member_count: members.length,
        sources: connectionsOf(members).map(candidateRow),
      },
      links: selfLink(request),
      meta: packageMeta(gathered.warnings, gathered.isPartial, settings),
    },
    requestId: null,
  };
}

const FULL_WITHOUT_STREAM = problem(
  "invalid_request",
  "Full detail is given for one stream at a time: name it in stream.",
  { param: "detail" },
);

/** A list that every member has its part of: streams, connectors. */
export async function mergedList(request: ReadRequest, settings: PackageSettings): Promise<ReadAnswer> {
  const gathered = await gather(request, settings, undefined);
  if (!("bodies" in gathered)) return gathered;
  const cut = gathered.bodies.filter(({ body }) => memberOf(body, "has_more") === true);
  const warnings = [
    ...gathered.warnings,
    ...cut.map(({ member }): Warning => ({
      code: "partial_results",
      message: `The source ${JSON.stringify(member.name)} has more than is listed here: ask with its connection_id.`,
      detail: { source: member.name },
    })),
  ];
  return {
    ok: true,
    status: 200,
    body: {
      data: gathered.bodies.flatMap(({ body }) => recordsIn(memberOf(body, "data"))),
      has_more: false,
      object: "list",
      links: listLinks(request, null),
      meta: packageMeta(warnings, gathered.isPartial || cut.length > 0, settings),
    },
    requestId: null,
  };
}

/** Asks every member that may have the stream; a failure where none of them answered. */
async function gather(
  request: ReadRequest,
  { members, memberTimeoutMs }: PackageSettings,
  stream: string | undefined,
): Promise<Gathered | FailedRead> {
  const fitting = members.filter(
    (member) => stream === undefined || (streamsOf(member)?.has(stream) ?? true),
  );
  const asked = fitting.length > 0 ? fitting : members.slice(0, 1);
  const answers = await askMembers(
    asked.map((member) => ({ member, request })),
    memberTimeoutMs,
  );
  const bodies = answers.flatMap(({ member, answer }) => (answer.ok ? [{ member, body: answer.body }] : []));
  const failures = failuresOf(answers);
  if (bodies.length === 0) {
    return (
      failureToTell(failures.map(({ failure }) => failure)) ??
      answered(problem("not_found", "Nothing to read."))
    );
  }
  // Where one member has the stream, that another has it not is no failure.
  const warnings = failures
    .filter(({ failure }) => !isNotThere(failure))
    .map(({ member, failure }) => unavailableWarning(member, failure));
  return {
    bodies,
    isPartial: warnings.length > 0,
    warnings: [...warnings, ...memberWarnings(bodies.map(({ body }) => body))],
  };
}

/** What the members themselves warned of, each warning once. */
export function memberWarnings(bodies: readonly unknown[]): readonly Member[] {
  const found = bodies.flatMap((body) => recordsIn(memberOf(memberOf(body, "meta"), "warnings")));
  return [...new Map(found.map((each) => [`${text(each["code"])} ${text(each["message"])}`, each])).values()];
}

function failuresOf(
  answers: readonly MemberAnswer[],
): readonly { readonly member: PackageMember; readonly failure: FailedRead }[] {
  return answers.flatMap(({ member, answer }) => (answer.ok ? [] : [{ member, failure: answer }]));
}

/** The connectors of a document, without what it says of connections that are another's to speak of. */
function connectorsOf(
  document: Member,
  member: PackageMember,
  members: readonly PackageMember[],
): readonly Member[] {
  const foreign = foreignIds(member, members);
  return nestedConnectors(document, member).flatMap((connector) => {
    const streams = recordsIn(connector["streams"]).flatMap((stream) => withoutForeign(stream, foreign));
    const [kept] = withoutForeign(connector, foreign);
    return streams.length === 0 || kept === undefined ? [] : [{ ...kept, streams }];
  });
}

/** A connector or stream without foreign connections; nothing where it had no others. */
function withoutForeign(holder: Member, foreign: ReadonlySet<string>): readonly Member[] {
  const named = recordsIn(holder["granted_connections"]);
  const own = named.filter(({ connection_id: id }) => typeof id !== "string" || !foreign.has(id));
  if (own.length === named.length) return [holder];
  return own.length === 0 ? [] : [{ ...holder, granted_connections: own }];
}

/** The connectors of a document; a flat one's streams under the connectors that they name. */
function nestedConnectors(document: Member, member: PackageMember): readonly Member[] {
  if (isJsonArray(document["connectors"])) return recordsIn(document["connectors"]);
  const groups = new Map<string, Member[]>();
  for (const stream of recordsIn(document["streams"])) {
    const key = text(stream["connector_key"]) ?? text(stream["connector_id"]) ?? member.name;
    groups.set(key, [...(groups.get(key) ?? []), stream]);
  }
  return [...groups].map(([key, streams]) => ({
    object: "connector",
    connector_key: key,
    stream_count: streams.length,
    streams,
  }));
}

function packageMeta(warnings: readonly object[], partial: boolean, { members }: PackageSettings): object {
  return { count: { kind: "none" }, warnings, package: { member_count: members.length, partial } };
}

export function answered(refused: ReturnType<typeof problem>): FailedRead {
  return { ok: false, ...wireProblem(refused), requestId: null };
}
