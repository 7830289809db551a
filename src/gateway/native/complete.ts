import type { Catalog, CatalogTool, OtherKind } from "../../catalog/catalog.ts";
import type { KeptSession } from "../../dispatch/admission.ts";
import { flightAsk } from "../../dispatch/flight.ts";
import type { Upstream, UpstreamReport } from "../../dispatch/ports.ts";
import { sessionChange } from "../../dispatch/settle.ts";
import { permit } from "../../dispatch/permit.ts";
import { factsOfRead } from "../../dispatch/policy/facts.ts";
import { VERB_OF } from "../../dispatch/verb.ts";
import type { GatewayFailure } from "../../errors.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import {
  COMPLETION_TIMEOUT_MS,
  COMPLETION_VALUE_MAX_CHARS,
  COMPLETION_VALUES_MAX_COUNT,
} from "../../limits.ts";
import { readNativeUri } from "../../native-uri/native-uri.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { RpcProblem } from "../../surface.ts";
import { withAdmittedCatalog } from "../admitted-catalog.ts";
import { shownPath } from "../answers.ts";
import type { CallContext } from "../call-context.ts";
import { FlightWatch } from "../flight-watch.ts";
import { BROWSE_OF } from "../meta-tools.ts";
import type { GatewayPorts } from "../ports.ts";
import { listedUnder } from "../primitives/resource-table.ts";
import { quotaAsk } from "../quota.ts";
import { invalidParams } from "../proxy/rpc-problem.ts";
import { watchedUpstream } from "../watched-upstream.ts";
import { likelyProblem } from "./likely-names.ts";
import type { NativeRequest } from "./native-request.ts";
import { nativeProblem } from "./native-problem.ts";
import { findPrompt } from "./prompt-names.ts";
import { serverNames } from "../server-names.ts";
import { METHOD_NOT_FOUND } from "../../spine/frame/rpc-code.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a client is typing, and into what. */
interface Typing {
  readonly kind: OtherKind;
  /** A prompt's listed name, or a template as it is listed. */
  readonly name: string;
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that were given before. */
  readonly context: Readonly<Record<string, string>> | undefined;
}

/** Whom to ask. */
interface Asking {
  readonly tool: CatalogTool;
  readonly upstream: Upstream;
}

const NOTHING = { completion: { values: [] } };

/**
 * `completion/complete` (MCP 2025-11-25, "Completion"): put to the server whose prompt or template it is, by the names that it
 * knows. Counts as a look into the catalog. A server that completes nothing gives no values.
 */
export async function complete({
  params,
  context,
  ports,
  names,
  origin,
}: NativeRequest): Promise<Result<Members, RpcProblem>> {
  const typing = readTyping(params);
  if (typing === undefined) return fail(invalidParams("completion/complete takes a ref and an argument"));
  const { kind, name } = typing;
  const quota = quotaAsk(BROWSE_OF[kind], ports);
  const attempt = quota.attempt ?? ports.newId();
  const watch = new FlightWatch(context, ports, origin);
  let seen: Catalog | undefined;
  const asked = await withAdmittedCatalog<Asking>(
    {
      path: shownPath(name),
      metaTool: BROWSE_OF[kind],
      make: async (catalog) => {
        seen = catalog.of(kind);
        return askingOf(typing, seen, context, ports);
      },
      ask: ({ tool, upstream }, { version }) => {
        const { sessionKey } = upstream;
        const sending = { attempt, origin, timeoutMs: timeoutOf(upstream), dryRun: false, sessionKey };
        const flight = flightAsk(tool, sending);
        const noted = flight === null ? {} : { attempt, flight };
        watch.asked(noted);
        return { catalogVersion: version, upstreams: [sessionKey], ...quota, ...noted };
      },
    },
    context,
    ports,
  );
  if (!asked.ok) return fail(likelyProblem(asked.reason, name, seen, names, context, ports));
  const { made, admission } = asked.value;
  const session = admission.upstreamSessions.at(0);
  // From here on the answer and the session it opened are waited for, whoever goes away.
  const upstream = watchedUpstream(made.upstream, made.tool.server, watch, ports);
  const work = ask(typing, { ...made, upstream }, attempt, session, context);
  context.waitUntil(work);
  const { answer } = await work.finally(() => {
    watch.end();
  });
  if (answer.ok) return ok(completionOf(answer.value, made.tool, ports));
  const failure = answer.reason;
  if (failure.reason === "rpc_error" && failure.code === METHOD_NOT_FOUND) return ok(NOTHING);
  const { id: path } = made.tool;
  return fail(
    nativeProblem({ reason: "upstream", path, failure, replay: "convergent", didYouMean: [], kind }, ports),
  );
}

