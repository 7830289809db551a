import { documentTerms } from "../../../src/records/search/terms.ts";
import { type Random, seededRandom } from "../tools/random.ts";

/** The stream that is measured: mail, as the read surface is mostly about. */
export const CONNECTOR = "benchmail";
export const STREAM = "messages";

export const MANIFEST = {
  protocol_version: "0.1.0",
  connector_id: CONNECTOR,
  connector_key: CONNECTOR,
  display_name: "Bench mail",
  version: "1.0.0",
  streams: [
    {
      name: STREAM,
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          sender: { type: "string" },
          folder: { type: "string" },
          size: { type: "integer" },
          sent_at: { type: "string", format: "date-time" },
          subject: { type: "string" },
          body: { type: "string" },
        },
      },
      query: {
        range_filters: { sent_at: ["gte", "gt", "lte", "lt"], size: ["gte", "lte"] },
        search: { lexical_fields: ["subject", "body"] },
        aggregations: {
          count: true,
          sum: ["size"],
          group_by: ["sender", "folder"],
          group_by_time: ["sent_at"],
        },
      },
    },
  ],
};

/** One letter's words, and its terms as the index has them: what takes long to make, and is shared by many letters. */
export interface Text {
  readonly subject: string;
  readonly body: string;
  readonly subjectTerms: string;
  readonly bodyTerms: string;
}

const WORDS = 3_000;
const TEXTS = 8_000;
const SUBJECT_WORDS = 4;
const BODY_WORDS = 16;
const SYLLABLES = [
  "ba",
  "co",
  "di",
  "fe",
  "gu",
  "ha",
  "jo",
  "ka",
  "li",
  "mo",
  "nu",
  "pe",
  "ra",
  "so",
  "ti",
  "vu",
];
const SEED = 7;

/** Letters' texts; a word's frequency is about one over its rank, as in any language. */
export function makeTexts(): Text[] {
  const random = seededRandom(SEED);
  const words = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  return Array.from({ length: TEXTS }, () => {
    const [subject, body] = [textOf(words, SUBJECT_WORDS, random), textOf(words, BODY_WORDS, random)];
    return { subject, body, subjectTerms: termsOf(subject), bodyTerms: termsOf(body) };
  });
}

/** The word whose share of the texts is nearest to `share`. */
export function wordInShare(texts: readonly Text[], share: number): string {
  const counts = new Map<string, number>();
  for (const { subject, body } of texts) {
    for (const word of new Set(`${subject} ${body}`.split(" ")))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const distance = ([, count]: readonly [string, number]): number => Math.abs(count / texts.length - share);
  const [nearest] = [...counts].sort((left, right) => distance(left) - distance(right));
  return nearest?.[0] ?? "";
}

function wordOf(rank: number): string {
  const syllable = (place: number): string => SYLLABLES[place % SYLLABLES.length] ?? "";
  return syllable(rank) + syllable(Math.floor(rank / 16)) + syllable(Math.floor(rank / 256) + 3);
}

function textOf(words: readonly string[], count: number, random: Random): string {
  // The inverse of a distribution in which each doubling of the rank is as likely as the last.
  const draw = (): string => words[Math.floor(WORDS ** random.next()) - 1] ?? "";
  return Array.from({ length: count }, draw).join(" ");
}

function termsOf(text: string): string {
  return Array.from(documentTerms(text), ({ term }) => term).join(" ");
}
