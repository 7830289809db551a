export interface TopHit {
  readonly document: number;
  readonly score: number;
}

/** Best first; equal scores in the order of documents, which is the order of ids. */
function isBefore(left: TopHit, right: TopHit): boolean {
  return left.score > right.score || (left.score === right.score && left.document < right.document);
}

/** The best few of many hits, kept in order as they come in: most are turned away by one comparison. */
export class TopHits {
  readonly #size: number;
  readonly #hits: TopHit[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  add(hit: TopHit): void {
    if (this.#hits.length >= this.#size) {
      const last = this.#hits.at(-1);
      if (last === undefined || !isBefore(hit, last)) return;
      this.#hits.pop();
    }
    let low = 0;
    let high = this.#hits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#hits[middle];
      if (other !== undefined && isBefore(hit, other)) high = middle;
      else low = middle + 1;
    }
    this.#hits.splice(low, 0, hit);
  }

  /** Best first. */
  get best(): readonly TopHit[] {
    return this.#hits;
  }
}
