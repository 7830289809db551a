import { DurableObject } from "cloudflare:workers";
import { LEDGER_SILENCE_MAX_SECONDS, LEDGER_SWEEP_INTERVAL_SECONDS } from "../limits.ts";
import { type Delivery, deliverySchema, type Receipt } from "../outbox/delivery.ts";
import { oneLine } from "../scrub/log-line.ts";
import { judgeBatch } from "../spine/telemetry/batch.ts";
import { hottest, otherHotCalls, slowest } from "../spine/telemetry/hot-paths.ts";
import { writeLedger } from "../spine/telemetry/ledger-json.ts";
import { AccountStore } from "./account-store.ts";
import { type Accounts, type Fold, foldEntries } from "./accounts.ts";
import { EventStore } from "./event-store.ts";
import {
  type EventsAnswer,
  type EventsRequest,
  eventsRequestSchema,
  type ReadAnswer,
  type ReadRequest,
  readRequestSchema,
} from "./ledger-contract.ts";
import { LedgerSql } from "./ledger-schema-store.ts";
import { RefreshRecordStore } from "./refresh-record-store.ts";
import { CounterStore, type KnownSource, SourceStore } from "./source-store.ts";

const EVENT = "event.";
const LOST_AT = "lost_at_ms";
const SWEEP_INTERVAL_MS = LEDGER_SWEEP_INTERVAL_SECONDS * 1000;
const SILENCE_MAX_MS = LEDGER_SILENCE_MAX_SECONDS * 1000;

/**
 * The one account of everything that the gateway's objects tell. A delivery's counts, its events and its source's last
 * number are written in one transaction, so that an entry counts once however often it is sent. State is `#private`,
 * since every other member of an object can be called from outside. There is no alarm: nothing grows without deliveries,
 * and they sweep.
 */
