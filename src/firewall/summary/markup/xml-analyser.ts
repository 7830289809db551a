import { compareCodePoints } from "../../../code-points.ts";
import type { Analyser, Summary } from "../analyser.ts";
import { counted, grouped, owned } from "../cut.ts";
import { fit, listed } from "../fit.ts";
import { keyText } from "../json/value-text.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { quoted, seen } from "../neutral.ts";
import { type TagEvents, TagScanner } from "./tag-scanner.ts";
import { Words } from "./words.ts";

const NAMES_MAX_COUNT = 96;
const NAME_MAX_CHARS = 64;
const LEAVES_KEPT_COUNT = 16;
const LEAF_CHARS = 120;
const LEAF_POINTS = 60;

/** XML: its root, how many elements of each name there are, and the first texts. */
export class XmlAnalyser implements Analyser, TagEvents {
  readonly #scanner = new TagScanner(this, false);
  readonly #lines = new LineSplitter(() => {});
  readonly #names = new Map<string, number>();
  #elements = 0;
  #closed = 0;
  #unnamed = 0;
  #root = "";
  #leaf: { readonly name: string; readonly words: Words } | undefined;
  readonly #leaves: string[] = [];

  push(piece: string): void {
    this.#scanner.push(piece);
    this.#lines.push(piece);
  }

  finish(): Summary | undefined {
    const lines = this.#lines.finish();
    if (this.#elements === 0) return undefined;
    return {
      kind: "xml",
      text: fit((room) => this.#compose(room, lines)),
      views: [
        { selector: { type: "head", chars: 4_000 }, label: "the beginning" },
        { selector: { type: "lines", start: -Math.min(lines, 40) }, label: "the end" },
      ],
    };
  }

  get retainedChars(): number {
    const held = this.#scanner.retainedChars + this.#lines.retainedChars + (this.#leaf?.words.units ?? 0);
    return [...this.#names.keys(), ...this.#leaves, this.#root].reduce(
      (sum, text) => sum + text.length,
      held,
    );
  }

  text(text: string): void {
    this.#leaf?.words.add(text);
  }

  open(name: string, _attributes: string, selfClosing: boolean): void {
    const known = owned(name.slice(0, NAME_MAX_CHARS));
    if (this.#elements === 0) this.#root = known;
    this.#elements += 1;
    if (selfClosing) this.#closed += 1;
    const count = this.#names.get(known);
    if (name.length <= NAME_MAX_CHARS && (count !== undefined || this.#names.size < NAMES_MAX_COUNT)) {
      this.#names.set(known, (count ?? 0) + 1);
    } else this.#unnamed += 1;
    this.#leaf =
      selfClosing || this.#leaves.length >= LEAVES_KEPT_COUNT
        ? undefined
        : { name: known, words: new Words(LEAF_CHARS) };
  }

  close(name: string): void {
    this.#closed += 1;
    const leaf = this.#leaf;
    this.#leaf = undefined;
    const words = leaf?.words.toString() ?? "";
    if (leaf === undefined || words === "" || !name.startsWith(leaf.name)) return;
    this.#leaves.push(`${keyText(leaf.name)} ${quoted(seen(words, LEAF_POINTS))}`);
  }

  #compose(room: number, lines: number): string[] {
    const names = [...this.#names]
      .sort(([left, one], [right, other]) => other - one || compareCodePoints(left, right))
      .map(([name, count]) => `${keyText(name)} ${grouped(count)}`);
    const others = this.#unnamed === 0 ? "" : `, other names ${grouped(this.#unnamed)}`;
    const cut = this.#closed < this.#elements ? "; not all of them are closed" : "";
    return [
      `XML of ${counted(lines, "line")}: root ${keyText(this.#root)}, ${counted(this.#elements, "element")}${cut}`,
      `elements by name: ${listed(names, room * 0.4)}${others}`,
      this.#leaves.length === 0 ? "" : `first texts: ${listed(this.#leaves, room * 0.4)}`,
    ];
  }
}
