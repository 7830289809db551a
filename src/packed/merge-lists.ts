import { compareCodePoints } from "../code-points.ts";
import type { Lists } from "./lists.ts";
import { arrayFor, bytesOf } from "./numbers.ts";
import { SliceWriter } from "./slice-writer.ts";

const WEIGHT_MAX = 0xff_ff;

interface List {
  readonly key: string;
  /** Ascending. */
  readonly documents: readonly number[];
  readonly weights: readonly number[];
}

/** Lists of documents, each with a weight, that are collected document by document in ascending order. */
export class Collected {
  readonly #lists = new Map<string, { readonly documents: number[]; readonly weights: number[] }>();
  #count = 0;

  add(key: string, document: number, weight: number): void {
    let list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, (list = { documents: [], weights: [] }));
    list.documents.push(document);
    list.weights.push(weight);
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  sorted(): List[] {
    return Array.from(this.#lists, ([key, list]) => ({ key, ...list })).sort((left, right) =>
      compareCodePoints(left.key, right.key),
    );
  }
}

/** A key that the lists before did not have, and where it stands now. */
export interface NewKey {
  readonly key: string;
  readonly place: number;
}

/** Merged lists, packed: texts, starts, documents, and the weights in the same order. */
export interface MergedLists {
  readonly keys: {
    readonly count: number;
    /** By its place before, each key's place now; -1 for one that is gone. */
    readonly moved: Int32Array;
    /** In their order. */
    readonly added: readonly NewKey[];
  };
  readonly sections: readonly [Uint8Array, Uint8Array, Uint8Array];
  readonly weights: Uint8Array;
}

interface Before extends Lists {
  readonly weights?: ArrayLike<number>;
}

/** A place among the keys before where something changes. */
interface Edit {
  /** The key before that is another list now; or the one that a new key stands in front of. */
  readonly at: number;
  readonly isNew: boolean;
  readonly fresh: List | undefined;
}

/** The keys of lists that lose a document, ascending. */
function losingKeys({ starts, numbers }: Lists, moved: Int32Array): number[] {
  const losing: number[] = [];
  let key = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    if ((moved[numbers[at] ?? 0] ?? -1) >= 0) continue;
    while ((starts[key + 1] ?? Number.POSITIVE_INFINITY) <= at) key += 1;
    if (losing.at(-1) !== key) losing.push(key);
  }
  return losing;
}

/** Every place where something changes, in order. */
function editsOf(before: Lists, moved: Int32Array, fresh: readonly List[]): Edit[] {
  const losing = losingKeys(before, moved);
  const edits: Edit[] = [];
  let lost = 0;
  for (const list of fresh) {
    const { place: at, isHere } = before.keys.placeOf(list.key);
    for (; (losing[lost] ?? Number.POSITIVE_INFINITY) < at; lost += 1) {
      edits.push({ at: losing[lost] ?? 0, isNew: false, fresh: undefined });
    }
    if (isHere && losing[lost] === at) lost += 1;
    edits.push({ at, isNew: !isHere, fresh: list });
  }
  for (const at of losing.slice(lost)) edits.push({ at, isNew: false, fresh: undefined });
  return edits;
}

/** What is merged so far. */
class Merged {
  readonly #before: Before;
  readonly #moved: Int32Array;
  readonly #keys = new SliceWriter();
  readonly #starts: Uint32Array;
  readonly #documents: Uint16Array | Uint32Array;
  readonly #weights: Uint16Array;
  readonly #movedKeys: Int32Array;
  readonly #added: NewKey[] = [];
  #count = 0;
  #end = 0;

  constructor(before: Before, moved: Int32Array, fresh: Collected, freshKeys: number, documentCount: number) {
    const most = before.numbers.length + fresh.count;
    this.#before = before;
    this.#moved = moved;
    this.#starts = new Uint32Array(before.keys.count + freshKeys + 1);
    this.#documents = arrayFor(documentCount, most);
    this.#weights = new Uint16Array(most);
    this.#movedKeys = new Int32Array(before.keys.count).fill(-1);
  }

