/** What of a text a scan reads; tests count the reads. */
export type Characters = Pick<string, "length" | "charCodeAt">;

/** A stretch of a text, in UTF-16 units, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A literal to look for; `kind` comes back with each place where it stands. */
export interface Literal<Kind> {
  readonly text: string;
  readonly kind: Kind;
}

export interface Scan<Kind> {
  /** Where literals stand, in order. Overlapping places are one, of the kind that was met first. */
  readonly spans: readonly (Span & { readonly kind: Kind })[];
  /** Length of the longest end of the text that is the beginning of a literal. */
  readonly tail: number;
}

interface Node<Kind> {
  readonly depth: number;
  /** The node of the longest proper end of this one's text. */
  fail: number;
  /** The longest literal that ends here. */
  found: { readonly length: number; readonly kind: Kind } | undefined;
}

const UNITS = 0x1_0000;

/**
 * Finds any number of literals in one pass (Aho and Corasick, 1975): each character is read once, and whatever the text,
 * the steps back are no more than the steps forward.
 */
export class LiteralMatcher<Kind> {
  readonly #nodes: Node<Kind>[] = [{ depth: 0, fail: 0, found: undefined }];
  /** By node and character: one map, since most nodes have one way on. */
  readonly #ways = new Map<number, number>();
  /** The characters that any literal begins with: most of a text is passed over by them. */
  readonly #first = new Uint8Array(UNITS);

  constructor(literals: Iterable<Literal<Kind>>) {
    for (const literal of literals) this.#add(literal);
    this.#link();
  }

  scan(text: Characters): Scan<Kind> {
    const spans: (Span & { readonly kind: Kind })[] = [];
    let at = 0;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (at === 0 && this.#first[unit] === 0) continue;
      at = this.#step(at, unit);
      const found = this.#nodes[at]?.found;
      if (found === undefined) continue;
      const end = index + 1;
      let { kind } = found;
      let start = end - found.length;
      for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
        start = Math.min(start, last.start);
        ({ kind } = last);
        spans.pop();
      }
      spans.push({ start, end, kind });
    }
    return { spans, tail: this.#nodes[at]?.depth ?? 0 };
  }

  #add({ text, kind }: Literal<Kind>): void {
    let at = 0;
    this.#first[text.charCodeAt(0)] = 1;
    for (let index = 0; index < text.length; index += 1) {
      const key = at * UNITS + text.charCodeAt(index);
      let next = this.#ways.get(key);
      if (next === undefined) {
        next = this.#nodes.push({ depth: index + 1, fail: 0, found: undefined }) - 1;
        this.#ways.set(key, next);
      }
      at = next;
    }
    const node = this.#nodes[at];
    if (node !== undefined && at !== 0) node.found ??= { length: text.length, kind };
  }

  /** Shallow nodes first, since a node's fallback is always a shallower one. */
  #link(): void {
    const ways = [...this.#ways].map(([key, to]) => {
      const from = Math.floor(key / UNITS);
      return { from, to, unit: key % UNITS, depth: this.#nodes[to]?.depth ?? 0 };
    });
    for (const { from, to, unit } of ways.sort((left, right) => left.depth - right.depth)) {
      const node = this.#nodes[to];
      if (node === undefined) continue;
      if (from !== 0) node.fail = this.#step(this.#nodes[from]?.fail ?? 0, unit);
      node.found ??= this.#nodes[node.fail]?.found;
    }
  }

  #step(from: number, unit: number): number {
    let at = from;
    for (;;) {
      const next = this.#ways.get(at * UNITS + unit);
      if (next !== undefined) return next;
      if (at === 0) return 0;
      at = this.#nodes[at]?.fail ?? 0;
    }
  }
}
