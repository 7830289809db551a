import { compareCodePoints } from "../../code-points.ts";
import { finiteJson } from "../../exact-json/finite.ts";
import { parseWritten } from "../../exact-json/parse.ts";
import { resolveCollisions } from "../../identity/collisions.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { isRecord } from "../../json.ts";
import { LEFT_OUT_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import type { OtherKind } from "../catalog.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { digestLists, hashListing } from "./hash-listing.ts";
import { type IngestServer, isAgain, isComplete, judgeEntries } from "./ingest.ts";
import { IngestReport, reportName } from "./ingest-report.ts";
import { judgePrimitive, primitiveBasis, type PrimitiveForm, readPrimitive } from "./judge-primitive.ts";
import { judgementKey } from "./judge-tool.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { type EntryKind, type JudgementPorts, keptTool, ListingJudge } from "./listing-judge.ts";
import type { CounterFault, KeptTool, Listing, RefreshPorts } from "./refresh-ports.ts";

/** One list of a kind; without entries it could not be read, and what was listed last stays. */
export interface PrimitiveList {
  readonly form: PrimitiveForm;
  readonly entries: ListedEntry[] | undefined;
}

export interface PrimitivePorts extends JudgementPorts {
  readonly loadCounter: RefreshPorts["loadCounter"];
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
    judge: async (definition) => {
      const counter = await ports.loadCounter();
      return counter.ok ? ok(judgePrimitive(form, definition, server, counter.value)) : counter;
    },
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
async function judgeBehind(
  tool: KeptTool,
  form: PrimitiveForm,
  behind: string,
  { server, ports, report, keys }: Ingest,
): Promise<Result<readonly KeptTool[], CounterFault>> {
  const key = judgementKey(basisOf(form, server), `${tool.definitionHash}${behind}`);
  let judged = ports.recall(key);
  if (judged === undefined) {
    const json = ports.definition(tool.definitionHash);
    const written = json === undefined ? undefined : parseWritten(json);
    if (json === undefined || !isRecord(written)) return ok([]);
    const counter = await ports.loadCounter();
    if (!counter.ok) return counter;
    const { upstreamName: name, definitionBytes: bytes, definitionHash: hash } = tool;
    const definition = { written, value: finiteJson(written), name, json, bytes, hash };
    const made = judgePrimitive(form, definition, server, counter.value, behind);
    judged = made.judged;
    ports.keep(key, judged, made.analysed && { definition: json, analysed: made.analysed });
  }
  keys.push(key);
  if (judged.kind === "accepted") return ok([keptTool(key, tool.textHash, judged)]);
  report.skip(reportName(tool.upstreamName), judged.reason);
  return ok([]);
}

/**
 * Distinct ids (seed 000 §9.3), whatever order the entries came in: by the upstream's own names in code point order, and of two
 * with one name the resource before the template.
 */
async function settleCollisions(
  tools: readonly KeptTool[],
  kind: OtherKind,
  ingest: Ingest,
): Promise<Result<readonly KeptTool[], CounterFault>> {
  const sorted = [...tools].sort(
    (left, right) =>
      compareCodePoints(left.upstreamName, right.upstreamName) ||
      Number(left.isTemplate ?? false) - Number(right.isTemplate ?? false),
  );
  const ids = resolveCollisions(sorted.map(({ id }) => id));
  const settled: KeptTool[] = [];
  for (const [at, tool] of sorted.entries()) {
    const id = ids[at] ?? tool.id;
    if (id === tool.id) {
      settled.push(tool);
      continue;
    }
    const judged = await judgeBehind(tool, formOf(tool, kind), id.slice(tool.id.length), ingest);
    if (!judged.ok) return judged;
    settled.push(...judged.value);
  }
  return ok(settled);
}

/**
 * What may be read of all that was judged: nothing that has the very address of something that `exclude` left out under another
 * of its names, and a template without variables only where it is no listed resource. Where a template could give what was left
 * out, that is told; more than can be kept costs the templates their places.
 */
function readable(
  kept: readonly KeptTool[],
  excluded: ReadonlySet<string>,
  report: IngestReport,
): { readonly tools: readonly KeptTool[]; readonly leftOut: readonly string[] } {
  const listed = new Set(kept.flatMap((tool) => (tool.isTemplate === true ? [] : [tool.upstreamName])));
  const tools = kept.filter(
    ({ isTemplate, upstreamName: text }) =>
      !excluded.has(text) && !(isTemplate === true && !text.includes("{") && listed.has(text)),
  );
  const isOpen = ({ isTemplate, upstreamName }: KeptTool): boolean =>
    isTemplate === true && upstreamName.includes("{");
  if (!tools.some(isOpen)) return { tools, leftOut: [] };
  const leftOut = [...excluded].sort(compareCodePoints);
  if (utf8Length(JSON.stringify(leftOut)) <= LEFT_OUT_MAX_BYTES) return { tools, leftOut };
  for (const { upstreamName } of tools.filter(isOpen)) {
    report.skip(reportName(upstreamName), "excludes_too_much");
  }
  return { tools: tools.filter((tool) => !isOpen(tool)), leftOut: [] };
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
): Promise<Result<Listing | undefined, CounterFault>> {
  if (last === undefined && lists.every(({ entries = [] }) => entries.length === 0)) return ok(undefined);
  const basis = sha256Hex(canonicalJson(lists.map(({ form }) => primitiveBasis(form, server))));
  const isSameBasis = last?.basis === basis;
  const texts = lists.flatMap(({ entries }) => (entries === undefined ? [] : [entries]));
  const isWhole = texts.length === lists.length;
  const digest = isWhole ? await digestLists(texts, ports.pause) : "";
  if (isSameBasis && isComplete(last) && isAgain(last, digest)) {
    for (const entries of texts) entries.length = 0;
    return ok(last);
  }
  const ingest: Ingest = { server, ports, report: new IngestReport(), keys: [] };
  const read: { readonly judge: ListingJudge; readonly hashed: Awaited<ReturnType<typeof hashListing>> }[] =
    [];
  const kept: KeptTool[] = [];
  // What `exclude` leaves out by a name is told by the resources' list alone: without it no template is taken anew.
  const isBlind =
    server.exclude.length > 0 &&
    lists.some(({ form, entries }) => form === "resource" && entries === undefined);
  for (const { form, entries } of lists) {
    const before = (last?.tools ?? []).filter((tool) => formOf(tool, kind) === form);
    if (entries === undefined || (isBlind && form === "template")) {
      if (entries !== undefined) entries.length = 0;
      kept.push(...before.flatMap((tool) => alone(tool, form, ingest)));
      continue;
    }
    // One that had something behind its id may stand alone now.
    const known = isSameBasis ? before.filter(({ id }) => !COLLISION.test(id)) : [];
    const judge = new ListingJudge(entryKind(form, ingest), known, ports);
    read.push({ judge, hashed: await hashListing(entries, (hash) => judge.isKnown(hash), ports.pause) });
  }
  const excluded = new Set(isWhole ? [] : last?.leftOut);
  for (const { judge, hashed } of read) {
    const judged = await judgeEntries(hashed, judge, server, ingest.report, ports.pause);
    if (!judged.ok) return judged;
    ingest.keys.push(...judged.value.keys);
    kept.push(...judged.value.accepted);
    for (const name of judged.value.excluded) excluded.add(name);
  }
  const { tools: open, leftOut } = readable(kept, excluded, ingest.report);
  const settled = await settleCollisions(open, kind, ingest);
  if (!settled.ok) return settled;
  const { skipped, findings, omitted } = ingest.report;
  const judged = {
    keys: [...new Set(ingest.keys)].sort(),
    tools: settled.value,
    skipped,
    findings,
    omitted,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
  if (isWhole) return ok({ basis, digest, ...judged });
  return ok(isSameBasis || last === undefined ? { basis, ...judged } : judged);
}
