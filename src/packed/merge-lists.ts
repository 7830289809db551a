import { compareCodePoints } from "../code-points.ts";
import type { Lists } from "./lists.ts";
import { arrayFor, bytesOf } from "./numbers.ts";
import { SliceWriter } from "./slice-writer.ts";
import { compareBytes, encodeText } from "./text.ts";

const WEIGHT_MAX = 0xff_ff;

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

  sorted() {
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

/**
 * What the lists are when documents come and go, in one pass: `moved` gives each old document's new place, -1 for one that
 * is gone, in ascending order. A key that nothing is left of goes too, so that the result is what a new start would give.
 */
export function mergeLists(
  before: Before,
  moved: Int32Array,
  collected: Collected,
  documentCount: number,
): MergedLists {
  const fresh = collected.sorted();
  const most = before.numbers.length + collected.count;
  const documents = arrayFor(documentCount, most);
  const weights = new Uint16Array(most);
  const starts: number[] = [0];
  const keys = new SliceWriter();
  let end = 0;
  const movedKeys = new Int32Array(before.keys.count).fill(-1);
  const added: NewKey[] = [];
  const put = (document: number, weight: number): void => {
    documents[end] = document;
    weights[end] = Math.min(WEIGHT_MAX, weight);
    end += 1;
  };
  let [old, young] = [0, 0];
  let nextKey = encodeText(fresh[0]?.key ?? "");
  while (old < before.keys.count || young < fresh.length) {
    const next = fresh[young];
    const oldKey = before.keys.bytes(old);
    const order = next === undefined ? -1 : old >= before.keys.count ? 1 : compareBytes(oldKey, nextKey);
    const list = order >= 0 ? next : undefined;
    let entry = 0;
    const [documentsOfList, weightsOfList] = [list?.documents ?? [], list?.weights ?? []];
    const putBefore = (document: number): void => {
      while (entry < documentsOfList.length && (documentsOfList[entry] ?? 0) < document) {
        put(documentsOfList[entry] ?? 0, weightsOfList[entry] ?? 0);
        entry += 1;
      }
    };
    if (order <= 0) {
      const last = before.starts[old + 1] ?? 0;
      for (let at = before.starts[old] ?? 0; at < last; at += 1) {
        const document = moved[before.numbers[at] ?? 0] ?? -1;
        if (document < 0) continue;
        putBefore(document);
        put(document, before.weights?.[at] ?? 0);
      }
      old += 1;
    }
    putBefore(documentCount);
    const isEmpty = end === starts.at(-1);
    if (!isEmpty) {
      const place = starts.length - 1;
      if (order <= 0) movedKeys[old - 1] = place;
      else added.push({ key: next?.key ?? "", place });
      keys.bytes(order <= 0 ? oldKey : nextKey);
      starts.push(end);
    }
    if (order >= 0) {
      young += 1;
      nextKey = encodeText(fresh[young]?.key ?? "");
    }
  }
  return {
    keys: { count: starts.length - 1, moved: movedKeys, added },
    sections: [keys.pack(), bytesOf(Uint32Array.from(starts)), bytesOf(documents.slice(0, end))],
    weights: bytesOf(weights.slice(0, end)),
  };
}
