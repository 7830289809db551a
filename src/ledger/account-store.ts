import { isRecord, parsedJson } from "../json.ts";
import { LEDGER_SERVERS_MAX_COUNT } from "../limits.ts";
import type { HotPaths } from "../spine/telemetry/hot-paths.ts";
import { HOT_PATHS_FORMAT_VERSION, readHotPaths, writeHotPaths } from "../spine/telemetry/hot-paths-json.ts";
import type { OperationalLedger } from "../spine/telemetry/ledger.ts";
import { readLedger, writeLedger } from "../spine/telemetry/ledger-json.ts";
import { type Accounts, NO_ACCOUNTS } from "./accounts.ts";
import { type LedgerSql, type SqlRow, textOf } from "./ledger-schema-store.ts";

const GATEWAY = "gateway";
const SERVER = "server";
/** The key of what has no key: no tool's id is empty. */
const OTHER = "";

/** Accounts as they are stored, and how many of them could not be read and begin anew. */
export interface LoadedAccounts {
  readonly accounts: Accounts;
  readonly restarted: number;
}

/** The accounts' rows. Written are those that changed: each costs, and an account is kilobytes. */
export class AccountStore {
  readonly #sql: LedgerSql;

  constructor(sql: LedgerSql) {
    this.#sql = sql;
  }

  /** Reads all of them. One that is not what this version writes is deleted, so that it is told once. */
  load(): LoadedAccounts {
    let { gateway } = NO_ACCOUNTS;
    const servers = new Map<string, OperationalLedger>();
    let restarted = 0;
    for (const row of this.#sql.run("SELECT kind, name, ledger FROM accounts")) {
      const kind = textOf(row, "kind");
      const ledger = ledgerOf(textOf(row, "ledger"));
      if (ledger === undefined) {
        restarted += 1;
        this.#sql.run("DELETE FROM accounts WHERE kind = ? AND name = ?", kind, textOf(row, "name"));
      } else if (kind === GATEWAY) gateway = ledger;
      else servers.set(serverOf(row), ledger);
    }
    const hot = hotPathsOf(this.#sql.run("SELECT * FROM hot_tools"));
    if (hot === undefined) {
      restarted += 1;
      this.#sql.run("DELETE FROM hot_tools");
    }
    return { accounts: { gateway, hot: hot ?? NO_ACCOUNTS.hot, servers }, restarted };
  }

  /** Writes what changed, and gives what is kept: of too many servers, those that were spoken of last. */
  save(before: Accounts, after: Accounts, nowMs: number): Accounts {
    if (after.gateway !== before.gateway) this.#write(GATEWAY, "", after.gateway, nowMs);
    this.#writeHot(before.hot, after.hot);
    for (const [name, ledger] of after.servers) {
      if (before.servers.get(name) !== ledger) this.#write(SERVER, name, ledger, nowMs);
    }
    if (after.servers.size <= LEDGER_SERVERS_MAX_COUNT) return after;
    const oldest = this.#sql.run(
      `DELETE FROM accounts WHERE kind = ? AND name IN (SELECT name FROM accounts WHERE kind = ?
         ORDER BY counted_at_ms DESC, name LIMIT -1 OFFSET ?) RETURNING name`,
      SERVER,
      SERVER,
      LEDGER_SERVERS_MAX_COUNT,
    );
    return withoutServers(after, oldest);
  }

  /** Forgets servers that nobody spoke of since then. */
  forgetBefore(accounts: Accounts, sinceMs: number): Accounts {
    const silent = this.#sql.run(
      "DELETE FROM accounts WHERE kind = ? AND counted_at_ms < ? RETURNING name",
      SERVER,
      sinceMs,
    );
    return silent.length === 0 ? accounts : withoutServers(accounts, silent);
  }

  #write(kind: string, name: string, ledger: OperationalLedger, nowMs: number): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO accounts (kind, name, ledger, counted_at_ms) VALUES (?, ?, ?, ?)",
      kind,
      JSON.stringify(name),
      JSON.stringify(writeLedger(ledger)),
      nowMs,
    );
  }

  #writeHot(before: HotPaths, after: HotPaths): void {
    if (before === after) return;
    for (const key of before.rows.keys()) {
      if (!after.rows.has(key)) this.#sql.run("DELETE FROM hot_tools WHERE key = ?", key);
    }
    const { rows, other } = writeHotPaths({
      rows: new Map([...after.rows].filter(([key, count]) => before.rows.get(key) !== count)),
      other: after.other,
    });
    const changed = before.other === after.other ? rows : [...rows, { key: OTHER, ...other }];
    for (const row of changed) {
      this.#sql.run(
        `INSERT OR REPLACE INTO hot_tools (key, requests, errors, total_latency_ms, max_latency_ms)
           VALUES (?, ?, ?, ?, ?)`,
        row.key,
        row.requests,
        row.errors,
        row.total_latency_ms,
        row.max_latency_ms,
      );
    }
  }
}

function withoutServers(accounts: Accounts, rows: readonly SqlRow[]): Accounts {
  const servers = new Map(accounts.servers);
  for (const row of rows) servers.delete(serverOf(row));
  return { ...accounts, servers };
}

/** Stored as JSON text: the database would make one of all halves of surrogate pairs. */
function serverOf(row: SqlRow): string {
  const name = parsedJson(textOf(row, "name"));
  return typeof name === "string" ? name : "";
}

function ledgerOf(text: string): OperationalLedger | undefined {
  const json = parsedJson(text);
  const read = isRecord(json) ? readLedger(json) : undefined;
  return read?.ok === true ? read.value : undefined;
}

function hotPathsOf(rows: readonly SqlRow[]): HotPaths | undefined {
  const other = rows.find((row) => textOf(row, "key") === OTHER) ?? {
    requests: 0,
    errors: 0,
    total_latency_ms: 0,
    max_latency_ms: 0,
  };
  const read = readHotPaths({
    format_version: HOT_PATHS_FORMAT_VERSION,
    rows: rows.filter((row) => row !== other),
    other,
  });
  return read.ok ? read.value : undefined;
}
