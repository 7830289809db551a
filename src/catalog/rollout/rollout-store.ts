import { REJECTIONS_KEPT_MAX_COUNT, TARGETS_KEPT_MAX_COUNT } from "../../limits.ts";
import { type Generation, readGeneration } from "../../spine/fault/generation.ts";
import type { CatalogSql } from "../refresh/catalog-schema-store.ts";
import type { RolloutStore } from "./rollout-ports.ts";
import type { Rollout } from "./rollout.ts";

/** Rollouts in the object's SQLite. Configurations of all deployments meet here: a server's name has one rollout. */
export class SqlRolloutStore implements RolloutStore {
  readonly #sql: CatalogSql;

  constructor(sql: CatalogSql) {
    this.#sql = sql;
  }

  rollout(server: string): Rollout {
    const row = this.#sql.first("SELECT active, previous FROM rollouts WHERE server = ?", server);
    const [active, previous] = [row?.["active"], row?.["previous"]];
    const generations = new Map<string, Generation>();
    for (const { target, generation } of this.#sql.run(
      "SELECT target, generation FROM targets WHERE server = ? ORDER BY generation",
      server,
    )) {
      const read = readGeneration(generation);
      if (typeof target === "string" && read.ok) generations.set(target, read.value);
    }
    return {
      active: typeof active === "string" ? active : null,
      previous: typeof previous === "string" ? previous : null,
      generations,
    };
  }

  saveRollout(server: string, { active, previous, generations }: Rollout): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO rollouts (server, active, previous) VALUES (?, ?, ?)",
      server,
      active,
      previous,
    );
    for (const [target, generation] of generations) {
      this.#sql.run(
        `INSERT INTO targets (server, target, generation) VALUES (?, ?, ?)
           ON CONFLICT (server, target) DO UPDATE SET generation = excluded.generation
             WHERE generation <> excluded.generation`,
        server,
        target,
        generation,
      );
    }
    // The newest is among those that stay, so that generations go on growing: one that comes back is given a new one.
    this.#sql.run(
      `DELETE FROM targets WHERE server = ? AND target NOT IN
         (SELECT target FROM targets WHERE server = ? ORDER BY generation DESC LIMIT ?)`,
      server,
      server,
      TARGETS_KEPT_MAX_COUNT,
    );
  }

  rejection(server: string, source: string): string | undefined {
    return this.#sql.text("SELECT reason FROM rejections WHERE server = ? AND source = ?", server, source);
  }

  reject(server: string, source: string, reason: string, nowMs: number): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO rejections (server, source, reason, at_ms) VALUES (?, ?, ?, ?)",
      server,
      source,
      reason,
      nowMs,
    );
    this.#sql.run(
      `DELETE FROM rejections WHERE server = ? AND source NOT IN
         (SELECT source FROM rejections WHERE server = ? ORDER BY at_ms DESC, source LIMIT ?)`,
      server,
      server,
      REJECTIONS_KEPT_MAX_COUNT,
    );
  }

  acquit(server: string, source: string): void {
    this.#sql.run("DELETE FROM rejections WHERE server = ? AND source = ?", server, source);
  }
}
