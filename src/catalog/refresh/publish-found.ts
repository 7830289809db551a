import type { PinRecord } from "../../outbox/refresh-record.ts";
import { type CatalogDiff, diffInventories } from "../drift/diff.ts";
import { fingerprintOf } from "../drift/inventory.ts";
import type { KindDiff } from "../drift/kind-diff.ts";
import { judgePin } from "../drift/pin.ts";
import { pointerTargets } from "../rollout/targets.ts";
import type { OtherKind } from "../catalog.ts";
import { compareCodePoints } from "../../code-points.ts";
import type { LeftOut } from "../snapshot/snapshot.ts";
import {
  OTHER_KINDS,
  type PerKind,
  type Pointer,
  type PointerTarget,
  targetIn,
} from "../snapshot/pointer.ts";
import { compose, type Composed, type ComposedTool } from "./compose.ts";
import { type Listed, type ListingCall, UNCOUNTED } from "./list-targets.ts";
import { composeKinds, partOf } from "./other-targets.ts";
import { inventoryOf, pinnedTools, publishedFacts } from "./publication-facts.ts";
import { type Contents, keepCatalog, publishCatalog } from "./publish.ts";
import type { ServerReport } from "./refresh-contract.ts";
import type { Published, PublishedFacts, RefreshPorts } from "./refresh-ports.ts";
import { type FoundServer, serverReports } from "./server-reports.ts";
import type { CatalogSettings } from "./settings.ts";

/** Why a run published nothing although it should have: for events, a word; for people, public words. */
interface RefreshFailure {
  readonly failureCode:
    | "required_server_failed"
    | "tokens_not_counted"
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
  /** What the run changed of resources and prompts. */
  readonly kinds?: PerKind<KindDiff>;
  readonly pin?: PinRecord;
  readonly calls: readonly ListingCall[];
}

/** A move that the publication is about: a server that is stale is no reason against it, even if it is required. */
export interface Decision {
  /** Writes it down; called in the publication's own commit, or never. */
  readonly commit: () => void;
}

/** What became of the tools that were found. */
type Attempt = Partial<RefreshFailure> & Pick<RefreshOutcome, "unfinished" | "diff" | "kinds" | "pin">;

interface Findings extends Contents {
  readonly servers: readonly ServerReport[];
  readonly staleKinds: PerKind<readonly string[]>;
  readonly targets: readonly PointerTarget[];
  readonly decision: Decision | undefined;
  /** A server has something new that could not be counted. */
  readonly uncounted: boolean;
}

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

/** The first server that is required and not there. */
function missingServer(settings: CatalogSettings, { servers, decision }: Findings): ServerReport | undefined {
  return servers
    .filter((_, at) => settings.servers[at]?.required === true)
    .find(({ status }) => status === "failed" || (status === "stale" && decision === undefined));
}

/**
 * Publishes what was found, unless a server is missing that is required, something new could not be counted, or the pin is
 * strict and names another catalog.
 */
async function attempt(settings: CatalogSettings, found: Findings, ports: RefreshPorts): Promise<Attempt> {
  const { hash: config, pin: expected } = settings;
  const { servers, tools, kinds, leftOut, staleKinds, targets, decision } = found;
  const pinned = (actual: string | null) => (expected === null ? {} : { pin: judgePin(expected, actual) });
  const before = ports.store.published(config);
  // Nothing is wrong with any server: what is published stays whole, until a run can count. A move goes on by what is known.
  if (found.uncounted && decision === undefined) {
    const unfinished = await keepCatalog(config, before, ports);
    return { failureCode: "tokens_not_counted", failure: UNCOUNTED, unfinished, ...pinned(null) };
  }
  const missing = missingServer(settings, found);
  if (missing !== undefined) {
    const failure = `the required server ${missing.name} failed`;
    return { failureCode: "required_server_failed", failure, unfinished: false, ...pinned(null) };
  }
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
    const decided = decision?.commit;
    const published = await publishCatalog(
      config,
      { tools, kinds, leftOut },
      { fingerprint, diff, stale, staleKinds, targets, ...(decided === undefined ? {} : { decided }) },
      ports,
    );
    return published.ok
      ? { ...published.value, ...told }
      : { failureCode: "catalog_not_made", failure: published.reason, unfinished: false, ...told };
  } catch (error) {
    ports.log(`the catalog could not be written: ${String(error)}`);
    const failure = "the catalog could not be written";
    return { failureCode: "catalog_not_written", failure, unfinished: true, ...told };
  }
}

