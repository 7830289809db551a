import { deriveKeyRings } from "../../../src/access/keys.ts";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import type { CatalogObjectPort } from "../../../src/catalog/reader/object-port.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import type { SnapshotCatalog } from "../../../src/catalog/reader/snapshot-catalog.ts";
import { SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import type { Upstream, UpstreamCall, UpstreamReport } from "../../../src/dispatch/ports.ts";
import type { RequestContext } from "../../../src/gateway/request-context.ts";
import { type Config, formatProblems, parseConfig } from "../../../src/config.ts";
import { controlPorts } from "../../../src/gateway/controls.ts";
import { RunningCalls } from "../../../src/gateway/running-calls.ts";
import { gatewaySurface } from "../../../src/gateway/surface.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { UPSTREAM_BUFFERS_MAX_BYTES } from "../../../src/limits.ts";
import type { KeyRing } from "../../../src/mac.ts";
import { fail, ok } from "../../../src/result.ts";
import { createValidatorCache } from "../../../src/schema/validator-cache.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
import type { ToolAnswer, ToolDefinition } from "../../../src/surface.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import { Told } from "../../command-line.ts";
import { DROPPING_STORE } from "./dropping-store.ts";
import type { RefreshedCatalog } from "./refreshed-catalog.ts";

const TOP_K = 10;
const CALL_TIMEOUT_MS = 30_000;

/** The whole gateway over one catalog, called in process: what the Worker does between reading a request and its answer. */
export interface OpenGateway {
  readonly catalog: SnapshotCatalog;
  tools(): Promise<readonly ToolDefinition[]>;
  /** Any meta-tool; the answer may be an error. */
  call(name: string, args: object): Promise<ToolAnswer>;
  /** Throws `Told` where the answer is an error: what is measured then would be the error's making. */
  browse(query: string, topK: number): Promise<ToolAnswer>;
  /** Calls a tool with arguments that may be wrong; no server is reached. */
  execute(toolId: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

/** A caller who sees everything and is always admitted: `admit` is a call to an object, and no part of what is measured. */
const CALLER: RequestContext = {
  principal: "bench",
  sessionKey: null,
  sees: SEES_EVERYTHING,
  admit: async (ask) => ({
    version: 1,
    admitted: true,
    newestGeneration: ask.catalogVersion?.generation ?? null,
    stale: false,
    arrangement: null,
    upstreamSessions: [],
    rowsWritten: 0,
  }),
  noteFlight: async () => false,
  settle: () => undefined,
  waitUntil: () => undefined,
};

const noObject = fail({ reason: "catalog_unreachable", detail: "a bench has no object" } as const);
const OBJECT: CatalogObjectPort = {
  refresh: async () => noObject,
  move: async () => noObject,
  newest: async () => noObject,
  content: async () => noObject,
};

export async function artifactKeys(): Promise<KeyRing> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: "a key of the bench, long enough to be taken" });
  if (!rings.ok) throw new Error(rings.reason.reason);
  return rings.value.artifact;
}

/** A reader with nothing in its cache, as in a new isolate. */
export function freshReader({ kv, settings, configText }: RefreshedCatalog): CatalogReader {
  return new CatalogReader({
    cache: new CatalogCache(),
    kv: new SnapshotStore(kv),
    object: OBJECT,
    config: { hash: settings.hash, text: configText },
    nowMs: () => Date.now(),
    sleep: () => Promise.resolve(),
    background: () => undefined,
    log: (text) => {
      throw new Told(text);
    },
  });
}

function defaultConfig(): Config {
  const parsed = parseConfig("{}");
  if (!parsed.ok) throw new Error(formatProblems(parsed.reason));
  return parsed.value;
}

/** Opens the gateway over a refreshed catalog; the first call finds the catalog loaded. Every server answers as `answer` does. */
export async function openGateway(
  refreshed: RefreshedCatalog,
  answer?: (call: UpstreamCall) => Promise<UpstreamReport["answer"]>,
): Promise<OpenGateway> {
  const reader = freshReader(refreshed);
  let lastLog = "";
  const loaded = await reader.current();
  if (!loaded.ok) throw new Told(loaded.reason.detail);
  const surface = gatewaySurface({
    catalogs: reader,
    validators: createValidatorCache(),
    running: new RunningCalls(),
    artifacts: DROPPING_STORE,
    buffers: createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => Date.now()),
    artifactKeys: await artifactKeys(),
    upstream: () => (answer === undefined ? fail("this bench calls no server") : ok(upstreamOf(answer))),
    scrubber: createScrubber([]),
    redactor: () => undefined,
    redacts: false,
    settings: { topK: TOP_K, cacheStable: false },
    ...controlPorts(defaultConfig()),
    approvals: { record: async () => fail("a bench asks nobody") },
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    log: (text) => {
      lastLog = text;
    },
  });
  const call = async (name: string, args: object): Promise<ToolAnswer> => {
    const answer = await surface.call(name, args, CALLER);
    if (answer === undefined) throw new Error(`the gateway has no ${name}`);
    return answer;
  };
  return {
    catalog: loaded.value,
    tools: async () => {
      const listed = await surface.tools(CALLER);
      if (!listed.ok) throw new Error(listed.reason.message);
      return listed.value.tools;
    },
    call,
    browse: async (query, topK) => {
      const answer = await call("tool_browse", { query, top_k: topK });
      if (answer.isError === true) throw new Told(`a browse failed: ${shownText(answer)}\n${lastLog}`);
      return answer;
    },
    execute: (toolId, args) => call("tool_execute", { tool_id: toolId, args }),
  };
}

function upstreamOf(answer: (call: UpstreamCall) => Promise<UpstreamReport["answer"]>): Upstream {
  return {
    sessionKey: "bench",
    timeoutMs: CALL_TIMEOUT_MS,
    call: async (call) => ({ answer: await answer(call), session: null }),
    cancel: async () => undefined,
  };
}

/** What a model reads of an answer. */
export function shownText(answer: unknown): string {
  const content = memberOf(answer, "content");
  const parts = isJsonArray(content) ? content : [];
  return parts
    .map((part) => {
      const text = memberOf(part, "text");
      return typeof text === "string" ? text : JSON.stringify(part);
    })
    .join("\n");
}
