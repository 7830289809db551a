import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type {
  AdmitDecision,
  AdmitRequest,
  FlightNote,
  NotedFlight,
  SettleReport,
  Settlement,
} from "../../src/principal/admit-contract.ts";
import { principalObjectName } from "../../src/principal/object-name.ts";
import { principalPort } from "../../src/principal/principals-store.ts";

export type Ask = Omit<AdmitRequest, "version" | "tokenId"> & { readonly tokenId?: string };
export type Quota = NonNullable<AdmitRequest["quota"]>;

export const stubOf = (principal: string) => env.PRINCIPALS.getByName(principalObjectName(principal));

/** Reads or changes rows behind the object's back. */
export async function sql(principal: string, query: string): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stubOf(principal), (_, state) => state.storage.sql.exec(query).toArray());
}

/** What each version's tables brought, undone. */
const UNDONE: Readonly<Record<number, readonly string[]>> = {
  10: [
    "ALTER TABLE flights DROP COLUMN ends_at_ms",
    "ALTER TABLE flights DROP COLUMN told",
    "ALTER TABLE approvals DROP COLUMN call",
  ],
  9: ["DROP TABLE gone_artifacts"],
  8: ["ALTER TABLE flights DROP COLUMN tool_id", "ALTER TABLE flights DROP COLUMN contract"],
  7: [
    "DROP TABLE flights",
    ...["told_catalog", "told_generation", "told_from", "told_attempt"].map(
      (column) => `ALTER TABLE sessions DROP COLUMN ${column}`,
    ),
  ],
  6: ["ALTER TABLE artifacts DROP COLUMN stored_as", "ALTER TABLE artifacts DROP COLUMN kept_at_ms"],
  5: [
    "DROP TABLE outbox",
    "DROP TABLE outbox_source",
    "ALTER TABLE journal DROP COLUMN tool_id",
    "ALTER TABLE journal DROP COLUMN server",
    "ALTER TABLE journal DROP COLUMN told",
  ],
  4: ["DROP TABLE journal"],
  3: ["DROP TABLE rate_windows", "DROP TABLE approvals"],
  2: ["DROP TABLE artifacts"],
};

/** Leaves an object's storage as a Worker of an older version had it. */
export async function withTablesOf(principal: string, version: number): Promise<void> {
  for (const later of [10, 9, 8, 7, 6, 5, 4, 3, 2].filter((known) => known > version)) {
    for (const undo of UNDONE[later] ?? []) await sql(principal, undo);
  }
  await sql(principal, `DELETE FROM schema_migrations WHERE version > ${version}`);
}

/**
 * One principal as the Worker asks for it; `before` runs ahead of every call, but not of those of `together`. Without it
 * the object loses its memory there.
 */
export function evictedPrincipal(principal: string, before: () => Promise<unknown> = abortAllDurableObjects) {
  const port = principalPort(env.PRINCIPALS, principal);
  const ask = async (request: Ask): Promise<AdmitDecision> => {
    const answer = await port.admit({ version: 1, tokenId: "token", ...request });
    if (!answer.ok) throw new Error(answer.reason.detail);
    return answer.value;
  };
  return {
    admit: async (request: Ask): Promise<AdmitDecision> => {
      await before();
      return ask(request);
    },
    together: async (requests: readonly Ask[]): Promise<AdmitDecision[]> => {
      await before();
      return Promise.all(requests.map(ask));
    },
    settle: async (report: Omit<SettleReport, "version">): Promise<Settlement> => {
      await before();
      const answer = await port.settle({ version: 1, ...report });
      if (!answer.ok) throw new Error(answer.reason.detail);
      return answer.value;
    },
    note: async (note: Omit<FlightNote, "version">): Promise<NotedFlight> => {
      await before();
      const answer = await port.noteFlight({ version: 1, ...note });
      if (!answer.ok) throw new Error(answer.reason.detail);
      return answer.value;
    },
    decide: async (approvalId: string, decision: "grant" | "refuse") => {
      await before();
      const answer = await port.decideApproval({ version: 1, approvalId, decision });
      if (!answer.ok) throw new Error(answer.reason.detail);
      return answer.value;
    },
  };
}

/** What was decided, in a word, or more where a limit stands in the way. */
export function verdict(decision: AdmitDecision): string {
  if (decision.admitted) return decision.stale ? "stale" : "admitted";
  if (decision.reason !== "rate_limited") return decision.reason;
  return `${decision.scope} ${decision.retryAfterMs}`;
}

let attempts = 0;

/** A name that no other attempt has. */
export function freshAttempt(): string {
  attempts += 1;
  return `attempt-${attempts}`;
}
