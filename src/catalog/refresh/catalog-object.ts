import { DurableObject } from "cloudflare:workers";
import { type Config, parseConfig } from "../../config.ts";
import {
  CONFIG_TEXT_MAX_CHARS,
  CONFIGS_MAX_COUNT,
  REFRESH_COALESCE_MS,
  REFRESH_INTERVAL_DEFAULT_SECONDS,
  REFRESH_RETRY_MS,
  REPORT_ENTRIES_MAX_COUNT,
} from "../../limits.ts";
import type { LedgerDoor } from "../../outbox/delivery.ts";
import { oneLine } from "../../scrub/log-line.ts";
import type { Result } from "../../result.ts";
import { lintSchema } from "../../schema/lint.ts";
import { createTokenCounter } from "../../tokens/token-counter.ts";
import { boundDiff } from "../drift/diff.ts";
import { CatalogSql } from "./catalog-schema-store.ts";
import { LedgerMail } from "./ledger-mail.ts";
import type {
  ContentAnswer,
  ContentRequest,
  NewestAnswer,
  NewestRequest,
  RefreshAnswer,
  RefreshReason,
  RefreshRequest,
} from "./refresh-contract.ts";
import type { ListedEntry } from "./listed-entry.ts";
import type { ListFailure, NeighbourSource } from "./refresh-ports.ts";
import { runRefresh, type RefreshOutcome } from "./refresh.ts";
import { SqlRefreshStore } from "./refresh-store.ts";
import { type CatalogSettings, catalogSettings } from "./settings.ts";
import { type CatalogKv, contentKey, SnapshotStore } from "../snapshot/snapshot-store.ts";

/** What the object is handed by the class that the Worker exports. */
export interface CatalogObjectPorts {
  readonly kv: CatalogKv;
  /** This deployment's own configuration, which the alarm refreshes. */
  readonly ownConfigText: string;
  readonly neighbours: NeighbourSource;
  /** `RefreshPorts.list` for one server of a configuration, with this deployment's variables. */
  readonly list: (config: Config, server: string) => Promise<Result<ListedEntry[], ListFailure>>;
  readonly ledger: LedgerDoor;
}

const UNREADABLE = "the configuration cannot be read";

/**
 * Refresh, and the word on what the newest catalog is. The only place where upstreams are awaited inside an object: rare,
 * and off every request. One run at a time, whoever asks; equal asks share it. State is `#private`, since every other
 * member of an object can be called from outside.
 */
