import { DurableObject } from "cloudflare:workers";
import {
  NEWEST_GENERATION_LIFETIME_SECONDS,
  SESSION_LIFETIME_SECONDS,
  SWEEP_INTERVAL_SECONDS,
  UPSTREAM_SESSION_LIFETIME_SECONDS,
} from "../limits.ts";
import { admitRequestSchema, revocationSchema, settleReportSchema } from "./admit-contract.ts";
import type {
  AdmitDecision,
  AdmitRefusal,
  AdmitRequest,
  ArtifactRow,
  Revocation,
  SettleReport,
  Settlement,
  UpstreamSession,
} from "./admit-contract.ts";
import { ArtifactRowStore } from "./artifact-row-store.ts";
import { arrange, stateFor, withSeen } from "./browse-state.ts";
import type { Arrangement, BrowseCard, BrowseState, CatalogVersion } from "./browse-state.ts";
import { BrowseStore } from "./browse-store.ts";
import { MeteredSql } from "./metered-sql-store.ts";
import { PrincipalSchema } from "./schema-store.ts";
import { judgeSession } from "./session-standing.ts";
import type { SessionIntent } from "./session-standing.ts";
import type { SessionHandle } from "./session-id.ts";
import { SessionStore } from "./session-store.ts";
import { UpstreamSessionStore } from "./upstream-session-store.ts";

/** Browse state without a session belongs to the principal itself. */
const PRINCIPALS_OWN = "";

/**
 * Everything that is decided together for one principal's call: `admit` before it, `settle` after. Nothing of a call's
 * arguments or results is stored. State is `#private`, since every other method of an object can be called from outside.
 *
 * Each method runs its SQL without an `await` in between, so that no other call sees half of it and all of its writes
 * are committed together.
 */
