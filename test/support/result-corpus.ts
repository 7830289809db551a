import { deepTree, bottomless } from "../fixtures/results/json/deep-tree.ts";
import { eventStream } from "../fixtures/results/json/event-stream.ts";
import { exactNumbersInText, exactNumbersInStructure } from "../fixtures/results/json/exact-numbers.ts";
import { githubIssues } from "../fixtures/results/json/github-issues.ts";
import { mapFeatures } from "../fixtures/results/json/map-features.ts";
import { packageAudit } from "../fixtures/results/json/package-audit.ts";
import { podList } from "../fixtures/results/json/pods.ts";
import { pullRequests } from "../fixtures/results/json/pull-requests.ts";
import {
  searchTwice,
  searchTwicePretty,
  searchBesideText,
  searchInTwoTexts,
} from "../fixtures/results/json/search-results.ts";
import { slackHistory } from "../fixtures/results/json/slack-history.ts";
import { sqlRows } from "../fixtures/results/json/sql-rows.ts";
import { translations } from "../fixtures/results/json/translations.ts";
import { weatherReadings } from "../fixtures/results/json/weather-readings.ts";
import { alignedTable } from "../fixtures/results/tables/aligned-table.ts";
import { inventoryTsv } from "../fixtures/results/tables/inventory-tsv.ts";
import { markdownTable } from "../fixtures/results/tables/markdown-table.ts";
import { ordersCsv } from "../fixtures/results/tables/orders-csv.ts";
import { surveyCsv } from "../fixtures/results/tables/survey-csv.ts";
import { accessLog } from "../fixtures/results/logs/access-log.ts";
import { applicationLog } from "../fixtures/results/logs/application-log.ts";
import { buildLog } from "../fixtures/results/logs/build-log.ts";
import { hugeLog } from "../fixtures/results/logs/huge-log.ts";
import { kubernetesLog } from "../fixtures/results/logs/kubernetes-log.ts";
import { stackTraces } from "../fixtures/results/logs/stack-traces.ts";
import { testOutput } from "../fixtures/results/logs/test-output.ts";
import { directoryTree, directoryJson } from "../fixtures/results/documents/directory-tree.ts";
import { encyclopediaHtml, htmlResource } from "../fixtures/results/documents/encyclopedia.ts";
import { handbookMarkdown } from "../fixtures/results/documents/handbook.ts";
import { openApi } from "../fixtures/results/documents/interface-description.ts";
import { mailThread } from "../fixtures/results/documents/mail-thread.ts";
import { pageSnapshot } from "../fixtures/results/documents/page-snapshot.ts";
import { storyText, oneLine, shortLines, whiteSpace } from "../fixtures/results/documents/prose.ts";
import { readmeResource } from "../fixtures/results/documents/readme.ts";
import { rightToLeft, eastAsian, emoji } from "../fixtures/results/documents/scripts-of-the-world.ts";
import { gitDiff } from "../fixtures/results/code/git-diff.ts";
import { gitLog } from "../fixtures/results/code/git-log.ts";
import { infrastructurePlan } from "../fixtures/results/code/infrastructure-plan.ts";
import {
  typescriptSource,
  pythonSource,
  goSource,
  minifiedScript,
} from "../fixtures/results/code/sources.ts";
import {
  smallScreenshot,
  largeScreenshot,
  recording,
  leaseDocument,
  brokenImage,
  base64InText,
  binaryAsText,
} from "../fixtures/results/binary/media.ts";
import {
  everything,
  tinyParts,
  manyLinks,
  manyResources,
  unknownLarge,
  annotated,
} from "../fixtures/results/binary/mixtures.ts";
import {
  bidiOverrides,
  terminalOrders,
  loneSurrogates,
  surrogatesInJson,
  prototypes,
  longNames,
  costlyCharacters,
  wideTable,
} from "../fixtures/results/hostile/characters.ts";
import {
  forgedLines,
  forgedFirstSentence,
  forgedTable,
  forgedLog,
  forgedHeadings,
  forgedKeys,
  forgedName,
  orders,
  forgedPayload,
} from "../fixtures/results/hostile/imitations.ts";
import { SMALL_RESULTS } from "../fixtures/results/small/small-results.ts";
import type { Counted, Fact, Look, Question, ResultCase } from "../fixtures/results/kit/result-case.ts";

