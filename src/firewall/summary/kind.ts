import { SUMMARY_LINE_HEAD_CHARS } from "../../limits.ts";
import { CodeAnalyser } from "./code/code-analyser.ts";
import { type Language, languageSaid, languageSeen } from "./code/languages.ts";
import { DiffAnalyser, looksLikeDiff } from "./diff/diff-analyser.ts";
import type { Analyser, SummaryHint } from "./analyser.ts";
import { JsonAnalyser } from "./json/json-analyser.ts";
import { JsonLogAnalyser, looksLikeJsonLog } from "./lines/json-log-analyser.ts";
import { CommitsAnalyser, commitsForm } from "./lines/commits-analyser.ts";
import { BlocksAnalyser, blocksForm } from "./lines/blocks-analyser.ts";
import { looksLikeRun, RunAnalyser } from "./lines/run-analyser.ts";
import { LogAnalyser, looksLikeLog } from "./lines/log-analyser.ts";
import { looksLikePlan, PlanAnalyser } from "./lines/plan-analyser.ts";
import { looksLikeTrace, TraceAnalyser } from "./lines/trace-analyser.ts";
import { HtmlAnalyser } from "./markup/html-analyser.ts";
import { looksLikeMarkdown, MarkdownAnalyser } from "./markup/markdown-analyser.ts";
import { XmlAnalyser } from "./markup/xml-analyser.ts";
import { gridForm } from "./table/grid-lines.ts";
import { GRIDS } from "./table/grid-splitter.ts";
import { looksSpaced, SPACED } from "./table/spaced-splitter.ts";
import { wordsForm } from "./table/words-splitter.ts";
import { TableAnalyser } from "./table/table-analyser.ts";
import { isOneColumn, preambleOf, tableDelimiter } from "./table/looks-like-table.ts";

/** The beginning of a text, and what is said of it. */
interface Beginning {
  readonly head: string;
  readonly whole: boolean;
  /** The lines of the beginning that are whole, or what there is of the first one; of long ones their heads. */
  readonly lines: readonly string[];
  readonly language: Language | undefined;
}

type Kind =
  | "json"
  | "diff"
  | "xml"
  | "html"
  | "table"
  | "markdown"
  | "commits"
  | "plan"
  | "blocks"
  | "run"
  | "log"
  | "trace"
  | "code";

/** In this order where nothing is said: what is told most surely comes first. */
const KINDS: readonly Kind[] = [
  "json",
  "diff",
  "xml",
  "html",
  "table",
  "commits",
  "plan",
  "blocks",
  "log",
  "run",
  "trace",
  "markdown",
  "code",
];

/** Of media types and of the ends of names, `+json` and `+xml` included. */
const SAID: readonly [RegExp, Kind][] = [
  [
    /^(?:application|text)\/(?:[\w.+-]*\+)?(?:json|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|geo\+json)$/,
    "json",
  ],
  [/^text\/(?:csv|tab-separated-values|tsv)$/, "table"],
  [/^text\/(?:x-)?markdown$/, "markdown"],
  [/^(?:text\/html|application\/xhtml\+xml)$/, "html"],
  [/^(?:text|application)\/(?:[\w.-]+\+)?xml$/, "xml"],
  [/^(?:text|application)\/(?:x-)?(?:diff|patch)$/, "diff"],
  [/^(?:text|application)\/(?:x-)?log$/, "log"],
];
const ENDINGS: readonly [RegExp, Kind][] = [
  [/\.(?:json|ndjson|jsonl|geojson|ipynb|webmanifest)$/i, "json"],
  [/\.(?:csv|tsv|tab)$/i, "table"],
  [/\.(?:md|markdown|mdx)$/i, "markdown"],
  [/\.x?html?$/i, "html"],
  [/\.(?:xml|rss|atom|svg|xsd|pom)$/i, "xml"],
  [/\.(?:diff|patch)$/i, "diff"],
  [/\.log$/i, "log"],
];

/**
 * What reads a text of this beginning, nothing for plain text. `whole`: whether nothing follows. The hint's kind is tried
 * first and taken where the beginning bears it out; then every other kind, by what the beginning looks like.
 */
