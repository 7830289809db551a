import { TOKENS_LISTED_MAX_COUNT, TOKEN_NAME_MAX_CHARS } from "../limits.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";
import { isBearerKind } from "./bearer.ts";
import type { BearerClaims, BearerKind } from "./bearer.ts";

/** A token as the operator sees it. Times are seconds since 1970. */
export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly kind: BearerKind;
  readonly principal: string;
  readonly scopes: readonly string[] | null;
  readonly createdAtSeconds: number;
  readonly expiresAtSeconds: number;
  readonly revokedAtSeconds: number | null;
}

const COLUMNS = "id, name, kind, principal, scopes, created_at_s, expires_at_s, revoked_at_s";
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** The tokens in D1: for listing and revocation only. No request that carries a bearer reads it. */
export class TokenStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Keeps a row for a freshly minted bearer. `name` is a label for people and need not be unique. */
  async create(
    name: string,
    claims: BearerClaims,
    nowMs: number,
  ): Promise<Result<TokenRow, "name_invalid" | "duplicate_id">> {
    const insertion = this.insertion(name, claims, nowMs, "ON CONFLICT (id) DO NOTHING");
    if (!insertion.ok) return insertion;
    const result = await insertion.value.statement.run();
    return result.meta.changes === 0 ? fail("duplicate_id") : ok(insertion.value.row);
  }

  /** The row and its statement, for who writes more in the same transaction; an id that is taken fails all of it. */
  insertion(
    name: string,
    claims: BearerClaims,
    nowMs: number,
    onConflict = "",
  ): Result<{ readonly row: TokenRow; readonly statement: D1PreparedStatement }, "name_invalid"> {
    if (name === "" || name.length > TOKEN_NAME_MAX_CHARS || UNPRINTABLE.test(name))
      return fail("name_invalid");
    const row: TokenRow = {
      id: claims.tokenId,
      name,
      kind: claims.kind,
      principal: claims.principal,
      scopes: claims.scopes,
      createdAtSeconds: Math.floor(nowMs / 1000),
      expiresAtSeconds: claims.expiresAtSeconds,
      revokedAtSeconds: null,
    };
    const scopes = row.scopes === null ? null : JSON.stringify(row.scopes);
    const statement = this.#db
      .prepare(`INSERT INTO tokens (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ${onConflict}`)
      .bind(row.id, row.name, row.kind, row.principal, scopes, row.createdAtSeconds, row.expiresAtSeconds);
    return ok({ row, statement });
  }

  /** The newest tokens first, revoked and expired ones included. */
  async list(): Promise<readonly TokenRow[]> {
    const result = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM tokens ORDER BY created_at_s DESC, id LIMIT ?`)
      .bind(TOKENS_LISTED_MAX_COUNT)
      .all();
    return result.results.map(readRow).filter((row) => row !== null);
  }

  async find(id: string): Promise<TokenRow | null> {
    const row = await this.#db.prepare(`SELECT ${COLUMNS} FROM tokens WHERE id = ?`).bind(id).first();
    return row === null ? null : readRow(row);
  }

  /**
   * Marks a token revoked, once: the first time stands. Only a record for people; what stops the bearer is the revoked id
   * in its principal's object, so write that first, and a failure between the two is repaired by asking again.
   */
  async markRevoked(id: string, nowMs: number): Promise<Result<TokenRow, "not_found">> {
    await this.#db
      .prepare("UPDATE tokens SET revoked_at_s = ? WHERE id = ? AND revoked_at_s IS NULL")
      .bind(Math.floor(nowMs / 1000), id)
      .run();
    const row = await this.find(id);
    return row === null ? fail("not_found") : ok(row);
  }

  /** Takes a revoked token out of the list: for one that was made for a single piece of work. One with grants stays. */
  async forget(id: string): Promise<void> {
    await this.#db
      .prepare(
        "DELETE FROM tokens WHERE id = ?1 AND revoked_at_s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM record_grants WHERE token_id = ?1)",
      )
      .bind(id)
      .run();
  }
}

function readRow(row: Record<string, unknown>): TokenRow | null {
  const { id, name, kind, principal, scopes, created_at_s, expires_at_s, revoked_at_s } = row;
  if (typeof id !== "string" || typeof name !== "string" || typeof principal !== "string") return null;
  if (!isBearerKind(kind) || typeof created_at_s !== "number" || typeof expires_at_s !== "number")
    return null;
  return {
    id,
    name,
    kind,
    principal,
    scopes: typeof scopes === "string" ? readScopes(scopes) : null,
    createdAtSeconds: created_at_s,
    expiresAtSeconds: expires_at_s,
    revokedAtSeconds: typeof revoked_at_s === "number" ? revoked_at_s : null,
  };
}

function readScopes(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter((scope) => typeof scope === "string") : [];
}
