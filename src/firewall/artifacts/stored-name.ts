/** The lifetime classes, in days. */
export type ClassDays = 1 | 7 | 30;

/** What is written without a class, and was before there were classes. */
export const DEFAULT_CLASS_DAYS: ClassDays = 7;

const CLASSES: readonly ClassDays[] = [30, 7, 1];
const DAY_MS = 86_400_000;
const STORED_NAME = /^(d(?:1|7|30))\/(\d{27}|x[0-9a-z]{16,64})$/;
const NO_NAME_CHARACTER = /[^0-9a-z]/g;

/** The class asked for, then the others, the longest lives first. */
export function classesFrom(first: ClassDays): readonly ClassDays[] {
  return [first, ...CLASSES.filter((days) => days !== first)];
}

export function lifetimeMs(days: ClassDays): number {
  return days * DAY_MS;
}

/**
 * A name in the store: `d7/<handle>` for what is put at once, `d7/x<random>` for an upload. The owner is no part of it: it
 * always comes from who asks, so that no name reaches another's bytes.
 */
export function nameOfHandle(days: ClassDays, handle: string): string {
  return `d${days}/${handle}`;
}

/** A name for an upload out of an id that is unique for ever. */
export function nameOfUpload(days: ClassDays, id: string): string {
  return `d${days}/x${id.toLowerCase().replace(NO_NAME_CHARACTER, "")}`;
}

/** The class of a name; `null` for a text that is none. */
export function classOfName(storedAs: string): ClassDays | null {
  const prefix = STORED_NAME.exec(storedAs)?.[1];
  return CLASSES.find((days) => `d${days}` === prefix) ?? null;
}

/** The bucket's key: the class is its beginning, since lifecycle rules go by prefix. `null` for a text that is no name. */
export function keyOf(owner: string, storedAs: string): string | null {
  const [, prefix, name] = STORED_NAME.exec(storedAs) ?? [];
  return prefix === undefined || name === undefined ? null : `${prefix}/${owner}/${name}`;
}