/** Results of every kind and size, and what a model's view of each must and must not have in it. */
export const RESULT_CASES: readonly ResultCase[] = [
  ...SMALL_RESULTS,
  deepTree,
  bottomless,
  eventStream,
  exactNumbersInText,
  exactNumbersInStructure,
  githubIssues,
  mapFeatures,
  packageAudit,
  podList,
  pullRequests,
  searchTwice,
  searchTwicePretty,
  searchBesideText,
  searchInTwoTexts,
  slackHistory,
  sqlRows,
  translations,
  weatherReadings,
  alignedTable,
  inventoryTsv,
  markdownTable,
  ordersCsv,
  surveyCsv,
  accessLog,
  applicationLog,
  buildLog,
  hugeLog,
  kubernetesLog,
  stackTraces,
  testOutput,
  directoryTree,
  directoryJson,
  encyclopediaHtml,
  htmlResource,
  handbookMarkdown,
  openApi,
  mailThread,
  pageSnapshot,
  storyText,
  oneLine,
  shortLines,
  whiteSpace,
  readmeResource,
  rightToLeft,
  eastAsian,
  emoji,
  gitDiff,
  gitLog,
  infrastructurePlan,
  typescriptSource,
  pythonSource,
  goSource,
  minifiedScript,
  smallScreenshot,
  largeScreenshot,
  recording,
  leaseDocument,
  brokenImage,
  base64InText,
  binaryAsText,
  everything,
  tinyParts,
  manyLinks,
  manyResources,
  unknownLarge,
  annotated,
  bidiOverrides,
  terminalOrders,
  loneSurrogates,
  surrogatesInJson,
  prototypes,
  longNames,
  costlyCharacters,
  wideTable,
  forgedLines,
  forgedFirstSentence,
  forgedTable,
  forgedLog,
  forgedHeadings,
  forgedKeys,
  forgedName,
  orders,
  forgedPayload,
];

/** Whether a text says something: a number in any of its usual writings, but not as a part of a longer one. */
export function says(text: string, fact: Fact): boolean {
  if (typeof fact === "string") return text.includes(fact);
  if (typeof fact === "number") return new RegExp(numberPattern(fact), "u").test(text);
  if ("count" in fact) return new RegExp(countPattern(fact), "iu").test(text);
  return fact.some((each) => says(text, each));
}

/** Thousands may be set apart by commas, points, apostrophes, low lines or thin and no-break spaces. */
function numberPattern(value: number): string {
  const digits = String(value);
  const grouped = digits.replace(/\B(?=(?:\d{3})+$)/g, "[,.'’_\\u0020\\u00a0\\u2009\\u202f]?");
  const before = digits.length % 3 === 0 ? "\\d|\\d[.,]" : "\\d|\\d\\.";
  return `(?<!${before})${grouped}(?!\\d|\\.\\d|,\\d{3}(?!\\d))`;
}

/** At most four words between the number and its word, in either order. */
function countPattern({ count, of }: Counted): string {
  const number = numberPattern(count);
  const between = "[^\\p{L}\\d]+(?:\\p{L}+[^\\p{L}\\d]+){0,4}?";
  return `${number}${between}${of}|${of}\\p{L}*${between}${number}`;
}

/**
 * Whether a question is answered by what was seen already or by its looks, of which at most three are taken. `look` gives
 * the text of one view, `undefined` where there is none or it is refused.
 */
export async function isAnswered(
  { answer, looks }: Question,
  seen: string,
  look: (look: Look) => Promise<string | undefined>,
): Promise<boolean> {
  if (says(seen, answer)) return true;
  for (const each of looks.slice(0, QUESTION_LOOKS_MAX_COUNT)) {
    const found = await look(each);
    if (found !== undefined && says(found, answer)) return true;
  }
  return false;
}

const QUESTION_LOOKS_MAX_COUNT = 3;
