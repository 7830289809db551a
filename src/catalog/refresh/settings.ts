import { type Config, type ConfigProblem, keyOf, type ServerBlock } from "../../config.ts";
import { compileGlob, type Glob } from "../../glob.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { type NamespaceMode, serverNamespaces } from "../../identity/namespace.ts";
import { fail, ok, type Result } from "../../result.ts";
import { serverTarget, type ServerTarget } from "../../server-target.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import type { Pin } from "../drift/pin.ts";
import type { IngestServer } from "./ingest.ts";
import { SNAPSHOT_FORMAT } from "../snapshot/snapshot.ts";

/** One place where a server can be reached. */
export interface TargetIdentity {
  /** Hash of where it is and of what is sent there: the same whatever else of the server is edited. */
  readonly key: string;
  /** Hash of everything that decides what its listing means; its last good listing is kept under it. */
  readonly source: string;
}

/** One enabled server of the configuration, ready to be listed and judged. */
export interface ServerSettings extends IngestServer {
  readonly configured: TargetIdentity;
  /** Undefined where there is none, or where it is the same place. */
  readonly candidate: TargetIdentity | undefined;
  readonly required: boolean;
  /** Its annotations decide something (`trust_hints`). */
  readonly believed: boolean;
}

/** What of a configuration decides what the catalog holds. */
export interface CatalogSettings {
  /** Deployments with equal hashes share a catalog. Variables count as written; another format is another catalog. */
  readonly hash: string;
  readonly intervalSeconds: number;
  /** In the configuration's order. */
  readonly servers: readonly ServerSettings[];
  readonly pin: Pin | null;
}

function globsOf(
  name: string,
  key: "include" | "exclude",
  texts: readonly string[],
  problems: ConfigProblem[],
) {
  return texts.flatMap((text, at): Glob[] => {
    const glob = compileGlob(text);
    if (glob.ok) return [glob.value];
    problems.push({
      key: keyOf(["mcpServers", name, key, at]),
      message:
        glob.reason === "empty_glob" ? "an empty glob matches nothing: remove it" : "the glob is too long",
    });
    return [];
  });
}

function identitiesOf(
  name: string,
  server: ServerBlock,
  { schema_limits: limits, redact }: Pick<Config["gateway"], "schema_limits" | "redact">,
) {
  const { namespace, include, exclude } = server;
  // A listing that was kept without redaction is no last good one for a server with it. Off it is what it always was.
  const redaction = (server.redact ?? redact) ? [{ redact: true }] : [];
  if (server.type === "static") {
    const place = [name, server.type];
    const what = [server.resources, server.prompts, namespace, include, exclude, limits, ...redaction];
    const identity = {
      key: sha256Hex(canonicalJson(place)),
      source: sha256Hex(canonicalJson([...place, ...what])),
    };
    return { configured: identity, candidate: undefined };
  }
  const identityOf = ({ url, headers }: Pick<ServerTarget, "url" | "headers">): TargetIdentity => ({
    key: sha256Hex(canonicalJson([name, url, headers])),
    source: sha256Hex(canonicalJson([name, url, headers, namespace, include, exclude, limits, ...redaction])),
  });
  const place = serverTarget(name, server, "candidate");
  return { configured: identityOf(server), candidate: place && identityOf(place) };
}

/** The namespaces of the servers that have one by configuration; equal or empty ones would mix up their policies. */
function modesOf(servers: readonly (readonly [string, ServerBlock])[], problems: ConfigProblem[]) {
  const named = servers.filter(([, { namespace }]) => namespace === "server").map(([name]) => name);
  const namespaces = serverNamespaces(named);
  if (!namespaces.ok) {
    for (const reason of namespaces.reason) {
      if (reason.reason === "empty_namespace") {
        const message = "the name has no letter to make a namespace of: choose another name";
        problems.push({ key: keyOf(["mcpServers", reason.server]), message });
        continue;
      }
      for (const server of reason.servers.slice(1)) {
        const message = `the name gives the namespace "${reason.namespace}", which another server has: choose another name`;
        problems.push({ key: keyOf(["mcpServers", server]), message });
      }
    }
  }
  return (name: string): NamespaceMode => {
    const namespace = namespaces.ok ? namespaces.value.get(name) : undefined;
    return namespace === undefined ? { source: "infer" } : { source: "server", server: name, namespace };
  };
}

/** Reads the catalog's part of a configuration; every problem names its key. Servers that are disabled do not exist. */
export function catalogSettings(config: Config): Result<CatalogSettings, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const enabled = Object.entries(config.mcpServers).filter(([, { disabled }]) => !disabled);
  const modeOf = modesOf(enabled, problems);
  const limits = config.gateway.schema_limits;
  const servers = enabled.map(([name, server]): ServerSettings => {
    const { include, exclude, required } = server;
    const { configured, candidate } = identitiesOf(name, server, config.gateway);
    return {
      name,
      mode: modeOf(name),
      limits,
      include: globsOf(name, "include", include, problems),
      exclude: globsOf(name, "exclude", exclude, problems),
      required,
      believed: server.type === "http" && server.trust_hints,
      configured,
      candidate: candidate?.key === configured.key ? undefined : candidate,
    };
  });
  if (problems.length > 0) return fail(problems);
  const { pin, refresh_interval_s: intervalSeconds } = config.gateway;
  // Without candidates it is what it was before there were any.
  const targets = servers.map(({ configured, candidate }) =>
    candidate === undefined ? configured.source : [configured.source, candidate.source],
  );
  const basis: unknown[] = [SNAPSHOT_FORMAT, targets];
  // Under a strict pin nothing is served that was published without it, so it has a catalog of its own.
  if (pin?.mode === "strict") basis.push({ pin: pin.hash });
  return ok({ hash: sha256Hex(canonicalJson(basis)), intervalSeconds, servers, pin });
}