export class PrincipalObject extends DurableObject {
  readonly #sql: MeteredSql;
  readonly #schema: PrincipalSchema;
  readonly #sessions: SessionStore;
  readonly #browse: BrowseStore;
  readonly #upstreams: UpstreamSessionStore;
  readonly #artifacts: ArtifactRowStore;
  /** The earliest expiry written by the call at hand, for the alarm. */
  #expiryWritten: number | null = null;
  /** When the alarm is set for, once known. */
  #alarmAtMs: number | null = null;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#sql = new MeteredSql(ctx.storage.sql);
    this.#schema = new PrincipalSchema(this.#sql);
    this.#sessions = new SessionStore(this.#sql);
    this.#browse = new BrowseStore(this.#sql);
    this.#upstreams = new UpstreamSessionStore(this.#sql);
    this.#artifacts = new ArtifactRowStore(this.#sql);
  }

  /**
   * May this call go on, and with what? Refusals, in this order: revoked token, session. Then the newest generation, the
   * cards in their cache-stable order, upstream sessions and artifacts. Repeating a call is harmless.
   */
  async admit(request: AdmitRequest): Promise<AdmitDecision> {
    const parsed = admitRequestSchema.safeParse(request);
    if (!parsed.success) return this.#refuse("malformed");
    const { tokenId, session, catalogVersion, browse, upstreams, artifacts } = parsed.data;
    const nowMs = Date.now();
    if (this.#isRevoked(tokenId)) return this.#refuse("token_revoked");
    if (session !== null && session !== undefined) {
      const refusal = this.#passSession(session, nowMs);
      if (refusal !== null) return this.#refuse(refusal);
    }
    const newestGeneration = catalogVersion ? this.#newestGeneration(catalogVersion, nowMs) : null;
    const stale =
      catalogVersion && newestGeneration !== null ? catalogVersion.generation < newestGeneration : false;
    const arrangement =
      browse && catalogVersion && !stale && session?.intent !== "end"
        ? this.#arrange(session ?? null, catalogVersion, browse.cards, browse.topK ?? null, nowMs)
        : null;
    const upstreamSessions = this.#upstreamSessions(upstreams ?? [], nowMs);
    const rowsWritten = await this.#finish(nowMs);
    return {
      version: 1,
      admitted: true,
      newestGeneration,
      stale,
      arrangement,
      upstreamSessions,
      ...(artifacts ? { artifacts: this.#findArtifacts(artifacts, nowMs) } : {}),
      rowsWritten,
    };
  }

  /** What a call left behind. Sent after the answer; a report that cannot be read changes nothing. */
  async settle(report: SettleReport): Promise<Settlement> {
    const parsed = settleReportSchema.safeParse(report);
    if (!parsed.success) return { version: 1, accepted: false, rowsWritten: 0 };
    const nowMs = Date.now();
    for (const lost of parsed.data.lost ?? []) {
      if (this.#schema.exists) this.#upstreams.remove(lost.key, lost.sessionId);
    }
    for (const opened of parsed.data.opened ?? []) this.#rememberUpstream(opened, nowMs);
    for (const row of parsed.data.artifacts ?? []) this.#rememberArtifact(row, nowMs);
    const { seen } = parsed.data;
    if (seen) this.#recordSeen(seen.sessionKey ?? PRINCIPALS_OWN, seen.catalogVersion, seen.cards, nowMs);
    return { version: 1, accepted: true, rowsWritten: await this.#finish(nowMs) };
  }

  /** Refuses a token from the next `admit` on, until the token would have expired anyway. */
  async revoke(revocation: Revocation): Promise<Settlement> {
    const parsed = revocationSchema.safeParse(revocation);
    if (!parsed.success) return { version: 1, accepted: false, rowsWritten: 0 };
    const { tokenId, expiresAtMs } = parsed.data;
    const nowMs = Date.now();
    if (expiresAtMs > nowMs && !this.#isRevoked(tokenId)) {
      this.#writeUntil(expiresAtMs);
      this.#sql.run("INSERT INTO revoked_tokens (id, expires_at_ms) VALUES (?, ?)", tokenId, expiresAtMs);
    }
    return { version: 1, accepted: true, rowsWritten: await this.#finish(nowMs) };
  }

  /** Housekeeping: deletes what has expired, and the object's storage with its last row. */
  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    const next = this.#schema.sweep(nowMs);
    this.#sessions.forgetCounts();
    this.#artifacts.forgetCount();
    this.#alarmAtMs = next === null ? null : Math.max(next, nowMs + SWEEP_INTERVAL_SECONDS * 1000);
    if (this.#alarmAtMs !== null) return this.ctx.storage.setAlarm(this.#alarmAtMs);
    const deleted = this.ctx.storage.deleteAll();
    this.#schema.forget();
    return deleted;
  }

  #isRevoked(tokenId: string): boolean {
    if (!this.#schema.exists) return false;
    return this.#sql.run("SELECT 1 FROM revoked_tokens WHERE id = ?", tokenId).length > 0;
  }

  #passSession(
    session: SessionHandle & { readonly intent: SessionIntent },
    nowMs: number,
  ): AdmitRefusal | null {
    const row = this.#schema.exists ? this.#sessions.find(session.key) : null;
    const judged = judgeSession(session, row, nowMs);
    if (judged.step === "refuse") return judged.reason;
    if (judged.step === "insert") {
      this.#writeUntil(session.expiresAtMs);
      this.#sessions.insert(session);
    }
    if (judged.step === "mark_ended") this.#sessions.markEnded(session.key);
    return null;
  }

  /** The newest generation of this catalog that the principal has met, raised by the one it meets now. */
  #newestGeneration(version: CatalogVersion, nowMs: number): number {
    const known = this.#schema.exists ? this.#browse.newestGeneration(version.catalog, nowMs) : null;
    if (known !== null && known >= version.generation) return known;
    const expiresAtMs = nowMs + NEWEST_GENERATION_LIFETIME_SECONDS * 1000;
    this.#writeUntil(expiresAtMs);
    this.#browse.raiseGeneration(version, expiresAtMs);
    return version.generation;
  }

  #arrange(
    session: SessionHandle | null,
    version: CatalogVersion,
    cards: readonly BrowseCard[],
    topK: number | null,
    nowMs: number,
  ): Arrangement {
    const key = session?.key ?? PRINCIPALS_OWN;
    const before = stateFor(this.#browse.read(key, nowMs), version);
    const { arrangement, state } = arrange(before, cards, topK);
    if (state !== before) this.#writeBrowse(key, state, session?.expiresAtMs ?? null, nowMs);
    return arrangement;
  }

  #recordSeen(key: string, version: CatalogVersion, cards: readonly BrowseCard[], nowMs: number): void {
    const session =
      key !== PRINCIPALS_OWN && this.#schema.exists ? this.#sessions.findLive(key, nowMs) : null;
    // A report that comes after its session's end, or out of an older catalog, must not bring anything back.
    if (key !== PRINCIPALS_OWN && session === null) return;
    const newest = this.#schema.exists ? this.#browse.newestGeneration(version.catalog, nowMs) : null;
    if (newest !== null && newest > version.generation) return;
    const before = stateFor(this.#schema.exists ? this.#browse.read(key, nowMs) : null, version);
    const state = withSeen(before, cards);
    if (state !== before) this.#writeBrowse(key, state, session?.expiresAtMs ?? null, nowMs);
  }

  #writeBrowse(key: string, state: BrowseState, sessionExpiresAtMs: number | null, nowMs: number): void {
    const expiresAtMs = sessionExpiresAtMs ?? nowMs + SESSION_LIFETIME_SECONDS * 1000;
    this.#writeUntil(expiresAtMs);
    this.#browse.write(key, state, expiresAtMs);
  }
  #upstreamSessions(keys: readonly string[], nowMs: number): UpstreamSession[] {
    if (!this.#schema.exists) return [];
    return keys.map((key) => this.#upstreams.find(key, nowMs)).filter((session) => session !== null);
  }

  #findArtifacts(handles: readonly string[], nowMs: number): ArtifactRow[] {
    if (!this.#schema.has("artifacts")) return [];
    return handles.map((handle) => this.#artifacts.find(handle, nowMs)).filter((row) => row !== null);
  }

  #rememberArtifact(row: ArtifactRow, nowMs: number): void {
    if (row.expiresAtMs <= nowMs) return;
    this.#writeUntil(row.expiresAtMs);
    this.#artifacts.write(row);
  }

  #rememberUpstream(session: UpstreamSession, nowMs: number): void {
    const known = this.#schema.exists ? this.#upstreams.find(session.key, nowMs) : null;
    if (known?.sessionId === session.sessionId && known.protocolVersion === session.protocolVersion) return;
    const expiresAtMs = nowMs + UPSTREAM_SESSION_LIFETIME_SECONDS * 1000;
    this.#writeUntil(expiresAtMs);
    this.#upstreams.write(session, expiresAtMs);
  }

  /** To be called before a row with this expiry is written: makes the tables, and the alarm that will delete it. */
  #writeUntil(expiresAtMs: number): void {
    this.#schema.ensure();
    this.#expiryWritten = Math.min(this.#expiryWritten ?? expiresAtMs, expiresAtMs);
  }

  #refuse(reason: AdmitRefusal): AdmitDecision {
    return { version: 1, admitted: false, reason, rowsWritten: this.#sql.takeRowsWritten() };
  }

  /** Sets the alarm if what was written ends well before it, and says what the call cost. */
  async #finish(nowMs: number): Promise<number> {
    const expiresAtMs = this.#expiryWritten;
    this.#expiryWritten = null;
    if (expiresAtMs !== null) {
      const sweepMs = SWEEP_INTERVAL_SECONDS * 1000;
      const wantedMs = Math.max(expiresAtMs, nowMs + sweepMs);
      this.#alarmAtMs ??= await this.ctx.storage.getAlarm();
      if (this.#alarmAtMs === null || wantedMs < this.#alarmAtMs - sweepMs) {
        this.#alarmAtMs = wantedMs;
        this.#sql.count(1);
        await this.ctx.storage.setAlarm(wantedMs);
      }
    }
    return this.#sql.takeRowsWritten();
  }
}
