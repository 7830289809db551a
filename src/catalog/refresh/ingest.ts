import { type Glob, matchAny } from "../../glob.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { memberOf } from "../../json.ts";
import { DEFINITIONS_JUDGED_AT_ONCE_COUNT } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import { digestLists, type HashedListing, hashListing } from "./hash-listing.ts";
import { IngestReport, reportName } from "./ingest-report.ts";
import { judgeBasis, type JudgePorts, type JudgeSettings, judgeTool } from "./judge-tool.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { type EntryKind, hasLetters, type JudgementPorts, ListingJudge } from "./listing-judge.ts";
import type { CounterFault, KeptTool, Listing, RefreshPorts } from "./refresh-ports.ts";

export interface IngestServer extends JudgeSettings {
  /** Globs over the upstream's own names; exclude wins. */
  readonly include: readonly Glob[];
  readonly exclude: readonly Glob[];
}

export interface IngestPorts extends Pick<JudgePorts, "lint">, JudgementPorts {
  readonly loadCounter: RefreshPorts["loadCounter"];
  /** The server's last good listing. */
  readonly last: () => Listing | undefined;
  readonly pause: () => Promise<void>;
}

/** A server's listing judged. `keys` are sorted: the same for the same tools in any order. */
export type Ingested = Required<Omit<Listing, "leftOut">> & Pick<Listing, "leftOut">;

/** Two raw names with one id: nobody could tell which of them a call means, so the listing is refused as a whole. */
export interface CatalogError {
  readonly reason: "id_collision";
  readonly id: string;
}

/** What became of the entries of one list. */
interface JudgedEntries {
  /** Of all judgements, those of skipped entries too. */
  readonly keys: string[];
  /** In the list's order. */
  readonly accepted: KeptTool[];
  /** Names of entries that the block's `exclude` left out. */
  readonly excluded: readonly string[];
}

/**
 * Judges the entries of one list, each for itself: a bad one costs itself alone. Never throws, whatever the entries are. What
 * is done with an entry is let go of. Without a counter there is no list as soon as one has to be judged anew.
 */
export async function judgeEntries(
  { hashes, unknown }: HashedListing,
  judge: ListingJudge,
  { include, exclude }: Pick<IngestServer, "include" | "exclude">,
  report: IngestReport,
  pause: () => Promise<void>,
): Promise<Result<JudgedEntries, CounterFault>> {
  const keys: string[] = [];
  const accepted: KeptTool[] = [];
  const excluded: string[] = [];
  const names = new Set<string>();
  let judgedNew = 0;
  for (const [at, hash] of hashes.entries()) {
    const read = judge.read(unknown.get(at), hash);
    unknown.delete(at);
    if (!read.ok) {
      report.skip(`#${at}`, read.reason);
      continue;
    }
    const { name, called } = read.value;
    if (called?.some((each) => matchAny(exclude, each)) === true) {
      excluded.push(name);
      continue;
    }
    if (called?.some((each) => matchAny(include, each)) === false) continue;
    const shown = reportName(name) || `#${at}`;
    if (names.has(name)) {
      report.find(shown, "duplicate_name");
      continue;
    }
    names.add(name);
    const outcome = read.value.judge();
    if (!outcome.ok) {
      report.skip(shown, outcome.reason);
      continue;
    }
    const found = outcome.value;
    const known = "definition" in found ? await judge.judgeNew(found) : ok(found);
    if (!known.ok) return known;
    const { key, judged } = known.value;
    keys.push(key);
    for (const code of judged.findings) report.find(shown, code);
    if ("reason" in judged) report.skip(shown, judged.reason);
    else accepted.push(judged);
    if (!("definition" in found)) continue;
    judgedNew += 1;
    if (judgedNew % DEFINITIONS_JUDGED_AT_ONCE_COUNT === 0) await pause();
  }
  return ok({ keys, accepted, excluded });
}

function toolKind(basis: string, server: IngestServer, ports: IngestPorts): EntryKind {
  return {
    basis,
    read: (value) => {
      const name = memberOf(value, "name");
      return hasLetters(name) ? ok({ name, called: [name] }) : fail("no_name");
    },
    called: ({ upstreamName }) => [upstreamName],
    judge: async (definition) => {
      const counter = await ports.loadCounter();
      if (!counter.ok) return counter;
      return ok(judgeTool(definition, server, { counter: counter.value, lint: ports.lint }));
    },
  };
}

/**
 * Judges a server's listing, tool by tool. Which namespaces an inferring server may keep is decided later, over all servers.
 *
 * A listing that came as the last one did costs a hash, and in another so does a tool that did: neither is parsed. The list is emptied on
 * the way, so that no text is held longer than it is needed. Now and then it pauses: what it keeps until then are judgements
 * that no listing refers to yet, so nothing may be swept before its listing is saved.
 */
export async function ingestServer(
  entries: ListedEntry[],
  server: IngestServer,
  ports: IngestPorts,
): Promise<Result<Ingested, CatalogError | CounterFault>> {
  const basis = sha256Hex(judgeBasis(server));
  const last = ports.last();
  // Under another basis the last judgements are void.
  const known = last?.basis === basis ? (last.tools ?? []) : [];
  const digest = await digestLists([entries], ports.pause);
  if (isComplete(last) && last.basis === basis && isAgain(last, digest)) {
    entries.length = 0;
    return ok(last);
  }
  const judge = new ListingJudge(toolKind(basis, server, ports), known, ports);
  const hashed = await hashListing(entries, (hash) => judge.isKnown(hash), ports.pause);
  const report = new IngestReport();
  const judged = await judgeEntries(hashed, judge, server, report, ports.pause);
  if (!judged.ok) return judged;
  const { keys, accepted: tools } = judged.value;
  const ids = new Set<string>();
  for (const { id } of tools) {
    if (ids.has(id)) return fail({ reason: "id_collision", id });
    ids.add(id);
  }
  const { skipped, findings, omitted } = report;
  return ok({ basis, digest, keys: keys.sort(), tools, skipped, findings, omitted });
}

/** Whether a list came as the last one did. */
export function isAgain({ digest: last }: Listing, digest: string): boolean {
  return digest !== "" && digest === last;
}

export function isComplete(listing: Listing | undefined): listing is Ingested {
  return listing?.digest !== undefined && listing.basis !== undefined && listing.tools !== undefined;
}
