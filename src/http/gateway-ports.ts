import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";
import type { CatalogPort } from "../catalog/catalog.ts";
import { answerStatic } from "../catalog/primitives/static-server.ts";
import { formatProblems, type StaticServerConfig } from "../config.ts";
import type { KeptSession } from "../dispatch/admission.ts";
import type { Upstream } from "../dispatch/ports.ts";
import { platformDigest } from "../firewall/artifacts/artifact-store.ts";
import { controlPorts } from "../gateway/controls.ts";
import { nativePart } from "../gateway/native/native-surface.ts";
import type { GatewayPorts } from "../gateway/ports.ts";
import { proxySurface } from "../gateway/proxy/proxy-surface.ts";
import { redactorPorts } from "../gateway/redactors.ts";
import type { RequestContext } from "../gateway/request-context.ts";
import { RunningCalls } from "../gateway/running-calls.ts";
import { selectionApi, type SelectionApi } from "../gateway/selection-api.ts";
import { gatewaySurface } from "../gateway/surface.ts";
import type { ListedForm } from "../identity/listed-form.ts";
import { UPSTREAM_TIMEOUT_DEFAULT_MS } from "../limits.ts";
import type { Surface } from "../surface.ts";
import { fail, ok } from "../result.ts";
import { createValidatorCache } from "../schema/validator-cache.ts";
import { callUpstream, cancelRequest } from "../upstream/connection.ts";
import type { UpstreamSession } from "../upstream/session.ts";
import type { UpstreamIo, UpstreamTarget } from "../upstream/upstream-io.ts";
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
const running = new RunningCalls();

type OwnIo = Partial<Pick<UpstreamIo, "fetch">>;

/** The gateway over the bindings and the configuration of one request. */
export function gatewayFor(c: HttpContext, catalogs: CatalogPort, io: OwnIo = {}): Surface<RequestContext> {
  return gatewaySurface(portsFor(c, catalogs, io));
}

/** The proxy over the same, with names of one form in its lists. */
export function proxyFor(
  c: HttpContext,
  catalogs: CatalogPort,
  names: ListedForm,
  io: OwnIo = {},
): Surface<RequestContext> {
  const ports = portsFor(c, catalogs, io);
  return proxySurface(ports, { names, native: nativePart(ports, names) });
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
    running,
    artifacts: artifactsOf(c),
    buffers,
    openDigest: platformDigest,
    artifactKeys: c.get("keys").artifact,
    upstream: (server, which) => {
      const block = Object.hasOwn(config.mcpServers, server) ? config.mcpServers[server] : undefined;
      if (block === undefined) return fail(`the configuration has no server ${server}`);
      if (block.type === "static") return ok(staticUpstream(server, block));
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

/** A block that is its own server: answered here, so there is no session and nothing to cancel. */
function staticUpstream(server: string, block: StaticServerConfig): Upstream {
  return {
    isLocal: true,
    sessionKey: `static-1-${server}`,
    timeoutMs: UPSTREAM_TIMEOUT_DEFAULT_MS,
    call: async (call) => ({ answer: answerStatic(block, call), session: null }),
    cancel: async () => undefined,
  };
}

function upstreamOf(target: UpstreamTarget, io: UpstreamIo): Upstream {
  return {
    sessionKey: sessionKeyOf(target),
    timeoutMs: target.timeoutMs,
    call: async ({ session, timeoutMs = target.timeoutMs, onSession, signal, ...call }) => {
      const told =
        onSession === undefined ? {} : { onSession: (opened: UpstreamSession) => onSession(keep(opened)) };
      const kept = session && resumable(session);
      const ending = signal === undefined ? io : { ...io, signal };
      const report = await callUpstream({ ...target, timeoutMs }, kept, { ...call, ...told }, ending);
      return { ...report, session: report.session && keep(report.session) };
    },
    cancel: async (requestId, reason, session) => {
      // Without a session nothing can have been sent yet, and none is opened to say that nobody waits.
      if (session !== undefined) await cancelRequest(target, resumable(session), requestId, reason, io);
    },
  };
}

function keep({ sessionId = "", protocolVersion }: UpstreamSession): KeptSession {
  return { sessionId, protocolVersion };
}

function resumable({ sessionId, protocolVersion }: KeptSession): UpstreamSession {
  return { ...(sessionId === "" ? {} : { sessionId }), protocolVersion, serverInfo: {}, capabilities: {} };
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
