import { sha256Hex } from "../../../identity/digest.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { groupBy } from "../group-by.ts";

/** A field of a covered feed that is searched. */
export interface SearchedField {
  readonly feed: CoveredFeed;
  readonly field: string;
}

/** The fields of the feeds that are found by their words and that the grant covers. */
export function searchedFields(feeds: readonly CoveredFeed[]): readonly SearchedField[] {
  return feeds.flatMap((feed) =>
    feed.stream.lexicalFields
      .filter((field) => feed.fields?.has(field) ?? true)
      .map((field) => ({ feed, field })),
  );
}

/** What is searched of each connector, as a number: another one where its manifest has other words found. */
export function connectorDigests(fields: readonly SearchedField[]): readonly number[] {
  const byConnector = groupBy(fields, ({ feed }) => feed.connectorKey);
  return [...byConnector].map(([connector, own]) => {
    const named = new Set(own.map(({ feed, field }) => JSON.stringify([feed.stream.name, field])));
    return Number.parseInt(sha256Hex(JSON.stringify([connector, [...named].toSorted()])).slice(0, 8), 16);
  });
}

/** A text before every canonical time, and one after. */
const BEFORE_TIMES = "";
const AFTER_TIMES = ":";

/** What a statement is told of the searched fields: `[feed, field, has times, since, until, has keys]`, in their order. */
export function scopeParameter(fields: readonly SearchedField[]): string {
  return JSON.stringify(
    fields.map(({ feed: { feedId, since, until, resources }, field }) => [
      feedId,
      field,
      Number(since !== null || until !== null),
      since ?? BEFORE_TIMES,
      until ?? AFTER_TIMES,
      Number(resources !== null),
    ]),
  );
}

/** The records that are covered one by one: `[[feed, [key, …]], …]`. */
export function keysParameter(fields: readonly SearchedField[]): string {
  const keys = new Map<number, readonly string[]>();
  for (const { feed } of fields) if (feed.resources !== null) keys.set(feed.feedId, feed.resources);
  return JSON.stringify([...keys]);
}