export function analyserFor(head: string, whole: boolean, hint: SummaryHint): Analyser | undefined {
  if (hint.isPlain === true) return undefined;
  const mediaType = (hint.mediaType ?? "").toLowerCase().split(";", 1)[0]?.trim() ?? "";
  const name = (hint.name ?? "").slice(-256).split(/[?#]/, 1)[0] ?? "";
  const beginning: Beginning = {
    head,
    whole,
    lines: linesOf(head, whole),
    language: languageSaid(mediaType, name),
  };
  const said = saidKind(mediaType, name) ?? (beginning.language === undefined ? undefined : "code");
  const first = said === undefined ? undefined : tryKind(said, beginning, true);
  if (first !== undefined) return first;
  for (const kind of KINDS) {
    const found = kind === said ? undefined : tryKind(kind, beginning, false);
    if (found !== undefined) return found;
  }
  return undefined;
}

function saidKind(mediaType: string, name: string): Kind | undefined {
  const byType = SAID.find(([pattern]) => pattern.test(mediaType))?.[1];
  return byType ?? ENDINGS.find(([pattern]) => pattern.test(name))?.[1];
}

function tryKind(kind: Kind, beginning: Beginning, said: boolean): Analyser | undefined {
  const { head, whole, lines, language } = beginning;
  switch (kind) {
    case "json":
      if (!looksLikeJson(head, said)) return undefined;
      return looksLikeJsonLog(wholeLinesOf(head, whole)) ? new JsonLogAnalyser() : new JsonAnalyser();
    case "diff":
      return looksLikeDiff(lines) ? new DiffAnalyser() : undefined;
    case "xml":
      return /^\ufeff?\s*<\?xml\b/.test(head) || (said && /^\s*<[A-Za-z_!]/.test(head))
        ? xmlOrHtml(head)
        : undefined;
    case "html":
      if (!looksLikeHtml(head, said)) return undefined;
      // Markdown may begin with a picture in the middle.
      if (!said && !HTML_DOCUMENT.test(head) && looksLikeMarkdown(lines, false, false)) return undefined;
      return new HtmlAnalyser();
    case "table":
      return tableOf(beginning, said);
    case "markdown":
      return looksLikeMarkdown(lines, said, !said && languageSeen(lines) !== undefined)
        ? new MarkdownAnalyser()
        : undefined;
    case "commits": {
      const form = commitsForm(lines);
      return form === undefined ? undefined : new CommitsAnalyser(form);
    }
    case "plan":
      return looksLikePlan(lines) ? new PlanAnalyser() : undefined;
    case "log":
      if (said && looksLikeJsonLog(wholeLinesOf(head, whole))) return new JsonLogAnalyser();
      return looksLikeLog(lines) ? new LogAnalyser() : undefined;
    case "blocks": {
      const form = blocksForm(lines);
      return form === undefined ? undefined : new BlocksAnalyser(form);
    }
    case "run":
      return looksLikeRun(lines) ? new RunAnalyser() : undefined;
    case "trace":
      return looksLikeTrace(lines) ? new TraceAnalyser() : undefined;
    case "code": {
      const seen = said ? language : languageSeen(lines);
      return seen === undefined ? undefined : new CodeAnalyser(seen);
    }
  }
}

function tableOf({ head, whole, lines }: Beginning, said: boolean): Analyser | undefined {
  const grid = gridForm(lines);
  if (grid !== undefined) return new TableAnalyser(GRIDS[grid], said);
  const delimiter = tableDelimiter(head, whole, said);
  // Lines of a log may have as many commas each, and dates in front.
  if (delimiter !== undefined && (said || !looksLikeLog(lines))) return new TableAnalyser(delimiter, said);
  const preamble = preambleOf(head);
  const below = preamble === undefined ? undefined : tableDelimiter(head.slice(preamble.units), whole, false);
  if (below !== undefined) return new TableAnalyser(below, said, preamble?.lines);
  if (said && isOneColumn(head, whole)) return new TableAnalyser(",", said);
  if (looksSpaced(lines)) return new TableAnalyser(SPACED, said);
  const words = looksLikeLog(lines) ? undefined : wordsForm(lines);
  return words === undefined ? undefined : new TableAnalyser(words, said);
}

/** The least that must be read before a fault, for a broken text to be JSON that is broken. */
const READ_MIN_POINTS = 64;
const READ_MIN_MEMBERS = 2;

/** Whether a text begins with an object or an array, as far as it can be seen. Text in brackets is no JSON. */
function looksLikeJson(head: string, said: boolean): boolean {
  const begins = /^\ufeff?\s*[[{]/.test(head);
  if (!begins && !(said && /^\ufeff?\s*["0-9tfn-]/.test(head))) return false;
  const trial = new JsonAnalyser();
  trial.push(head);
  const { fault } = trial;
  if (fault === undefined) return true;
  if (!begins) return false;
  if (trial.values > READ_MIN_MEMBERS) return true;
  return trial.values === 1 && !trial.complete && (said || fault.points >= READ_MIN_POINTS);
}

const HTML_DOCUMENT = /<(?:!doctype html|html|body)\b/i;
const HTML_BEGINS =
  /^\ufeff?\s*(?:<!--[^>]{0,2000}-->\s*)*<(?:!doctype html|html|head|body|div|p|table|section|article|main|h[1-6]|ul|ol|span|a|meta|title|form|nav|header)\b/i;

function looksLikeHtml(head: string, said: boolean): boolean {
  return HTML_BEGINS.test(head) || (said && /<[a-z][^<>]{0,500}>/i.test(head));
}

function xmlOrHtml(head: string): Analyser {
  return /<html[\s>]/i.test(head.slice(0, 2_048)) ? new HtmlAnalyser() : new XmlAnalyser();
}

function linesOf(head: string, whole: boolean): string[] {
  // As they are read later, and so that no pattern walks a long line twice.
  return wholeLinesOf(head, whole).map((line) => line.slice(0, SUMMARY_LINE_HEAD_CHARS));
}

function wholeLinesOf(head: string, whole: boolean): string[] {
  const lines = head.split(/\r?\n/);
  // The last one may be cut.
  if (!whole && lines.length > 1) lines.pop();
  return lines;
}
