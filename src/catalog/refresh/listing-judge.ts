import { finiteJson } from "../../exact-json/finite.ts";
import { parseWritten } from "../../exact-json/parse.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { isRecord, type JsonObject } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { AnalysedDocument } from "../../routing/document/analyse-document.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import type { Definition, JudgedTool, ListedTool, SkippedTool } from "./judge-tool.ts";
import { judgementKey } from "./judge-tool.ts";
import { type ListedEntry, measureDefinition } from "./listed-entry.ts";
import type { CounterFault, KeptTool } from "./refresh-ports.ts";

/** What is remembered of judgements. */
export interface JudgementPorts {
  /** What an equal definition of this server gave before. */
  readonly recall: (key: string) => JudgedTool | undefined;
  /** Keeps a judgement, and of an accepted tool its definition and index entry. */
  readonly keep: (
    key: string,
    judged: JudgedTool,
    parts?: { readonly definition: string; readonly analysed: AnalysedDocument },
  ) => void;
}

/** How entries of one list are told apart and judged. */
export interface EntryKind {
  /** Hash of everything that a judgement depends on beside the definition. */
  readonly basis: string;
  /** The upstream's own name of an entry, and what its server's globs are tried on; the failure says why it has none. */
  readonly read: (value: JsonObject) => Result<NameOfEntry, string>;
  /** What a known entry's globs are tried on; undefined where it has passed them. */
  readonly called: (known: KeptTool) => readonly string[] | undefined;
  /** The dear part; the failure says that nothing can be judged now. */
  readonly judge: (definition: Definition) => Promise<Result<FullJudgement, CounterFault>>;
}

interface FullJudgement {
  readonly judged: JudgedTool;
  readonly analysed?: AnalysedDocument;
}

interface NameOfEntry {
  readonly name: string;
  readonly called: readonly string[];
}

/** An entry that has a name, whatever else is wrong with it. It is judged only if it counts. */
export interface NamedEntry {
  readonly name: string;
  readonly called: readonly string[] | undefined;
  /** Its judgement as far as it is known, or what is to be judged (`judgeNew`). */
  readonly judge: () => Result<Judged | Unjudged, string>;
}

export interface Judged {
  readonly key: string;
  readonly judged: SkippedTool | KeptTool;
}

/** A definition that no judgement is known of. */
export interface Unjudged {
  readonly key: string;
  readonly textHash: string;
  readonly definition: Definition;
}

export function hasLetters(name: unknown): name is string {
  return typeof name === "string" && name.trim() !== "";
}

/** What is kept of an accepted tool with its listing: the rest stays with its judgement. */
export function keptTool(key: string, textHash: string, tool: ListedTool): KeptTool {
  const { id, namespace, name, upstreamName, findings, definitionHash, definitionBytes, entryBytes } = tool;
  const { parts, isTemplate } = tool;
  return {
    key,
    textHash,
    id,
    namespace,
    name,
    upstreamName,
    ...(isTemplate === undefined ? {} : { isTemplate }),
    findings,
    definitionHash,
    ...(parts === undefined ? {} : { parts }),
    definitionBytes,
    entryBytes,
  };
}

/** Judges the entries of one list; what the last one had, to the letter, is not looked at again. */
export class ListingJudge {
  readonly #kind: EntryKind;
  readonly #ports: JudgementPorts;
  readonly #known: ReadonlyMap<string, KeptTool>;

  constructor(kind: EntryKind, known: readonly KeptTool[], ports: JudgementPorts) {
    this.#kind = kind;
    this.#ports = ports;
    this.#known = new Map(known.map((tool) => [tool.textHash, tool]));
  }

  isKnown(textHash: string): boolean {
    return this.#known.has(textHash);
  }

  /** Reads an entry as far as its name; one that is known is not needed for it. The failure says why it has none. */
  read(entry: ListedEntry | undefined, textHash: string): Result<NamedEntry, string> {
    const known = this.#known.get(textHash);
    if (known !== undefined) {
      const judged = ok({ key: known.key, judged: known });
      return ok({ name: known.upstreamName, called: this.#kind.called(known), judge: () => judged });
    }
    if (typeof entry !== "string") {
      if (entry?.isObject !== true) return fail("not_an_object");
      const { name, reason } = entry;
      return hasLetters(name) ? ok({ name, called: [name], judge: () => fail(reason) }) : fail("no_name");
    }
    const written = parseWritten(entry);
    if (!isRecord(written)) return fail("not_an_object");
    const read = this.#kind.read(written);
    if (!read.ok) return read;
    const { name, called } = read.value;
    return ok({ name, called, judge: () => this.#judge({ written, name, json: entry }, textHash) });
  }

  /** Judges a definition that no judgement is known of, and keeps what it gives. */
  async judgeNew({ key, textHash, definition }: Unjudged): Promise<Result<Judged, CounterFault>> {
    const full = await this.#kind.judge(definition);
    if (!full.ok) return full;
    const { judged, analysed } = full.value;
    const parts = analysed === undefined ? undefined : { definition: definition.json, analysed };
    this.#ports.keep(key, judged, parts);
    return ok(keptJudgement(key, textHash, judged));
  }

  #judge(
    read: Pick<Definition, "written" | "name" | "json">,
    textHash: string,
  ): Result<Judged | Unjudged, string> {
    const { written } = read;
    const { size, fault } = measureDefinition(written);
    if (fault !== undefined) return fail(fault);
    const hash = sha256Hex(canonicalJson(written));
    const definition = { ...read, value: finiteJson(written), bytes: size.bytes, hash };
    const key = judgementKey(this.#kind.basis, definition.hash);
    const recalled = this.#ports.recall(key);
    return ok(
      recalled === undefined ? { key, textHash, definition } : keptJudgement(key, textHash, recalled),
    );
  }
}

function keptJudgement(key: string, textHash: string, judged: JudgedTool): Judged {
  return { key, judged: judged.kind === "accepted" ? keptTool(key, textHash, judged) : judged };
}
