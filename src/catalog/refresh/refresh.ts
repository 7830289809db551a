import { REPORT_ENTRIES_MAX_COUNT } from "../../limits.ts";
import type { PinRecord } from "../../outbox/refresh-record.ts";
import { type CatalogDiff, diffInventories } from "../drift/diff.ts";
import { fingerprintOf } from "../drift/inventory.ts";
import { judgePin } from "../drift/pin.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import { compose, type Composed, type ComposedTool, type ComposePart } from "./compose.ts";
import { type Listed, type ListingCall, listServers } from "./list-servers.ts";
import { inventoryOf, pinnedTools, publishedFacts } from "./publication-facts.ts";
import { keepCatalog, publishCatalog } from "./publish.ts";
import type { ServerReport } from "./refresh-contract.ts";
import type { Published, PublishedFacts, RefreshPorts } from "./refresh-ports.ts";
import type { CatalogSettings } from "./settings.ts";

/** Why a run published nothing although it should have: for events, a word; for people, public words. */
interface RefreshFailure {
  readonly failureCode:
    | "required_server_failed"
    | "pin_mismatch"
    | "catalog_not_made"
    | "catalog_not_written";
  readonly failure: string;
}

/** What one run came to. */
export interface RefreshOutcome extends Partial<RefreshFailure> {
  readonly pointer: Pointer | null;
  readonly changed: boolean;
  /** There was no catalog before. */
  readonly first: boolean;
  readonly servers: readonly ServerReport[];
  /** Something is written half-way: run again soon. */
  readonly unfinished: boolean;
  /** Of the catalog that is published after the run. */
  readonly facts: PublishedFacts | null;
  /** What the run changed, or would have if the pin had let it. Absent too where the old catalog is not known well enough. */
  readonly diff?: CatalogDiff;
  readonly pin?: PinRecord;
  readonly calls: readonly ListingCall[];
}

function reportOf(listed: Listed, composed: Composed["servers"][number]): ServerReport {
  const reason = composed.tooLarge ? "the catalog would become too large" : listed.failure;
  const { skipped = [], findings = [], omitted: before = 0 } = listed.listing ?? {};
  const all = [...skipped, ...composed.skipped];
  const omitted = before + Math.max(0, all.length - REPORT_ENTRIES_MAX_COUNT);
  const isFailed = composed.tooLarge || (listed.failure !== undefined && listed.listing === undefined);
  return {
    name: listed.server.name,
    status: isFailed ? "failed" : listed.failure === undefined ? "ok" : "stale",
    tools: composed.tools,
    skipped: all.slice(0, REPORT_ENTRIES_MAX_COUNT),
    findings,
    ...(omitted > 0 ? { omitted } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function partOf({ server, listing, tools }: Listed): ComposePart {
  return { name: server.name, mode: server.mode, tools: listing === undefined ? null : tools };
}

/** What became of the tools that were found. */
type Attempt = Partial<RefreshFailure> & Pick<RefreshOutcome, "unfinished" | "diff" | "pin">;

/** The difference to what is published; by hashes, and read only where there is one. */
function diffTo(
  config: string,
  before: Published | undefined,
  fingerprint: string,
  tools: readonly ComposedTool[],
  { store }: RefreshPorts,
): CatalogDiff | undefined {
  const known = before?.facts?.fingerprint;
  if (known === undefined || known === fingerprint) return undefined;
  const kept = store.inventory(config, known);
  return kept && diffInventories(kept, inventoryOf(tools));
}

/** Publishes what was found, unless a server is missing that is required, or the pin is strict and names another catalog. */
async function attempt(
  settings: CatalogSettings,
  servers: readonly ServerReport[],
  tools: readonly ComposedTool[],
  ports: RefreshPorts,
): Promise<Attempt> {
  const { hash: config, pin: expected } = settings;
  const pinned = (actual: string | null) => (expected === null ? {} : { pin: judgePin(expected, actual) });
  const missing = servers
    .filter((_, at) => settings.servers[at]?.required === true)
    .find(({ status }) => status !== "ok");
  if (missing !== undefined) {
    const failure = `the required server ${missing.name} failed`;
    return { failureCode: "required_server_failed", failure, unfinished: false, ...pinned(null) };
  }
  const before = ports.store.published(config);
  const fingerprint = await fingerprintOf(pinnedTools(tools));
  const diff = diffTo(config, before, fingerprint, tools, ports);
  const told = { ...(diff === undefined ? {} : { diff }), ...pinned(fingerprint) };
  if (told.pin?.matches === false) {
    ports.log(
      `the catalog does not match gateway.pin: it expects ${told.pin.expected}, and this is ${fingerprint}`,
    );
  }
  const stale = servers.filter(({ status }) => status === "stale").map(({ name }) => name);
  try {
    if (told.pin?.matches === false && told.pin.mode === "strict") {
      const unfinished = await keepCatalog(config, before, ports);
      const failure = "the catalog does not match gateway.pin";
      return { failureCode: "pin_mismatch", failure, unfinished, ...told };
    }
    const published = await publishCatalog(config, tools, { fingerprint, diff, stale }, ports);
    return published.ok
      ? { unfinished: published.value.unfinished, ...told }
      : { failureCode: "catalog_not_made", failure: published.reason, unfinished: false, ...told };
  } catch (error) {
    ports.log(`the catalog could not be written: ${String(error)}`);
    const failure = "the catalog could not be written";
    return { failureCode: "catalog_not_written", failure, unfinished: true, ...told };
  }
}

/**
 * One refresh: lists every server, judges what is new, and publishes the catalog if its content changed. Failures of a
 * server stay with that server, unless it is required: then the whole catalog stays as it was. So it does where a strict
 * pin names another one. Never throws.
 */
export async function runRefresh(settings: CatalogSettings, ports: RefreshPorts): Promise<RefreshOutcome> {
  const listed = await listServers(settings.servers, ports);
  const composed = compose(listed.map(partOf));
  const servers = listed.flatMap((each, at) => {
    const part = composed.servers[at];
    return part === undefined ? [] : [reportOf(each, part)];
  });
  const before = ports.store.published(settings.hash)?.pointer ?? null;
  const { diff, ...attempted } = await attempt(settings, servers, composed.tools, ports);
  const after = ports.store.published(settings.hash);
  const pointer = after?.pointer ?? null;
  const changed = pointer?.generation !== before?.generation;
  const isTold = diff !== undefined && (changed || attempted.failureCode === "pin_mismatch");
  return {
    pointer,
    changed,
    first: before === null,
    servers,
    facts: after === undefined ? null : await publishedFacts(after, ports.store),
    calls: listed.flatMap(({ call }) => call ?? []),
    ...attempted,
    ...(isTold ? { diff } : {}),
  };
}
