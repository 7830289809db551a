import { DurableObject } from "cloudflare:workers";
import { type Config, parseConfig } from "../../config.ts";
import {
  CONFIG_TEXT_MAX_CHARS,
  CONFIGS_MAX_COUNT,
  OUTBOX_DELIVERY_WAIT_MS,
  OUTBOX_SHIP_DELAY_MS,
  REFRESH_COALESCE_MS,
  REFRESH_INTERVAL_DEFAULT_SECONDS,
  REFRESH_RETRY_MS,
  REPORT_ENTRIES_MAX_COUNT,
} from "../../limits.ts";
import type { LedgerDoor } from "../../outbox/delivery.ts";
import { oneLine } from "../../scrub/log-line.ts";
import { ok, type Result } from "../../result.ts";
import type { TargetName } from "../../server-target.ts";
import { lintSchema } from "../../schema/lint.ts";
import { cl100kCounter } from "../../tokens/cl100k.ts";
import type { RankTable } from "../../tokens/rank-table.ts";
import { boundDiff } from "../drift/diff.ts";
import { CatalogAlarm } from "./catalog-alarm-store.ts";
import { CatalogSql } from "./catalog-schema-store.ts";
import { LedgerMail } from "./ledger-mail.ts";
import { runMove } from "./move.ts";
import { forgetLostPromotions } from "../rollout/targets.ts";
import {
  type ContentAnswer,
  type ContentRequest,
  type MoveAnswer,
  type MoveRequest,
  MOVES,
  type NewestAnswer,
  type NewestRequest,
  type RefreshAnswer,
  type MoveName,
  type RefreshReason,
  type RefreshRequest,
} from "./refresh-contract.ts";
import type { CounterFault, ListedServer, NeighbourSource, RefreshPorts } from "./refresh-ports.ts";
import type { RefreshOutcome } from "./publish-found.ts";
import { runRefresh } from "./refresh.ts";
import { SqlRefreshStore } from "./refresh-store.ts";
import { type CatalogSettings, catalogSettings } from "./settings.ts";
import { unlessEmpty } from "../snapshot/pointer.ts";
import { type CatalogKv, contentKey, SnapshotStore } from "../snapshot/snapshot-store.ts";

