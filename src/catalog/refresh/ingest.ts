import { type Glob, matchAny } from "../../glob.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { isRecord, memberOf, parsedJson } from "../../json.ts";
import {
  DEFINITIONS_JUDGED_AT_ONCE_COUNT,
  REPORT_ENTRIES_MAX_COUNT,
  REPORT_NAME_MAX_CODE_POINTS,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { contentHash } from "../snapshot/snapshot-store.ts";
import { displayText, firstCodePoints } from "../cards/display-text.ts";
import {
  type Definition,
  judgeBasis,
  type JudgedTool,
  type JudgePorts,
  type JudgeSettings,
  judgementKey,
  judgeTool,
  type ListedTool,
  type SkippedTool,
} from "./judge-tool.ts";
import { hashListing } from "./hash-listing.ts";
import { type ListedEntry, measureDefinition } from "./listed-entry.ts";
import type { KeptTool, Listing } from "./refresh-ports.ts";

const encoder = new TextEncoder();

export interface IngestServer extends JudgeSettings {
  /** Globs over the upstream's own names; exclude wins. */
  readonly include: readonly Glob[];
  readonly exclude: readonly Glob[];
}

export interface IngestPorts extends JudgePorts {
  /** The server's last good listing. */
  readonly last: () => Listing | undefined;
  /** What an equal definition of this server gave before. */
  readonly recall: (key: string) => JudgedTool | undefined;
  /** Keeps a judgement, and of an accepted tool its definition and index entry. */
  readonly keep: (
    key: string,
    judged: JudgedTool,
    parts?: { readonly definition: string; readonly analysed: AnalysedDocument },
  ) => void;
  readonly pause: () => Promise<void>;
}

/** A tool left out, with the reason. The name is fit to be shown. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** Something an operator should know of a tool. The name is fit to be shown. */
export interface Finding {
  readonly tool: string;
  readonly code: string;
}

/** A server's listing judged. `keys` are sorted: the same for the same tools in any order. */
export type Ingested = Required<Listing>;

/** Two raw names with one id: nobody could tell which of them a call means, so the listing is refused as a whole. */
export interface CatalogError {
  readonly reason: "id_collision";
  readonly id: string;
}

/** A foreign name in a report: one line, bounded, without anything unseen. */
export function reportName(name: string): string {
  return firstCodePoints(
    displayText(name.slice(0, 8 * REPORT_NAME_MAX_CODE_POINTS)),
    REPORT_NAME_MAX_CODE_POINTS,
  );
}

/** An entry that has a name, whatever else is wrong with it. It is judged only if it counts. */
interface NamedEntry {
  readonly name: string;
  readonly judge: () => Result<Judged, string>;
}

function hasLetters(name: unknown): name is string {
  return typeof name === "string" && name.trim() !== "";
}

/** What is kept of an accepted tool with its listing: the rest stays with its judgement. */
function keptTool(key: string, textHash: string, tool: ListedTool): KeptTool {
  const { id, namespace, name, upstreamName, findings, definitionHash, definitionBytes, entryBytes } = tool;
  const { parts } = tool;
  return {
    key,
    textHash,
    id,
    namespace,
    name,
    upstreamName,
    findings,
    definitionHash,
    ...(parts === undefined ? {} : { parts }),
    definitionBytes,
    entryBytes,
  };
}

interface Judged {
  readonly key: string;
  readonly judged: SkippedTool | KeptTool;
  /** It was judged just now, which is dear. */
  readonly isNew: boolean;
}

/** Judges the entries of one listing; what the last one had, to the letter, is not looked at again. */
class ListingJudge {
  readonly #server: IngestServer;
  readonly #ports: IngestPorts;
  readonly #basis: string;
  readonly #known: ReadonlyMap<string, KeptTool>;

  constructor(server: IngestServer, basis: string, last: Listing | undefined, ports: IngestPorts) {
    this.#server = server;
    this.#ports = ports;
    this.#basis = basis;
    // Under another basis the last judgements are void.
    const tools = last?.basis === basis ? (last.tools ?? []) : [];
    this.#known = new Map(tools.map((tool) => [tool.textHash, tool]));
  }

  isKnown(textHash: string): boolean {
    return this.#known.has(textHash);
  }

  /** Reads an entry as far as its name; one that is known is not needed for it. The failure says why it has none. */
  read(entry: ListedEntry | undefined, textHash: string): Result<NamedEntry, string> {
    const known = this.#known.get(textHash);
    if (known !== undefined) {
      const judged = ok({ key: known.key, judged: known, isNew: false });
      return ok({ name: known.upstreamName, judge: () => judged });
    }
    if (typeof entry !== "string") {
      if (entry?.isObject !== true) return fail("not_an_object");
      const { name, reason } = entry;
      return hasLetters(name) ? ok({ name, judge: () => fail(reason) }) : fail("no_name");
    }
    const value = parsedJson(entry);
    if (!isRecord(value)) return fail("not_an_object");
    const name = memberOf(value, "name");
    if (!hasLetters(name)) return fail("no_name");
    return ok({ name, judge: () => this.#judge({ value, name, json: entry }, textHash) });
  }

  #judge(read: Pick<Definition, "value" | "name" | "json">, textHash: string): Result<Judged, string> {
    const { size, fault } = measureDefinition(read.value);
    if (fault !== undefined) return fail(fault);
    const definition = { ...read, bytes: size.bytes, hash: sha256Hex(canonicalJson(read.value)) };
    const key = judgementKey(this.#basis, definition.hash);
    const recalled = this.#ports.recall(key);
    const judged = recalled ?? this.#judgeNew(key, definition);
    const kept = judged.kind === "accepted" ? keptTool(key, textHash, judged) : judged;
    return ok({ key, judged: kept, isNew: recalled === undefined });
  }

  #judgeNew(key: string, definition: Definition): JudgedTool {
    const { judged, analysed } = judgeTool(definition, this.#server, this.#ports);
    const parts = analysed === undefined ? undefined : { definition: definition.json, analysed };
    this.#ports.keep(key, judged, parts);
    return judged;
  }
}

/**
 * Judges a server's listing, tool by tool: a bad one costs itself alone. Never throws, whatever the entries are. Which
 * namespaces an inferring server may keep is decided later, over all servers.
 *
 * A listing that came as the last one did costs a hash, and so does a tool that did: neither is parsed. The list is emptied on
 * the way, so that no text is held longer than it is needed. Now and then it pauses: what it keeps until then are judgements
 * that no listing refers to yet, so nothing may be swept before its listing is saved.
 */
export async function ingestServer(
  entries: ListedEntry[],
  server: IngestServer,
  ports: IngestPorts,
): Promise<Result<Ingested, CatalogError>> {
  const basis = await contentHash(encoder.encode(judgeBasis(server)));
  const last = ports.last();
  const judge = new ListingJudge(server, basis, last, ports);
  const { hashes, unknown } = await hashListing(entries, (hash) => judge.isKnown(hash), ports.pause);
  const digest = await contentHash(encoder.encode(JSON.stringify(hashes)));
  if (isComplete(last) && last.basis === basis && last.digest === digest && !hashes.includes(""))
    return ok(last);
  const keys: string[] = [];
  const accepted = new Map<string, KeptTool>();
  const skipped: Skip[] = [];
  const findings: Finding[] = [];
  const names = new Set<string>();
  let omitted = 0;
  let judgedNew = 0;
  const note = <Entry>(list: Entry[], entry: Entry): void => {
    if (list.length < REPORT_ENTRIES_MAX_COUNT) list.push(entry);
    else omitted += 1;
  };
  for (const [at, hash] of hashes.entries()) {
    const read = judge.read(unknown.get(at), hash);
    unknown.delete(at);
    if (!read.ok) {
      note(skipped, { name: `#${at}`, reason: read.reason });
      continue;
    }
    const { name } = read.value;
    if (!matchAny(server.include, name) || matchAny(server.exclude, name)) continue;
    const shown = reportName(name) || `#${at}`;
    if (names.has(name)) {
      note(findings, { tool: shown, code: "duplicate_name" });
      continue;
    }
    names.add(name);
    const outcome = read.value.judge();
    if (!outcome.ok) {
      note(skipped, { name: shown, reason: outcome.reason });
      continue;
    }
    const { key, judged, isNew } = outcome.value;
    keys.push(key);
    for (const code of judged.findings) note(findings, { tool: shown, code });
    if ("reason" in judged) note(skipped, { name: shown, reason: judged.reason });
    else if (accepted.has(judged.id)) return fail({ reason: "id_collision", id: judged.id });
    else accepted.set(judged.id, judged);
    if (isNew) judgedNew += 1;
    if (isNew && judgedNew % DEFINITIONS_JUDGED_AT_ONCE_COUNT === 0) await ports.pause();
  }
  const tools = [...accepted.values()];
  return ok({ basis, digest, keys: keys.sort(), tools, skipped, findings, omitted });
}

function isComplete(listing: Listing | undefined): listing is Ingested {
  return listing?.digest !== undefined && listing.basis !== undefined && listing.tools !== undefined;
}