function readTyping(params: unknown): Typing | undefined {
  const ref = memberOf(params, "ref");
  const type = memberOf(ref, "type");
  const kind = type === "ref/prompt" ? "prompt" : type === "ref/resource" ? "resource" : undefined;
  const name = memberOf(ref, kind === "prompt" ? "name" : "uri");
  const argument = memberOf(params, "argument");
  const [key, value] = [memberOf(argument, "name"), memberOf(argument, "value")];
  const given = memberOf(memberOf(params, "context"), "arguments");
  if (
    kind === undefined ||
    typeof name !== "string" ||
    typeof key !== "string" ||
    typeof value !== "string"
  ) {
    return undefined;
  }
  const texts = Object.entries(isRecord(given) ? given : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    kind,
    name,
    argument: { name: key, value },
    context: texts.length === 0 ? undefined : Object.fromEntries(texts),
  };
}

function askingOf(
  { kind, name }: Typing,
  catalog: Catalog | undefined,
  context: CallContext,
  ports: GatewayPorts,
): Result<Asking, GatewayFailure> {
  const path = shownPath(name);
  const found =
    catalog &&
    (kind === "prompt" ? findPrompt(catalog, name, context.sees) : templateOf(catalog, name, context, ports));
  if (found === undefined) return fail({ reason: "unknown_id", path, didYouMean: [], kind });
  if ("owners" in found) return fail({ reason: "contested", path, owners: found.owners });
  // Who may not fetch it learns nothing of what it takes.
  const { permitted } = permit(
    ports.controls.gateway.policy,
    VERB_OF[kind].metaTool,
    factsOfRead(found),
    context.principal,
  );
  if (!permitted.ok) return permitted;
  const upstream = ports.upstream(found.server, found.target);
  if (upstream.ok) return ok({ tool: found, upstream: upstream.value });
  const failure = { reason: "unreachable", outcome: "not_dispatched", detail: upstream.reason } as const;
  return fail({ reason: "upstream", path: found.id, failure, replay: "convergent", didYouMean: [], kind });
}

/** The template, or the resource, that is listed under a text: of the server that it names, else by itself. */
function templateOf(
  catalog: Catalog,
  text: string,
  { sees }: CallContext,
  { servers }: GatewayPorts,
): CatalogTool | { readonly owners: readonly string[] } | undefined {
  const read = readNativeUri(text);
  if (read === undefined) return undefined;
  const { namespace, uri } = read;
  const listed = listedUnder(catalog, uri, sees);
  const server = namespace === undefined ? undefined : serverNames(servers).serverOf(namespace);
  const claims = namespace === undefined ? listed : listed.filter((each) => each.server === server);
  if (new Set(claims.map((each) => each.server)).size > 1) return { owners: claims.map(({ id }) => id) };
  const [first] = claims;
  return first && catalog.find(first.id);
}

/** Asks the server, within a bounded time, and settles that it is over, with what has become of its session. Never throws. */
async function ask(
  { kind, argument, context: given }: Typing,
  { tool, upstream }: Asking,
  attempt: string,
  session: KeptSession | undefined,
  context: CallContext,
): Promise<UpstreamReport> {
  const { upstreamName } = tool;
  const ref =
    kind === "prompt"
      ? { type: "ref/prompt", name: upstreamName }
      : { type: "ref/resource", uri: upstreamName };
  const params = { ref, argument, ...(given === undefined ? {} : { context: { arguments: given } }) };
  const timeoutMs = timeoutOf(upstream);
  let report: UpstreamReport;
  try {
    report = await upstream.call({
      method: "completion/complete",
      params,
      session,
      timeoutMs,
      requestId: attempt,
    });
  } catch (error) {
    const failure = { reason: "protocol", outcome: "unknown", detail: String(error) } as const;
    report = { answer: fail(failure), session: null };
  }
  const { opened, lost } = sessionChange(upstream.sessionKey, session, report.session);
  context.settle({
    attempt,
    ...(opened.length === 0 ? {} : { opened }),
    ...(lost.length === 0 ? {} : { lost }),
  });
  return report;
}

function timeoutOf({ timeoutMs }: Pick<Upstream, "timeoutMs">): number {
  return Math.min(COMPLETION_TIMEOUT_MS, timeoutMs);
}

/** What a server proposes, bounded, without secrets; what is no text proposes nothing. */
function completionOf(
  result: Members,
  { server }: CatalogTool,
  { scrubber, ...ports }: Pick<GatewayPorts, "scrubber" | "redactor">,
): Members {
  const completion = memberOf(result, "completion");
  const given = memberOf(completion, "values");
  const texts = (isJsonArray(given) ? given : []).filter((value) => typeof value === "string");
  const redacting = ports.redactor(server);
  // One that would have to be cut is no value that could be used, and half a secret cannot be found.
  const values = texts
    .filter((value) => value.length <= COMPLETION_VALUE_MAX_CHARS)
    .slice(0, COMPLETION_VALUES_MAX_COUNT)
    .map((value) => {
      const text = scrubber.text(value);
      return redacting?.text(text).text ?? text;
    });
  const total = memberOf(completion, "total");
  const more = texts.length > values.length || memberOf(completion, "hasMore");
  return {
    completion: {
      values,
      ...(typeof total === "number" && Number.isSafeInteger(total) && total >= 0 ? { total } : {}),
      ...(typeof more === "boolean" ? { hasMore: more } : {}),
    },
  };
}