/** What the object is handed by the class that the Worker exports. */
export interface CatalogObjectPorts {
  readonly kv: CatalogKv;
  /** This deployment's own configuration, which the alarm refreshes. */
  readonly ownConfigText: string;
  readonly neighbours: NeighbourSource;
  /** Reads the ranks of cl100k, by which tokens are counted. To be let go after use: they are large. */
  readonly vocabulary: () => Promise<Result<RankTable, CounterFault>>;
  /** `RefreshPorts.list` for one server of a configuration, with this deployment's variables. */
  readonly list: (config: Config, server: string, target: TargetName) => Promise<ListedServer>;
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
  readonly #alarm: CatalogAlarm;
  /** Runs that have not ended, by configuration. */
  readonly #running = new Map<string, Promise<RefreshAnswer>>();
  /** The last answer of each configuration in this life of the object. */
  readonly #last = new Map<string, RefreshAnswer>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, ports: CatalogObjectPorts) {
    super(ctx, env);
    this.#ports = ports;
    const sql = new CatalogSql(ctx.storage.sql);
    this.#store = new SqlRefreshStore(ctx.storage.sql, sql, (work) => {
      ctx.storage.transactionSync(work);
    });
    this.#kv = new SnapshotStore(ports.kv);
    this.#alarm = new CatalogAlarm(ctx.storage);
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

  /** Moves a server's calls to its other target. */
  async move(request: MoveRequest): Promise<MoveAnswer> {
    const { config, server, move } = request;
    const parsed =
      typeof config === "string" && config.length <= CONFIG_TEXT_MAX_CHARS ? readConfig(config) : undefined;
    if (parsed?.ok !== true || !MOVES.includes(move)) {
      const detail = parsed?.ok === false ? parsed.reason.join("; ") : UNREADABLE;
      return { version: 1, moved: false, reason: "problems", detail };
    }
    this.#store.rememberConfig(parsed.value.settings.hash, Date.now());
    const asked = { server, move, acceptBreaking: request.acceptBreaking };
    return this.#enqueue(() => this.#move(parsed.value, asked));
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

  /**
   * The interval's refresh, or before it is due only what the ledger has not been told yet. The next alarm is set first: a run
   * that dies must not be the last.
   */
  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    if (!(await this.#alarm.fired(nowMs))) {
      await this.#alarm.deliverAt(this.#mail.retryAtMs);
      return this.#tellLedger();
    }
    const own = readConfig(this.#ports.ownConfigText);
    const intervalSeconds = own.ok ? own.value.settings.intervalSeconds : REFRESH_INTERVAL_DEFAULT_SECONDS;
    await this.#alarm.refreshAt(nowMs + intervalSeconds * 1000);
    await this.#alarm.deliverAt(this.#mail.retryAtMs);
    if (!own.ok) {
      logLine(`the catalog's own configuration is not usable: ${own.reason.join("; ")}`);
      return this.#tellLedger();
    }
    // Its own configuration alone: an older one may name servers that were removed or disabled since, and they must not be
    // sent a credential again. Another deployment's is refreshed when that deployment asks.
    this.#store.rememberConfig(own.value.settings.hash, Date.now());
    await this.#share(own.value, "interval");
    return this.#tellLedger();
  }

  /** The last answer, where that is good enough for this reason. */
  #recent(hash: string, reason: RefreshReason, nowMs: number): RefreshAnswer | undefined {
    if (reason === "operator") return undefined;
    const published = this.#store.published(hash);
    const pointer = published?.pointer ?? null;
    const isFresh = nowMs - this.#store.refreshedAtMs(hash) < REFRESH_COALESCE_MS;
    if (reason === "first_use" ? pointer === null && !isFresh : !isFresh) return undefined;
    // Nothing changed since that run: what it changed is not told again.
    const { diff: _, kinds: _kinds, ...last } = this.#last.get(hash) ?? { servers: [] };
    return { ...last, version: 1, pointer, changed: false, hash: published?.facts?.fingerprint ?? null };
  }

  /** One run for all who ask while it lasts. It outlives its askers: the object is kept awake for it. */
  #share(parsed: ReadConfig, reason: RefreshReason): Promise<RefreshAnswer> {
    const { hash, servers } = parsed.settings;
    // An operator's run also lists candidates that were rejected, so nobody's else will do for it.
    const all = `${hash} all`;
    const isAll = reason === "operator" && servers.some(({ candidate }) => candidate !== undefined);
    const under = this.#running.get(all) ?? (isAll ? undefined : this.#running.get(hash));
    if (under !== undefined) return under;
    const key = isAll ? all : hash;
    const run = this.#enqueue(() => this.#run(parsed, reason).finally(() => this.#running.delete(key)));
    this.#running.set(key, run);
    return run;
  }

  /** Runs come one after another, also those of two configurations: each may hold a tokenizer, and a move waits for no other. */
  #enqueue<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const run = this.#queue.then(work);
    this.#queue = run.catch(() => undefined);
    this.ctx.waitUntil(this.#queue);
    return run;
  }

  async #run({ config, settings }: ReadConfig, trigger: RefreshReason): Promise<RefreshAnswer> {
    const startedAtMs = Date.now();
    // Also where one is set: a shorter interval must not wait for the end of a longer one.
    await this.#wakeWithin(settings.intervalSeconds * 1000);
    this.#forgetLost(settings);
    const outcome = await runRefresh(settings, this.#portsFor(config), trigger);
    this.#store.markRefreshed(settings.hash, Date.now());
    return this.#conclude(settings, trigger, startedAtMs, outcome);
  }

  async #move({ config, settings }: ReadConfig, asked: Parameters<typeof runMove>[1]): Promise<MoveAnswer> {
    const startedAtMs = Date.now();
    await this.#wakeWithin(settings.intervalSeconds * 1000);
    this.#forgetLost(settings);
    const last = this.#last.get(settings.hash)?.servers ?? [];
    const { answer, outcomes, unfinished } = await runMove(settings, asked, last, this.#portsFor(config));
    // The last one is the move's own, if it was made; before it there may have been a refresh that it needed.
    for (const [at, outcome] of outcomes.entries()) {
      const isMove = answer.moved && at === outcomes.length - 1;
      await this.#conclude(settings, isMove ? asked.move : "operator", startedAtMs, outcome);
    }
    if (unfinished) await this.#wakeWithin(REFRESH_RETRY_MS);
    return answer;
  }

  #forgetLost({ hash, servers }: CatalogSettings): void {
    const own = readConfig(this.#ports.ownConfigText);
    if (!own.ok || own.value.settings.hash !== hash) return;
    for (const name of forgetLostPromotions(servers, this.#store.rollouts)) {
      logLine(`${name}: its promotion is over, since no target has that address and these headers any more`);
    }
  }

  #portsFor(config: Config): RefreshPorts {
    return {
      store: this.#store,
      kv: this.#kv,
      list: (server, target) => this.#ports.list(config, server, target),
      loadCounter: async () => {
        const ranks = await this.#ports.vocabulary();
        return ranks.ok ? ok(cl100kCounter(ranks.value)) : ranks;
      },
      lint: lintSchema,
      neighbours: this.#ports.neighbours,
      // A timer, not a microtask: only then do calls that have come in meanwhile get their turn.
      pause: () => sleep(0),
      nowMs: () => Date.now(),
      log: logLine,
    };
  }

  /** Tells what a run came to, and remembers it for those who ask soon. */
  async #conclude(
    { hash, intervalSeconds }: CatalogSettings,
    trigger: RefreshReason | MoveName,
    startedAtMs: number,
    outcome: RefreshOutcome,
  ): Promise<RefreshAnswer> {
    const endedAtMs = Date.now();
    this.#mail.tell({ config: hash, trigger, startedAtMs, endedAtMs, intervalSeconds, outcome });
    // Should the object die before it is answered; later than a delivery can last.
    await this.#alarm.deliverAt(endedAtMs + OUTBOX_DELIVERY_WAIT_MS + OUTBOX_SHIP_DELAY_MS);
    // Not waited for: a refresh is no slower for a ledger that hangs.
    this.ctx.waitUntil(this.#tellLedger());
    if (outcome.unfinished) await this.#wakeWithin(REFRESH_RETRY_MS);
    const answer = answerOf(outcome);
    this.#last.delete(hash);
    this.#last.set(hash, answer);
    for (const oldest of this.#last.keys())
      if (this.#last.size > CONFIGS_MAX_COUNT) this.#last.delete(oldest);
    return answer;
  }

  /** Delivers what is left to tell, and has the alarm come again for what then is. Never throws. */
  async #tellLedger(): Promise<void> {
    try {
      await this.#mail.deliver();
      await this.#alarm.deliverAt(this.#mail.retryAtMs);
    } catch (error) {
      logLine(`the ledger was not told: ${String(error)}`);
    }
  }

  async #wakeWithin(ms: number): Promise<void> {
    return this.#alarm.refreshBy(Date.now() + ms);
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

function answerOf({
  pointer,
  changed,
  servers,
  failure,
  facts,
  diff,
  kinds,
  pin,
}: RefreshOutcome): RefreshAnswer {
  return {
    version: 1,
    pointer,
    changed,
    servers,
    ...(failure === undefined ? {} : { failure }),
    hash: facts?.fingerprint ?? null,
    ...(diff === undefined ? {} : { diff: boundDiff(diff, REPORT_ENTRIES_MAX_COUNT) }),
    ...unlessEmpty("kinds", kinds ?? {}),
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
