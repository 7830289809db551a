import { type Glob, matchAny } from "../../glob.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { isRecord, memberOf } from "../../json.ts";
import {
  DEFINITION_MAX_BYTES,
  DEFINITION_MAX_DEPTH,
  DEFINITION_MAX_NODES,
  REPORT_ENTRIES_MAX_COUNT,
  REPORT_NAME_MAX_CODE_POINTS,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { AnalysedDocument } from "../../routing/analyse-document.ts";
import { measure } from "../../schema/measure.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { displayText, firstCodePoints } from "../cards/display-text.ts";
import {
  type AcceptedTool,
  type Definition,
  type JudgedTool,
  type JudgePorts,
  type JudgeSettings,
  judgementKey,
  judgeTool,
} from "./judge-tool.ts";

export interface IngestServer extends JudgeSettings {
  /** Globs over the upstream's own names; exclude wins. */
  readonly include: readonly Glob[];
  readonly exclude: readonly Glob[];
}

export interface IngestPorts extends JudgePorts {
  /** What an equal definition of this server gave before. */
  readonly recall: (key: string) => JudgedTool | undefined;
  /** Keeps a judgement, and of an accepted tool its definition and index entry. */
  readonly keep: (
    key: string,
    judged: JudgedTool,
    parts?: { readonly definition: string; readonly analysed: AnalysedDocument },
  ) => void;
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

export type KeyedTool = readonly [key: string, tool: AcceptedTool];

/** A server's listing judged. */
export interface Ingested {
  /** Keys of all judgements, sorted; the same for the same tools in any order. */
  readonly keys: readonly string[];
  /** Each with the key of its judgement. */
  readonly accepted: readonly KeyedTool[];
  /** At most `REPORT_ENTRIES_MAX_COUNT` of either, the first ones. */
  readonly skipped: readonly Skip[];
  readonly findings: readonly Finding[];
  /** How many of both there were beyond that. */
  readonly omitted: number;
}

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

const CEILINGS = { bytes: DEFINITION_MAX_BYTES, depth: DEFINITION_MAX_DEPTH, nodes: DEFINITION_MAX_NODES };

function readDefinition(raw: Readonly<Record<string, unknown>>, name: string): Result<Definition, string> {
  const size = measure(raw, CEILINGS);
  if (size.bytes > CEILINGS.bytes) return fail("definition_too_large");
  if (!size.complete)
    return fail(size.depth >= CEILINGS.depth ? "definition_too_deep" : "definition_too_large");
  if (size.foreign) return fail("not_json");
  const json = JSON.stringify(raw);
  return ok({ value: raw, name, json, bytes: size.bytes, hash: sha256Hex(canonicalJson(raw)) });
}

function judgeOnce(definition: Definition, server: IngestServer, ports: IngestPorts) {
  const key = judgementKey(server, definition.hash);
  const known = ports.recall(key);
  if (known !== undefined) return { key, judged: known };
  const { judged, analysed } = judgeTool(definition, server, ports);
  ports.keep(key, judged, analysed === undefined ? undefined : { definition: definition.json, analysed });
  return { key, judged };
}

/**
 * Judges a server's raw listing, tool by tool: a bad one costs itself alone. Never throws, whatever the entries are. Which
 * namespaces an inferring server may keep is decided later, over all servers.
 */
export function ingestServer(
  raw: readonly unknown[],
  server: IngestServer,
  ports: IngestPorts,
): Result<Ingested, CatalogError> {
  const keys: string[] = [];
  const accepted = new Map<string, KeyedTool>();
  const skipped: Skip[] = [];
  const findings: Finding[] = [];
  const names = new Set<string>();
  let omitted = 0;
  const note = <Entry>(list: Entry[], entry: Entry): void => {
    if (list.length < REPORT_ENTRIES_MAX_COUNT) list.push(entry);
    else omitted += 1;
  };
  for (const [at, entry] of raw.entries()) {
    const name = memberOf(entry, "name");
    if (!isRecord(entry) || typeof name !== "string" || name.trim() === "") {
      note(skipped, { name: `#${at}`, reason: isRecord(entry) ? "no_name" : "not_an_object" });
      continue;
    }
    if (!matchAny(server.include, name) || matchAny(server.exclude, name)) continue;
    const shown = reportName(name) || `#${at}`;
    if (names.has(name)) {
      note(findings, { tool: shown, code: "duplicate_name" });
      continue;
    }
    names.add(name);
    const definition = readDefinition(entry, name);
    if (!definition.ok) {
      note(skipped, { name: shown, reason: definition.reason });
      continue;
    }
    const { key, judged } = judgeOnce(definition.value, server, ports);
    keys.push(key);
    for (const code of judged.findings) note(findings, { tool: shown, code });
    if (judged.kind === "skipped") note(skipped, { name: shown, reason: judged.reason });
    else if (accepted.has(judged.id)) return fail({ reason: "id_collision", id: judged.id });
    else accepted.set(judged.id, [key, judged]);
  }
  return ok({ keys: keys.sort(), accepted: [...accepted.values()], skipped, findings, omitted });
}