export class RefreshingCatalog extends DurableObject {
  readonly #ports: CatalogObjectPorts;
  readonly #store: SqlRefreshStore;
  readonly #kv: SnapshotStore;
  readonly #mail: LedgerMail;
  /** Runs that have not ended, by configuration. */
  readonly #running = new Map<string, Promise<RefreshAnswer>>();
  /** The last answer of each configuration in this life of the object. */
  readonly #last = new Map<string, RefreshAnswer>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, ports: CatalogObjectPorts) {
    super(ctx, env);
    this.#ports = ports;
    const sql = new CatalogSql(ctx.storage.sql);
    this.#store = new SqlRefreshStore(ctx.storage.sql, sql);
    this.#kv = new SnapshotStore(ports.kv);
    this.#mail = new LedgerMail({
      sql,
      source: `catalog:${ctx.id.toString()}`,
      ledger: ports.ledger,
      newId: () => crypto.randomUUID(),
      within,
      nowMs: () => Date.now(),
      log: logLine,
    });
  }

  /** Refreshes the asker's catalog, or answers from the run that is under way or has just ended. */
  async refresh(request: RefreshRequest): Promise<RefreshAnswer> {
    const { config, reason } = request;
    if (typeof config !== "string" || config.length > CONFIG_TEXT_MAX_CHARS) return refused([UNREADABLE]);
    const parsed = readConfig(config);
    if (!parsed.ok) return refused(parsed.reason);
    const { settings } = parsed.value;
    const nowMs = Date.now();
    this.#store.rememberConfig(settings.hash, nowMs);
    if (reason === "first_use") this.#store.doubtPointer(settings.hash);
    const recent = this.#recent(settings.hash, reason, nowMs);
    if (recent !== undefined) return recent;
    return this.#share(parsed.value, reason);
  }

  /** The newest catalog of a configuration, as strongly consistent as KV is not. */
  async newest(request: NewestRequest): Promise<NewestAnswer> {
    return { version: 1, pointer: this.#store.published(request.config)?.pointer ?? null };
  }

  /** Content for a Worker whose KV does not show it, or shows something else. */
  async content(request: ContentRequest): Promise<ContentAnswer> {
    const kind = request.kind === "snapshot" ? "snapshot" : "shard";
    this.#store.doubt(contentKey(kind, request.hash));
    return { version: 1, bytes: this.#store.content(kind, request.hash) ?? null };
  }

  /** The interval's refresh. The next alarm is set first: a run that dies must not be the last. */
  override async alarm(): Promise<void> {
    const own = readConfig(this.#ports.ownConfigText);
    const intervalSeconds = own.ok ? own.value.settings.intervalSeconds : REFRESH_INTERVAL_DEFAULT_SECONDS;
    await this.ctx.storage.setAlarm(Date.now() + intervalSeconds * 1000);
    if (!own.ok) {
      logLine(`the catalog's own configuration is not usable: ${own.reason.join("; ")}`);
      return;
    }
    // Its own configuration alone: an older one may name servers that were removed or disabled since, and they must not be
    // sent a credential again. Another deployment's is refreshed when that deployment asks.
    this.#store.rememberConfig(own.value.settings.hash, Date.now());
    await this.#share(own.value, "interval");
    await this.#mail.deliver();
  }

  /** The last answer, where that is good enough for this reason. */
  #recent(hash: string, reason: RefreshReason, nowMs: number): RefreshAnswer | undefined {
    if (reason === "operator") return undefined;
    const published = this.#store.published(hash);
    const pointer = published?.pointer ?? null;
    const isFresh = nowMs - this.#store.refreshedAtMs(hash) < REFRESH_COALESCE_MS;
    if (reason === "first_use" ? pointer === null && !isFresh : !isFresh) return undefined;
    // Nothing changed since that run: what it changed is not told again.
    const { diff: _, ...last } = this.#last.get(hash) ?? { servers: [] };
    return { ...last, version: 1, pointer, changed: false, hash: published?.facts?.fingerprint ?? null };
  }

  /** One run for all who ask while it lasts. It outlives its askers: the object is kept awake for it. */
  #share(parsed: ReadConfig, reason: RefreshReason): Promise<RefreshAnswer> {
    const { hash } = parsed.settings;
    const under = this.#running.get(hash);
    if (under !== undefined) return under;
    // Runs of two configurations come one after another: each may hold a tokenizer.
    const run = this.#queue.then(() => this.#run(parsed, reason));
    const settled = run.finally(() => this.#running.delete(hash));
    this.#running.set(hash, settled);
    this.#queue = settled.catch(() => undefined);
    this.ctx.waitUntil(this.#queue);
    return settled;
  }

  async #run({ config, settings }: ReadConfig, trigger: RefreshReason): Promise<RefreshAnswer> {
    const startedAtMs = Date.now();
    // Also where one is set: a shorter interval must not wait for the end of a longer one.
    const nextMs = startedAtMs + settings.intervalSeconds * 1000;
    const alarmMs = await this.ctx.storage.getAlarm();
    if (alarmMs === null || alarmMs > nextMs) await this.ctx.storage.setAlarm(nextMs);
    const outcome = await runRefresh(settings, {
      store: this.#store,
      kv: this.#kv,
      list: (server) => this.#ports.list(config, server),
      createCounter: () => createTokenCounter(),
      lint: lintSchema,
      neighbours: this.#ports.neighbours,
      // A timer, not a microtask: only then do calls that have come in meanwhile get their turn.
      pause: () => sleep(0),
      nowMs: () => Date.now(),
      log: logLine,
    });
    const endedAtMs = Date.now();
    this.#store.markRefreshed(settings.hash, endedAtMs);
    const { hash, intervalSeconds } = settings;
    this.#mail.tell({ config: hash, trigger, startedAtMs, endedAtMs, intervalSeconds, outcome });
    // Not waited for: a refresh is no slower for a ledger that hangs.
    this.ctx.waitUntil(this.#mail.deliver());
    if (outcome.unfinished) await this.#soonAgain();
    const answer = answerOf(outcome);
    this.#last.delete(settings.hash);
    this.#last.set(settings.hash, answer);
    for (const oldest of this.#last.keys())
      if (this.#last.size > CONFIGS_MAX_COUNT) this.#last.delete(oldest);
    return answer;
  }

  async #soonAgain(): Promise<void> {
    const soon = Date.now() + REFRESH_RETRY_MS;
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > soon) await this.ctx.storage.setAlarm(soon);
  }
}

interface ReadConfig {
  readonly config: Config;
  readonly settings: CatalogSettings;
}

function readConfig(text: string): Result<ReadConfig, readonly string[]> {
  const config = parseConfig(text);
  const settings = config.ok ? catalogSettings(config.value) : config;
  if (!config.ok || !settings.ok) {
    const problems = config.ok ? (settings.ok ? [] : settings.reason) : config.reason;
    return {
      ok: false,
      reason: problems.map(({ key, message }) => (key === "" ? message : `${key}: ${message}`)),
    };
  }
  return { ok: true, value: { config: config.value, settings: settings.value } };
}

function refused(problems: readonly string[]): RefreshAnswer {
  return { version: 1, pointer: null, changed: false, servers: [], problems };
}

function answerOf({ pointer, changed, servers, failure, facts, diff, pin }: RefreshOutcome): RefreshAnswer {
  return {
    version: 1,
    pointer,
    changed,
    servers,
    ...(failure === undefined ? {} : { failure }),
    hash: facts?.fingerprint ?? null,
    ...(diff === undefined ? {} : { diff: boundDiff(diff, REPORT_ENTRIES_MAX_COUNT) }),
    ...(pin === undefined ? {} : { pin }),
  };
}

function logLine(text: string): void {
  console.error(oneLine(text));
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
