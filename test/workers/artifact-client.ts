import { env } from "cloudflare:workers";
import type {
  AdmitDecision,
  AdmitRequest,
  ArtifactRow,
  SettleReport,
} from "../../src/principal/admit-contract.ts";
import { principalPort } from "../../src/principal/principals-store.ts";
import { freshAttempt, type Ask } from "./principal-client.ts";

export const ROOM_LEASE_MS = 35_000;

type Reserve = NonNullable<AdmitRequest["reserve"]>;

/** A quota of sixteen artifacts of a hundred bytes, of which one call may leave two. */
export const REFUSE = { maxBytes: 1600, maxCount: 16, onFull: "refuse" } as const;
export const EVICT = { ...REFUSE, onFull: "evict" } as const;

/** A call that may leave something behind: an attempt of its own. */
export const reserving = (reserve: Partial<Reserve> = {}, ask: Ask = {}): Ask & { attempt: string } => ({
  reserve: { ...REFUSE, bytes: 200, count: 2, leaseMs: ROOM_LEASE_MS, ...reserve },
  ...ask,
  attempt: ask.attempt ?? freshAttempt(),
});

export const row = (index: number, overrides: Partial<ArtifactRow> = {}): ArtifactRow => ({
  handle: String(index).padStart(27, "0"),
  toolId: "files:read_file#00000000",
  mediaType: "text/plain",
  sizeBytes: 100,
  lines: 7,
  lineIndex: "3.f00",
  expiresAtMs: Date.now() + 7 * 86_400_000,
  ...overrides,
});

export const rows = (from: number, count: number, overrides: Partial<ArtifactRow> = {}) =>
  Array.from({ length: count }, (_, index) => row(from + index, overrides));

/** One principal as a Worker asks for it, whose object keeps its memory. */
export function principal(name: string) {
  const port = principalPort(env.PRINCIPALS, name);
  return {
    admit: async (ask: Ask): Promise<AdmitDecision> => {
      const answer = await port.admit({ version: 1, tokenId: "token", ...ask });
      if (!answer.ok) throw new Error(answer.reason.detail);
      return answer.value;
    },
    settle: async (report: Omit<SettleReport, "version">) => {
      const answer = await port.settle({ version: 1, ...report });
      if (!answer.ok) throw new Error(answer.reason.detail);
      return answer.value;
    },
  };
}

/** The bytes that a call was allowed, or why it was not let in. */
export function room(decision: AdmitDecision): string {
  if (decision.admitted) return `${decision.artifactAllowance?.bytes}`;
  return decision.reason === "artifacts_full" ? `full ${decision.retryAfterMs}` : decision.reason;
}