/**
 * Makes the catalog of what was found and publishes it, if its content or where its calls go changed. Whatever fails is in
 * the outcome: never throws.
 */
export async function publishFound(
  settings: CatalogSettings,
  found: readonly FoundServer[],
  decision: Decision | undefined,
  ports: RefreshPorts,
): Promise<RefreshOutcome> {
  const listed = found.map((each) => each.listed);
  const composed = compose(listed.map(partOf));
  const others = composeKinds(listed, composed);
  const servers = await serverReports(found, composed, others, ports.pause);
  const before = ports.store.published(settings.hash)?.pointer ?? null;
  const targets = pointerTargets(found.map(({ active }) => active));
  const [kinds, staleKinds] = [kindsOf(others), staleKindsOf(listed, others)];
  const uncounted = listed.some((each) => each.uncounted !== undefined);
  const leftOut = leftOutOf(listed);
  const findings = {
    servers,
    tools: composed.tools,
    kinds,
    leftOut,
    staleKinds,
    targets,
    decision,
    uncounted,
  };
  const { diff, ...attempted } = await attempt(settings, findings, ports);
  const after = ports.store.published(settings.hash);
  const pointer = after?.pointer ?? null;
  const changed = pointer?.generation !== before?.generation;
  const isTold = diff !== undefined && (changed || attempted.failureCode === "pin_mismatch");
  return {
    pointer,
    changed,
    first: before === null,
    servers: pointer === null ? servers : servers.map((report) => asServed(report, pointer)),
    facts: after === undefined ? null : await publishedFacts(after, ports.store),
    calls: found.flatMap(callOf),
    ...attempted,
    ...(isTold ? { diff } : {}),
  };
}

function kindsOf(composed: PerKind<Composed>): PerKind<readonly ComposedTool[]> {
  const kinds: Partial<Record<OtherKind, readonly ComposedTool[]>> = {};
  for (const kind of OTHER_KINDS) {
    const tools = composed[kind]?.tools ?? [];
    if (tools.length > 0) kinds[kind] = tools;
  }
  return kinds;
}

function leftOutOf(listed: readonly Listed[]): LeftOut {
  return listed
    .flatMap(({ server: { name }, kinds }): LeftOut => {
      const texts = kinds.resource?.listing?.leftOut ?? [];
      return texts.length === 0 ? [] : [[name, texts]];
    })
    .toSorted(([left], [right]) => compareCodePoints(left, right));
}

/** The servers that have something of a kind in the catalog and could not list it anew. */
function staleKindsOf(listed: readonly Listed[], composed: PerKind<Composed>): PerKind<readonly string[]> {
  const stale: Partial<Record<OtherKind, readonly string[]>> = {};
  for (const kind of OTHER_KINDS) {
    const names = listed.flatMap(({ server, kinds }, at) => {
      const isStale = (kinds[kind]?.failed.length ?? 0) > 0 && (composed[kind]?.servers[at]?.tools ?? 0) > 0;
      return isStale ? [server.name] : [];
    });
    if (names.length > 0) stale[kind] = names;
  }
  return stale;
}

/** Where calls do go: a publication that was refused moves nothing. */
function asServed(report: ServerReport, pointer: Pointer): ServerReport {
  return report.target === undefined ? report : { ...report, ...targetIn(pointer, report.name) };
}

/** The account is of the target that calls go to: what another one does says nothing of the server. */
function callOf({ active: { server, generation }, listed: { call } }: FoundServer): readonly ListingCall[] {
  return call === undefined ? [] : [{ server: server.name, generation, ...call }];
}
