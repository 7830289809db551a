import { randomUUID } from "node:crypto";
import { listTools, type UpstreamIo, type UpstreamTarget } from "../../src/upstream/connection.ts";
import type { UpstreamSession } from "../../src/upstream/session.ts";
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

/** Lists tools and keeps every entry as it came. */
export const listEntries = (target: UpstreamTarget, session: UpstreamSession | undefined, by: UpstreamIo) =>
  listTools(target, session, by, (entry) => entry);

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
