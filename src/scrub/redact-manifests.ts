import { REDACT_MANIFEST_MAX_CHARS, REDACT_WAITING_LINE_CHARS } from "../limits.ts";
import type { HiddenCount } from "./hidden-count.ts";
import type { GiveLine, LineRedaction } from "./line-redaction.ts";
import { columnOf, HidingBlock } from "./yaml-line.ts";

const KIND = /^[ -]*kind:[ \t]*["']?([^\s"']*)["']?[ \t\r]*$/;
const SECRET = "Secret";
const DATA = /^[ -]*(?:data|stringData):[ \t\r]*$/;
const END = /^(?:---|\.\.\.)/;

/** An object of YAML whose members begin at a column. */
interface Manifest {
  readonly column: number;
  kind: "unknown" | "secret" | "other";
  /** What hides its data, while the lines of those go by. */
  data: HidingBlock | undefined;
}

/** A line that waits for the kind of the manifest whose data it is in. */
interface WaitingLine {
  readonly line: string;
  readonly of: { readonly manifest: Manifest; readonly data: HidingBlock } | undefined;
}

/**
 * Takes the values out of `data` and `stringData` of Kubernetes' secrets in YAML, whatever they are called. The kind of a
 * manifest stands behind them as often as before, so that they wait for it.
 */
export class ManifestRedaction implements LineRedaction {
  readonly #hidden: HiddenCount;
  /** From the outermost on. */
  readonly #open: Manifest[] = [];
  #waiting: WaitingLine[] = [];
  #waitingChars = 0;

  constructor(hidden: HiddenCount) {
    this.#hidden = hidden;
  }

  /** Lines that wait lose something by their kind, which may stand behind a line of any length. */
  get isInside(): boolean {
    return this.#waiting.length > 0 || this.#open.some(({ data }) => data !== undefined);
  }

  line(line: string, give: GiveLine): void {
    const holder = this.#enter(line, columnOf(line));
    const data = holder?.data;
    const of = holder === undefined || data === undefined ? undefined : { manifest: holder, data };
    if (this.#waiting.length === 0 && of?.manifest.kind !== "unknown") {
      give(this.#clean({ line, of }));
      return;
    }
    this.#waiting.push({ line, of });
    this.#waitingChars += line.length + REDACT_WAITING_LINE_CHARS;
    if (this.#waitingChars > REDACT_MANIFEST_MAX_CHARS) this.release(give);
    else this.#settle(give);
  }

  /** Data that nobody told the kind of is no secret's; a manifest whose data has not come may still tell its kind. */
  release(give: GiveLine): void {
    for (const { of } of this.#waiting) if (of?.manifest.kind === "unknown") of.manifest.kind = "other";
    this.#settle(give);
  }

  /** The manifest in whose data the line is, if it is in any. */
  #enter(line: string, own: number): Manifest | undefined {
    const isEnd = END.test(line);
    if (own === -1 && !isEnd) return undefined;
    const isItem = own > 1 && line.charAt(own - 2) === "-";
    for (let last = this.#open.at(-1); last !== undefined; last = this.#open.at(-1)) {
      if (!isEnd && last.column < own + (isItem ? 0 : 1)) break;
      if (last.kind === "unknown") last.kind = "other";
      this.#open.pop();
    }
    if (isEnd) return undefined;
    const holder = this.#open.find(({ data, column }) => data !== undefined && column < own);
    if (holder !== undefined) return holder;
    let manifest = this.#open.at(-1);
    if (manifest?.column !== own) {
      manifest = { column: own, kind: "unknown", data: undefined };
      this.#open.push(manifest);
    }
    // Most lines are neither, which is known without an expression.
    manifest.data = line.includes("ata:") && DATA.test(line) ? new HidingBlock() : undefined;
    if (manifest.kind !== "unknown" || !line.includes("kind:")) return undefined;
    const [, kind] = KIND.exec(line) ?? [];
    if (kind !== undefined) manifest.kind = kind === SECRET ? "secret" : "other";
    return undefined;
  }

  /** Gives all up to the first line that still waits. */
  #settle(give: GiveLine): void {
    const first = this.#waiting.findIndex(({ of }) => of?.manifest.kind === "unknown");
    if (first === 0) return;
    const settled = first === -1 ? this.#waiting : this.#waiting.slice(0, first);
    this.#waiting = first === -1 ? [] : this.#waiting.slice(first);
    this.#waitingChars = this.#waiting.reduce(
      (sum, { line }) => sum + line.length + REDACT_WAITING_LINE_CHARS,
      0,
    );
    for (const each of settled) give(this.#clean(each));
  }

  #clean({ line, of }: WaitingLine): string {
    return of?.manifest.kind === "secret" ? of.data.hide(line, this.#hidden) : line;
  }
}