export class LedgerObject extends DurableObject {
  readonly #sql: LedgerSql;
  readonly #sources: SourceStore;
  readonly #counters: CounterStore;
  readonly #accounts: AccountStore;
  readonly #events: EventStore;
  readonly #refreshes: RefreshRecordStore;
  readonly #beganAtMs = Date.now();
  /** As they are stored; read once in a life of the object. Replaced only after a commit. */
  #current: Accounts | undefined;
  #sweptAtMs = 0;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#sql = new LedgerSql(ctx.storage);
    this.#sources = new SourceStore(this.#sql);
    this.#counters = new CounterStore(this.#sql);
    this.#accounts = new AccountStore(this.#sql);
    this.#events = new EventStore(this.#sql);
    this.#refreshes = new RefreshRecordStore(this.#sql);
  }

  /** Counts what a source tells, each entry once. After a gap, or of what is no delivery, nothing. */
  async deliver(delivery: Delivery): Promise<Receipt> {
    const parsed = deliverySchema.safeParse(delivery);
    if (!parsed.success) return this.#refuseMalformed();
    const { source, from, entries, acknowledged, dropped, kept } = parsed.data;
    const nowMs = Date.now();
    const known = this.#sources.find(source);
    const lastApplied = Math.max(known?.last ?? 0, acknowledged);
    const judged = judgeBatch(lastApplied, { from, to: from + entries.length - 1 }, entries.length);
    if (judged.decision === "refuse") {
      if (judged.reason === "invalid_range") return this.#refuseMalformed();
      return { version: 1, taken: false, reason: "gap", expected: judged.expected };
    }
    const news = judged.decision === "apply" ? entries.slice(judged.skip) : [];
    const after = { last: judged.last, dropped: Math.max(dropped, known?.dropped ?? 0), kept };
    // A source that has been answered before and is not known was forgotten, and what it had dropped was counted.
    const before = known ?? { last: 0, dropped: acknowledged > 0 ? dropped : 0 };
    if (news.length > 0 || after.dropped > before.dropped) this.#write(source, before, after, news, nowMs);
    return { version: 1, taken: true, last: judged.last };
  }

  /** Everything that a status or a metric shows, from one moment. */
  async read(request: ReadRequest): Promise<ReadAnswer> {
    const parsed = readRequestSchema.safeParse(request);
    if (!parsed.success) return { version: 1, refused: "malformed" };
    const { config } = parsed.data;
    const nowMs = Date.now();
    const { gateway, hot, servers } = this.#load();
    const { sources, heardAtMs } = this.#sources.summary();
    const other = otherHotCalls(hot);
    const counters = this.#counters.all();
    return {
      version: 1,
      now_ms: nowMs,
      uptime_ms: Math.max(0, nowMs - this.#beganAtMs),
      heard_at_ms: heardAtMs,
      gateway: writeLedger(gateway),
      servers: Array.from(servers, ([name, ledger]) => ({ name, ledger: writeLedger(ledger) })),
      tools: {
        hottest: hottest(hot),
        slowest: slowest(hot),
        ...(other === undefined ? {} : { other }),
      },
      refresh: config === null ? null : (this.#refreshes.find(config) ?? null),
      events: { ...this.#events.window(), counts: eventCounts(counters) },
      kept: this.#sources.kept(nowMs),
      ledger: {
        sources,
        dropped: counters.get("dropped") ?? 0,
        unreadable: counters.get("unreadable") ?? 0,
        refused: counters.get("refused") ?? 0,
        restarted: counters.get("restarted") ?? 0,
        lost_at_ms: counters.get(LOST_AT) ?? null,
      },
    };
  }

  /** One page of the newest events, the oldest of them first. */
  async events(request: EventsRequest): Promise<EventsAnswer> {
    const parsed = eventsRequestSchema.safeParse(request);
    if (!parsed.success) return { version: 1, refused: "malformed" };
    const { limit, ...filter } = parsed.data;
    return { version: 1, ...this.#events.page(filter, limit) };
  }

  /** All of a delivery in one transaction: counts, events, and the number up to which they are counted. */
  #write(
    source: string,
    before: KnownSource,
    after: KnownSource & Pick<Delivery, "kept">,
    entries: readonly string[],
    nowMs: number,
  ): void {
    const accounts = this.#load();
    const fold = foldEntries(accounts, entries);
    this.#current = this.#sql.together(() => {
      this.#events.append(fold.events);
      for (const record of fold.refreshes.values()) this.#refreshes.write(record);
      this.#count(fold);
      if (after.dropped > before.dropped) {
        this.#counters.add("dropped", after.dropped - before.dropped);
      }
      if (isLossy(fold) || after.dropped > before.dropped) this.#counters.set(LOST_AT, nowMs);
      this.#sources.write(source, after, after.kept, nowMs);
      return this.#sweep(this.#accounts.save(accounts, fold.accounts, nowMs), nowMs);
    });
    logLosses(fold);
  }

  #count({ events, unreadable, refused }: Fold): void {
    const counts = new Map<string, number>();
    for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const [name, count] of counts) this.#counters.add(`${EVENT}${name}`, count);
    this.#counters.add("unreadable", unreadable.length);
    this.#counters.add("refused", refused.length);
  }

  #sweep(accounts: Accounts, nowMs: number): Accounts {
    if (nowMs - this.#sweptAtMs < SWEEP_INTERVAL_MS) return accounts;
    this.#sweptAtMs = nowMs;
    this.#sources.forgetBefore(nowMs - SILENCE_MAX_MS);
    return this.#accounts.forgetBefore(accounts, nowMs - SILENCE_MAX_MS);
  }

  /** The accounts, from storage where this life of the object has not read them. */
  #load(): Accounts {
    if (this.#current !== undefined) return this.#current;
    const { accounts, restarted } = this.#sql.together(() => {
      const loaded = this.#accounts.load();
      this.#counters.add("restarted", loaded.restarted);
      if (loaded.restarted > 0) this.#counters.set(LOST_AT, Date.now());
      return loaded;
    });
    if (restarted > 0) log(`${restarted} account(s) of the ledger could not be read and begin anew`);
    this.#current = accounts;
    return accounts;
  }

  #refuseMalformed(): Receipt {
    log("a delivery to the ledger could not be read");
    return { version: 1, taken: false, reason: "malformed" };
  }
}

/** By event; names are those of the vocabulary. */
function eventCounts(counters: ReadonlyMap<string, number>): Record<string, number> {
  const counts = Array.from(counters).filter(([name]) => name.startsWith(EVENT));
  return Object.fromEntries(counts.map(([name, count]) => [name.slice(EVENT.length), count]));
}

function isLossy({ unreadable, refused }: Fold): boolean {
  return unreadable.length > 0 || refused.length > 0;
}

/** Reasons are words of ours; what was told is not repeated. */
function logLosses({ unreadable, refused }: Fold): void {
  if (unreadable.length > 0) log(`${unreadable.length} told entries are unreadable: ${words(unreadable)}`);
  if (refused.length > 0) log(`${refused.length} counts were refused: ${words(refused)}`);
}

function words(reasons: readonly string[]): string {
  return Array.from(new Set(reasons)).sort().join(", ");
}

function log(text: string): void {
  console.error(oneLine(text));
}
