import { randomUUID } from "node:crypto";
import { callUpstream, type UpstreamCall } from "../../src/upstream/connection.ts";
import { listServer } from "../../src/upstream/listing.ts";
import type { UpstreamSession } from "../../src/upstream/session.ts";
import type { UpstreamIo, UpstreamTarget } from "../../src/upstream/upstream-io.ts";
import {
  SESSION_ID,
  startHostileUpstream,
  type Behaviour,
  type HostileUpstream,
} from "../support/hostile-upstream/server.ts";

/** Long enough never to strike in a test that does not want it. */
const PATIENCE_MS = 20_000;

export const KEPT: UpstreamSession = {
  sessionId: SESSION_ID,
  protocolVersion: "2025-06-18",
  serverInfo: { name: "kit", version: "1.0.0" },
  capabilities: { tools: {} },
};

export const io = (overrides: Partial<UpstreamIo> = {}): UpstreamIo => ({
  fetch: (url, init) => fetch(url, init),
  newId: randomUUID,
  allowLoopback: true,
  now: () => Date.parse("2026-11-27T00:00:00Z"),
  ...overrides,
});

export const targetOf = (url: string, overrides: Partial<UpstreamTarget> = {}): UpstreamTarget => ({
  name: "kit",
  url,
  headers: {},
  timeoutMs: PATIENCE_MS,
  ...overrides,
});

/** Lists everything and keeps every entry as it came. */
export const listAll = (target: UpstreamTarget, session: UpstreamSession | undefined, by: UpstreamIo) =>
  listServer(target, session, by, (entry) => entry);

/** Lists the tools alone: the answer is theirs. */
export async function listEntries(
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  by: UpstreamIo,
) {
  const report = await listAll(target, session, by);
  const tools = report.answer.ok ? report.answer.value.tools : report.answer;
  return { ...report, answer: tools };
}

export interface ToolCall extends Omit<UpstreamCall, "method" | "params"> {
  /** The upstream's own name. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Calls a tool. */
export const callTool = (
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  { name, args, meta, ...call }: ToolCall,
  by: UpstreamIo,
) => {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  return callUpstream(target, session, { ...call, method: "tools/call", params }, by);
};

/** Runs one test against a fresh upstream; afterwards nothing may be left open at it. */
export async function withUpstream(
  behave: Behaviour | undefined,
  test: (upstream: HostileUpstream, target: UpstreamTarget) => Promise<void>,
): Promise<void> {
  const upstream = await startHostileUpstream(behave);
  try {
    await test(upstream, targetOf(upstream.url));
    await upstream.idle();
  } finally {
    await upstream.close();
  }
}