  /** Lists that nothing comes to and nothing goes from, from one key before to another: their documents move, that is all. */
  keep(from: number, to: number): void {
    if (from >= to) return;
    const { keys, starts, numbers, weights } = this.#before;
    this.#keys.slices(keys, from, to);
    const [first, last] = [starts[from] ?? 0, starts[to] ?? 0];
    const shift = this.#end - first;
    for (let at = first; at < last; at += 1) {
      this.#documents[at + shift] = this.#moved[numbers[at] ?? 0] ?? 0;
      this.#weights[at + shift] = weights?.[at] ?? 0;
    }
    for (let key = from; key < to; key += 1) {
      this.#movedKeys[key] = this.#count;
      this.#count += 1;
      this.#starts[this.#count] = (starts[key + 1] ?? 0) + shift;
    }
    this.#end += last - first;
  }

  /** A key's list of before without the documents that are gone, and with new ones; a key that nothing is left of goes too. */
  change(key: number, fresh: List | undefined): void {
    const { keys, starts, numbers, weights } = this.#before;
    const from = this.#end;
    let next = 0;
    for (let at = starts[key] ?? 0; at < (starts[key + 1] ?? 0); at += 1) {
      const document = this.#moved[numbers[at] ?? 0] ?? -1;
      if (document < 0) continue;
      next = this.#putUntil(document, fresh, next);
      this.#put(document, weights?.[at] ?? 0);
    }
    this.#putUntil(Number.POSITIVE_INFINITY, fresh, next);
    if (this.#end === from) return;
    this.#keys.bytes(keys.bytes(key));
    this.#movedKeys[key] = this.#endKey();
  }

  add(fresh: List): void {
    this.#putUntil(Number.POSITIVE_INFINITY, fresh, 0);
    this.#keys.text(fresh.key);
    this.#added.push({ key: fresh.key, place: this.#endKey() });
  }

  packed(): MergedLists {
    return {
      keys: { count: this.#count, moved: this.#movedKeys, added: this.#added },
      sections: [
        this.#keys.pack(),
        bytesOf(this.#starts.slice(0, this.#count + 1)),
        bytesOf(this.#documents.slice(0, this.#end)),
      ],
      weights: bytesOf(this.#weights.slice(0, this.#end)),
    };
  }

  #put(document: number, weight: number): void {
    this.#documents[this.#end] = document;
    this.#weights[this.#end] = Math.min(WEIGHT_MAX, weight);
    this.#end += 1;
  }

  /** Puts those of a list's documents that come before one; gives the place of the next. */
  #putUntil(document: number, fresh: List | undefined, from: number): number {
    if (fresh === undefined) return from;
    let next = from;
    for (; (fresh.documents[next] ?? Number.POSITIVE_INFINITY) < document; next += 1) {
      this.#put(fresh.documents[next] ?? 0, fresh.weights[next] ?? 0);
    }
    return next;
  }

  #endKey(): number {
    this.#count += 1;
    this.#starts[this.#count] = this.#end;
    return this.#count - 1;
  }
}

/**
 * What the lists are when documents come and go: `moved` gives each old document's new place, -1 for one that is gone, in
 * ascending order. A key that nothing is left of goes too, so that the result is what a new start would give. Only lists that
 * something comes to or goes from are looked at one by one; what is between them is copied in stretches.
 */
export function mergeLists(
  before: Before,
  moved: Int32Array,
  collected: Collected,
  documentCount: number,
): MergedLists {
  const fresh = collected.sorted();
  const merged = new Merged(before, moved, collected, fresh.length, documentCount);
  let old = 0;
  for (const { at, isNew, fresh: list } of editsOf(before, moved, fresh)) {
    merged.keep(old, at);
    old = at;
    if (isNew && list !== undefined) merged.add(list);
    if (isNew) continue;
    merged.change(at, list);
    old = at + 1;
  }
  merged.keep(old, before.keys.count);
  return merged.packed();
}
