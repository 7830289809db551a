import type { BearerClaims } from "../../access/bearer.ts";
import { type TokenRow, TokenStore } from "../../access/token-store.ts";
import { GRANTS_LISTED_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { GrantedStream } from "./granted-stream.ts";
import { readGrantedStreams } from "./granted-stream.ts";
import type { JudgedGrant } from "./judge-grant.ts";

/** A grant as the operator sees it. */
export interface GrantRecord {
  readonly id: string;
  readonly tokenId: string;
  readonly tokenName: string;
  readonly packageId: string | null;
  readonly connectionId: string | null;
  readonly source: string | null;
  readonly streams: readonly GrantedStream[];
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  readonly tokenExpiresAtSeconds: number;
  readonly tokenRevokedAtSeconds: number | null;
}

/** A judged grant with the id that it is written under. */
export interface NewGrant {
  readonly id: string;
  readonly grant: JudgedGrant;
}

export interface NewReader {
  readonly name: string;
  readonly claims: BearerClaims;
  readonly packageId: string | null;
  readonly grants: readonly NewGrant[];
}

const COLUMNS = `g.id, g.token_id, t.name, g.package_id, g.connection_id, g.source, g.streams, g.created_at_ms,
g.revoked_at_ms, t.expires_at_s, t.revoked_at_s`;

/** A grant of a connection that has gone gets no streams. */
const GONE = /NOT NULL constraint failed: record_grants\.streams/;

/** The grants in D1, for making, listing and revoking. */
export class GrantStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Writes the token's row and its grants in one transaction: there is never a bearer with half of what it was given, nor one
   * of a connection that was removed since it was judged.
   */
  async create(
    reader: NewReader,
    nowMs: number,
  ): Promise<Result<TokenRow, "name_invalid" | "connection_gone">> {
    const token = new TokenStore(this.#db).insertion(reader.name, reader.claims, nowMs);
    if (!token.ok) return token;
    const { row, statement } = token.value;
    const grants = reader.grants.map(({ id, grant: { connectionId, source, streams } }) =>
      this.#db
        .prepare(
          `INSERT INTO record_grants (id, token_id, package_id, connection_id, source, streams, created_at_ms)
VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?4 IS NULL OR EXISTS
(SELECT 1 FROM record_connections WHERE id = ?4 AND removed_at_ms IS NULL) THEN ?6 END, ?7)`,
        )
        .bind(id, row.id, reader.packageId, connectionId, source, JSON.stringify(streams), nowMs),
    );
    try {
      await this.#db.batch([statement, ...grants]);
    } catch (error) {
      if (error instanceof Error && GONE.test(error.message)) return fail("connection_gone");
      throw error;
    }
    return ok(row);
  }

  /** The newest first, revoked ones included. */
  async list(): Promise<readonly GrantRecord[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM record_grants g JOIN tokens t ON t.id = g.token_id
ORDER BY g.created_at_ms DESC, g.id LIMIT ?`,
      )
      .bind(GRANTS_LISTED_MAX_COUNT)
      .all();
    return results.flatMap((row) => readRecord(row) ?? []);
  }

  /** Revokes a grant, or all of a package, once: the first time stands. Gives what has the id; nothing where none has. */
  async revoke(id: string, nowMs: number): Promise<readonly GrantRecord[]> {
    const [, found] = await this.#db.batch<Record<string, unknown>>([
      this.#db
        .prepare(
          "UPDATE record_grants SET revoked_at_ms = ?1 WHERE (id = ?2 OR package_id = ?2) AND revoked_at_ms IS NULL",
        )
        .bind(nowMs, id),
      this.#db
        .prepare(
          `SELECT ${COLUMNS} FROM record_grants g JOIN tokens t ON t.id = g.token_id
WHERE g.id = ?1 OR g.package_id = ?1 ORDER BY g.id`,
        )
        .bind(id),
    ]);
    return (found?.results ?? []).flatMap((row) => readRecord(row) ?? []);
  }
}

function readRecord(row: Record<string, unknown>): GrantRecord | undefined {
  const { id, token_id, name, package_id, connection_id, source, streams } = row;
  const { created_at_ms, revoked_at_ms, expires_at_s, revoked_at_s } = row;
  if (typeof id !== "string" || typeof token_id !== "string" || typeof name !== "string") return undefined;
  if (typeof streams !== "string" || typeof created_at_ms !== "number") return undefined;
  return {
    id,
    tokenId: token_id,
    tokenName: name,
    packageId: typeof package_id === "string" ? package_id : null,
    connectionId: typeof connection_id === "string" ? connection_id : null,
    source: typeof source === "string" ? source : null,
    streams: readGrantedStreams(streams),
    createdAtMs: created_at_ms,
    revokedAtMs: typeof revoked_at_ms === "number" ? revoked_at_ms : null,
    tokenExpiresAtSeconds: Number(expires_at_s),
    tokenRevokedAtSeconds: typeof revoked_at_s === "number" ? revoked_at_s : null,
  };
}
