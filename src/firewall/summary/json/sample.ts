import { SUMMARY_SAMPLE_MAX_CHARS } from "../../../limits.ts";
import { owned } from "../cut.ts";
import type { ScannedText } from "./scanner.ts";
import { keyText, stringText } from "./value-text.ts";

/** Of an element's own members all are kept while there is room, of what is in them so many, and below only the number. */
const INNER_MAX_COUNT = 4;
/** What a member costs beside its value. */
const MEMBER_CHARS = 4;
const ADDRESS = /^https?:/;

interface Branch {
  readonly array: boolean;
  readonly children: { key: ScannedText | undefined; node: Node }[];
  size: number;
}
type Node = Branch | { readonly string: ScannedText } | { readonly word: string };

/** One element as it goes by: as much of its beginning as may be shown. */
export class Sample {
  #root: Node | undefined;
  readonly #open: Branch[] = [];
  /** Brackets that are open, kept or not. */
  #depth = 0;
  #key: ScannedText | undefined;
  #chars = 0;
  #done = false;
  #addressed = false;

  /** Whether the element is over. */
  get done(): boolean {
    return this.#done;
  }

  open(array: boolean): void {
    const branch: Branch = { array, children: [], size: 0 };
    const kept = this.#add(branch, MEMBER_CHARS);
    if (kept) this.#open.push(branch);
    this.#depth += 1;
  }

  close(): void {
    if (this.#depth === this.#open.length) this.#open.pop();
    this.#depth -= 1;
    if (this.#depth === 0) this.#done = true;
  }

  key(text: ScannedText): void {
    this.#key = text;
  }

  string(text: ScannedText): void {
    const address = ADDRESS.test(text.head);
    // Records of web APIs are full of addresses, each made from the one before.
    if (address && this.#addressed && this.#depth === 1) this.#skip();
    else this.#add({ string: text }, Math.min(text.head.length, 40));
    this.#addressed ||= address;
    this.#scalar();
  }

  word(text: ScannedText): void {
    this.#add({ word: text.whole ? text.head : `${text.head}…` }, text.head.length);
    this.#scalar();
  }

  /** In memory of its own. */
  settle(): void {
    if (this.#root !== undefined) this.#root = settled(this.#root);
  }

  text(room: number): string {
    return this.#root === undefined ? "" : write(this.#root, room);
  }

  get retainedChars(): number {
    return this.#root === undefined ? 0 : charsOf(this.#root);
  }

  #skip(): void {
    this.#key = undefined;
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.size += 1;
  }

  #scalar(): void {
    if (this.#depth === 0) this.#done = true;
  }

  #add(node: Node, chars: number): boolean {
    const key = this.#key;
    this.#key = undefined;
    if (this.#depth === 0) {
      this.#root = node;
      return true;
    }
    if (this.#depth > this.#open.length) return false;
    const parent = this.#open.at(-1);
    if (parent === undefined) return false;
    parent.size += 1;
    const level = this.#open.length;
    if (level > 2 || (level === 2 && parent.size > INNER_MAX_COUNT)) return false;
    const cost = chars + MEMBER_CHARS + (key?.head.length ?? 0);
    if (this.#chars + cost > SUMMARY_SAMPLE_MAX_CHARS) {
      // Nothing behind it is kept either, so that what is shown is a beginning.
      this.#chars = SUMMARY_SAMPLE_MAX_CHARS;
      return false;
    }
    this.#chars += cost;
    parent.children.push({ key, node });
    return true;
  }
}

/** The first elements of an array or of a sequence, and the last one. */
export class Samples {
  readonly first: Sample[] = [];
  last: Sample | undefined;
  readonly #firstCount: number;

  constructor(firstCount: number) {
    this.#firstCount = firstCount;
  }

  begin(): Sample {
    const sample = new Sample();
    if (this.first.length < this.#firstCount) this.first.push(sample);
    else this.last = sample;
    return sample;
  }

  settle(): void {
    for (const sample of this.first) sample.settle();
    this.last?.settle();
  }

  get retainedChars(): number {
    return [...this.first, this.last].reduce((sum, sample) => sum + (sample?.retainedChars ?? 0), 0);
  }
}

function write(node: Node, room: number): string {
  if ("word" in node) return node.word;
  if ("string" in node) return stringText(node.string);
  const [left, right] = node.array ? "[]" : "{}";
  let text = "";
  let shown = 0;
  for (const { key, node: child } of node.children) {
    const value = write(child, Math.floor(room / 2));
    const member = key === undefined ? value : `${keyText(key.head, key.whole)}:${value}`;
    if (text !== "" && text.length + member.length > room) break;
    text += shown === 0 ? member : `,${member}`;
    shown += 1;
  }
  const hidden = node.size - shown;
  const rest = hidden === 0 ? "" : `${shown === 0 ? "" : ","}…${hidden}${shown === 0 ? "" : " more"}`;
  return `${left}${text}${rest}${right}`;
}

function settled(node: Node): Node {
  if ("word" in node) return { word: owned(node.word) };
  if ("string" in node) return { string: own(node.string) };
  for (const child of node.children) {
    child.node = settled(child.node);
    if (child.key !== undefined) child.key = own(child.key);
  }
  return node;
}

function own(text: ScannedText): ScannedText {
  return { ...text, head: owned(text.head) };
}

function charsOf(node: Node): number {
  if ("word" in node) return node.word.length;
  if ("string" in node) return node.string.head.length;
  return node.children.reduce(
    (sum, { key, node: child }) => sum + (key?.head.length ?? 0) + charsOf(child),
    0,
  );
}
