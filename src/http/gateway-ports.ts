import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";
import type { CatalogPort } from "../catalog/catalog.ts";
import { formatProblems } from "../config.ts";
import type { Upstream } from "../dispatch/ports.ts";
import { platformDigest } from "../firewall/artifacts/artifact-store.ts";
import { controlPorts } from "../gateway/controls.ts";
import type { GatewayPorts } from "../gateway/ports.ts";
import { redactorPorts } from "../gateway/redactors.ts";
import type { RequestContext } from "../gateway/request-context.ts";
import { selectionApi, type SelectionApi } from "../gateway/selection-api.ts";
import { gatewaySurface } from "../gateway/surface.ts";
import type { Surface } from "../surface.ts";
import { fail, ok } from "../result.ts";
import { createValidatorCache } from "../schema/validator-cache.ts";
import { callTool, type UpstreamIo, type UpstreamTarget } from "../upstream/connection.ts";
import { upstreamTarget } from "../upstream/targets.ts";
import { approvalDesk } from "./approval-desk.ts";
import { artifactsOf } from "./artifacts.ts";
import type { HttpContext } from "./bindings.ts";
import { buffers } from "./buffers.ts";
import { logFor } from "./log.ts";
import { envLookup, scrubberFor } from "./scrubber.ts";
import { sleep } from "./sleep.ts";

/** Compiled schemas by their content's hash: the same for everyone, so one cache serves the isolate. */
const validators = createValidatorCache();

type OwnIo = Partial<Pick<UpstreamIo, "fetch">>;

/** The gateway over the bindings and the configuration of one request. */
export function gatewayFor(c: HttpContext, catalogs: CatalogPort, io: OwnIo = {}): Surface<RequestContext> {
  return gatewaySurface(portsFor(c, catalogs, io));
}

/** The selection contract over the same. */
export function selectionApiFor(c: HttpContext, catalogs: CatalogPort): SelectionApi {
  return selectionApi(portsFor(c, catalogs, {}));
}

function portsFor(c: HttpContext, catalogs: CatalogPort, io: OwnIo): GatewayPorts {
  const config = c.get("config");
  const scrubber = scrubberFor(config, c.env);
  return {
    catalogs,
    validators,
    artifacts: artifactsOf(c),
    buffers,
    openDigest: platformDigest,
    artifactKeys: c.get("keys").artifact,
    upstream: (server, which) => {
      const block = Object.hasOwn(config.mcpServers, server) ? config.mcpServers[server] : undefined;
      if (block === undefined) return fail(`the configuration has no server ${server}`);
      const calls = upstreamIo(c, io.fetch);
      const target = upstreamTarget(server, block, envLookup(c.env), calls, which);
      return target.ok ? ok(upstreamOf(target.value, calls)) : fail(formatProblems(target.reason));
    },
    scrubber,
    ...redactorPorts(config),
    settings: { topK: config.gateway.top_k, cacheStable: config.gateway.cache_stable },
    ...controlPorts(config),
    approvals: approvalDesk(c.env.DB),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    random: () => Math.random(),
    sleep,
    log: logFor(c),
  };
}

function upstreamOf(target: UpstreamTarget, io: UpstreamIo): Upstream {
  return {
    sessionKey: sessionKeyOf(target),
    timeoutMs: target.timeoutMs,
    call: async (name, args, session, timeoutMs = target.timeoutMs, sinks) => {
      const kept = session && {
        ...(session.sessionId === "" ? {} : { sessionId: session.sessionId }),
        protocolVersion: session.protocolVersion,
        serverInfo: {},
        capabilities: {},
      };
      const call = { name, args, ...(sinks === undefined ? {} : { sinks }) };
      const { answer, session: after } = await callTool({ ...target, timeoutMs }, kept, call, io);
      return {
        answer,
        session: after && { sessionId: after.sessionId ?? "", protocolVersion: after.protocolVersion },
      };
    },
  };
}

/** A hash of the upstream and of the credential used with it, so that a session never crosses either. */
function sessionKeyOf({ name, url, headers }: UpstreamTarget): string {
  const sorted = Object.entries(headers).sort(([left], [right]) => (left < right ? -1 : 1));
  const identity = new TextEncoder().encode(JSON.stringify([name, url, sorted]));
  return `upstream-1-${encodeBase64url(sha256(identity))}`;
}

function upstreamIo(c: HttpContext, ownFetch: UpstreamIo["fetch"] | undefined): UpstreamIo {
  return {
    fetch: ownFetch ?? ((url, init) => fetch(url, init)),
    newId: () => crypto.randomUUID(),
    buffers,
    allowLoopback: c.env.LOOMGATE_DEVELOPMENT !== undefined,
    background: (work) => {
      c.executionCtx.waitUntil(work);
    },
  };
}
