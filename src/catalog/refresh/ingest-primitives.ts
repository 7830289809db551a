import { compareCodePoints } from "../../code-points.ts";
import { finiteJson } from "../../exact-json/finite.ts";
import { parseWritten } from "../../exact-json/parse.ts";
import { resolveCollisions } from "../../identity/collisions.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { isRecord } from "../../json.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import type { OtherKind } from "../catalog.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { hashListing } from "./hash-listing.ts";
import { type IngestServer, isComplete, judgeEntries } from "./ingest.ts";
import { IngestReport, reportName } from "./ingest-report.ts";
import { judgePrimitive, primitiveBasis, type PrimitiveForm, readPrimitive } from "./judge-primitive.ts";
import { judgementKey } from "./judge-tool.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { type EntryKind, type JudgementPorts, keptTool, ListingJudge } from "./listing-judge.ts";
import type { KeptTool, Listing } from "./refresh-ports.ts";

/** One list of a kind; without entries it could not be read, and what was listed last stays. */
export interface PrimitiveList {
  readonly form: PrimitiveForm;
  readonly entries: ListedEntry[] | undefined;
}

export interface PrimitivePorts extends JudgementPorts {
  readonly counter: TokenCounter;
  /** A definition's JSON as the upstream gave it. */
  readonly definition: (hash: string) => string | undefined;
  readonly pause: () => Promise<void>;
}

/** `~2` and the like, which stands behind an id that another one has. */
const COLLISION = /~\d+$/;

interface Ingest {
  readonly server: IngestServer;
  readonly ports: PrimitivePorts;
  readonly report: IngestReport;
  readonly keys: string[];
}

function basisOf(form: PrimitiveForm, server: IngestServer): string {
  return sha256Hex(primitiveBasis(form, server));
}

function formOf({ isTemplate }: KeptTool, kind: OtherKind): PrimitiveForm {
  return kind === "prompt" ? "prompt" : isTemplate === true ? "template" : "resource";
}

function entryKind(form: PrimitiveForm, { server, ports }: Ingest): EntryKind {
  return {
    basis: basisOf(form, server),
    read: (value) => readPrimitive(form, value),
    called: () => undefined,
    judge: (definition) => judgePrimitive(form, definition, server, ports.counter),
  };
}

/** An entry of the last listing under the id that it would have alone. */
function alone(tool: KeptTool, form: PrimitiveForm, { server, ports, keys }: Ingest): readonly KeptTool[] {
  if (!COLLISION.test(tool.id)) {
    keys.push(tool.key);
    return [tool];
  }
  const key = judgementKey(basisOf(form, server), tool.definitionHash);
  const judged = ports.recall(key);
  if (judged?.kind !== "accepted") return [];
  keys.push(key);
  return [keptTool(key, tool.textHash, judged)];
}

/** The entry under an id with something behind it: its line is another one, so it is judged again. */
function judgeBehind(
  tool: KeptTool,
  form: PrimitiveForm,
  behind: string,
  { server, ports, report, keys }: Ingest,
): readonly KeptTool[] {
  const key = judgementKey(basisOf(form, server), `${tool.definitionHash}${behind}`);
  let judged = ports.recall(key);
  if (judged === undefined) {
    const json = ports.definition(tool.definitionHash);
    const written = json === undefined ? undefined : parseWritten(json);
    if (json === undefined || !isRecord(written)) return [];
    const { upstreamName: name, definitionBytes: bytes, definitionHash: hash } = tool;
    const definition = { written, value: finiteJson(written), name, json, bytes, hash };
    const made = judgePrimitive(form, definition, server, ports.counter, behind);
    judged = made.judged;
    ports.keep(key, judged, made.analysed && { definition: json, analysed: made.analysed });
  }
  keys.push(key);
  if (judged.kind === "accepted") return [keptTool(key, tool.textHash, judged)];
  report.skip(reportName(tool.upstreamName), judged.reason);
  return [];
}

/**
 * Distinct ids (seed 000 §9.3), whatever order the entries came in: by the upstream's own names in code point order, and of two
 * with one name the resource before the template.
 */
function settleCollisions(tools: readonly KeptTool[], kind: OtherKind, ingest: Ingest): readonly KeptTool[] {
  const sorted = [...tools].sort(
    (left, right) =>
      compareCodePoints(left.upstreamName, right.upstreamName) ||
      Number(left.isTemplate ?? false) - Number(right.isTemplate ?? false),
  );
  const ids = resolveCollisions(sorted.map(({ id }) => id));
  return sorted.flatMap((tool, at) => {
    const id = ids[at] ?? tool.id;
    if (id === tool.id) return [tool];
    return judgeBehind(tool, formOf(tool, kind), id.slice(tool.id.length), ingest);
  });
}

/**
 * Judges one kind of what a server lists beside tools, entry by entry, as `ingestServer` does tools: what is known costs a
 * hash, and the lists are emptied on the way. A list that could not be read leaves its last good entries beside the fresh ones
 * of the other; such a listing has no digest, so that it is looked at again. Undefined where there is nothing and never was.
 */
export async function ingestPrimitives(
  kind: OtherKind,
  lists: readonly PrimitiveList[],
  server: IngestServer,
  last: Listing | undefined,
  ports: PrimitivePorts,
): Promise<Listing | undefined> {
  if (last === undefined && lists.every(({ entries = [] }) => entries.length === 0)) return undefined;
  const basis = sha256Hex(canonicalJson(lists.map(({ form }) => primitiveBasis(form, server))));
  const isSameBasis = last?.basis === basis;
  const ingest: Ingest = { server, ports, report: new IngestReport(), keys: [] };
  const read: { readonly judge: ListingJudge; readonly hashed: Awaited<ReturnType<typeof hashListing>> }[] =
    [];
  const kept: KeptTool[] = [];
  for (const { form, entries } of lists) {
    const before = (last?.tools ?? []).filter((tool) => formOf(tool, kind) === form);
    if (entries === undefined) {
      kept.push(...before.flatMap((tool) => alone(tool, form, ingest)));
      continue;
    }
    // One that had something behind its id may stand alone now.
    const known = isSameBasis ? before.filter(({ id }) => !COLLISION.test(id)) : [];
    const judge = new ListingJudge(entryKind(form, ingest), known, ports);
    read.push({ judge, hashed: await hashListing(entries, (hash) => judge.isKnown(hash), ports.pause) });
  }
  const isWhole = read.length === lists.length;
  const hashes = read.map(({ hashed }) => hashed.hashes);
  const digest = sha256Hex(JSON.stringify(hashes));
  if (isWhole && isSameBasis && isComplete(last) && last.digest === digest && !hashes.flat().includes(""))
    return last;
  for (const { judge, hashed } of read) {
    const { keys, accepted } = await judgeEntries(hashed, judge, server, ingest.report, ports.pause);
    ingest.keys.push(...keys);
    kept.push(...accepted);
  }
  const tools = settleCollisions(kept, kind, ingest);
  const { skipped, findings, omitted } = ingest.report;
  const judged = { keys: [...new Set(ingest.keys)].sort(), tools, skipped, findings, omitted };
  if (isWhole) return { basis, digest, ...judged };
  return isSameBasis || last === undefined ? { basis, ...judged } : judged;
}
