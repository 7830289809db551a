import { looksLikeCode } from "./code-like.ts";
import type { HiddenCount } from "./hidden-count.ts";
import type { GiveLine, LineRedaction } from "./line-redaction.ts";
import { hiddenText, regardOfMember } from "./member-hiding.ts";
import { namesSecret } from "./secret-names.ts";
import { columnOf, hiddenLine } from "./yaml-line.ts";

const NAME = `[ -]*(["']?)([\\p{L}_][\\p{L}\\p{M}\\p{N}_ .-]{0,62})\\1`;
/** A name with nothing behind its colon, or the sign of a block of text. */
const OPENING = new RegExp(`^${NAME}:[ \\t]*([|>][+-]?\\d?[+-]?)?[ \\t\\r]*$`, "u");
const MAY_OPEN = /:(?:[ \t]+[|>][\d+-]*)?\s*$/;
const MEMBER = new RegExp(`^${NAME}:[ \\t]+(["']?)([^\\s"']+)\\3[ \\t\\r]*$`, "u");
const ITEM = /^[ ]*(?:- +)+(["']?)([^\s"':]+)\1[ \t\r]*$/;
const OPENING_MAX_CHARS = 128;

/**
 * Takes out what YAML has below a name that says secret: the lines of its block of text, and of its members and items those
 * that look like codes, since a sentence ends in a colon too and a list may follow it.
 */
export class NestedRedaction implements LineRedaction {
  readonly #hidden: HiddenCount;
  #under: { readonly name: string; readonly column: number; readonly isBlock: boolean } | undefined;

  constructor(hidden: HiddenCount) {
    this.#hidden = hidden;
  }

  get isInside(): boolean {
    return this.#under !== undefined;
  }

  line(line: string, give: GiveLine): void {
    const own = columnOf(line);
    if (own === -1) {
      if (line.startsWith("---")) this.#under = undefined;
      give(line);
      return;
    }
    if (this.#under !== undefined && own <= this.#under.column) this.#under = undefined;
    if (this.#under === undefined) {
      this.#under = openedBy(line, own);
      give(line);
      return;
    }
    const { isBlock, name } = this.#under;
    give(isBlock ? hiddenLine(line, own, this.#hidden) : hiddenBelow(name, line, this.#hidden));
  }

  release(): void {
    // Nothing waits.
  }
}

function openedBy(
  line: string,
  column: number,
): { readonly name: string; readonly column: number; readonly isBlock: boolean } | undefined {
  if (line.length > OPENING_MAX_CHARS || !MAY_OPEN.test(line)) return undefined;
  const [, , name, block] = OPENING.exec(line) ?? [];
  return name === undefined || !namesSecret(name)
    ? undefined
    : { name, column, isBlock: block !== undefined };
}

function hiddenBelow(under: string, line: string, hiddenCount: HiddenCount): string {
  const [, , name, quote = "", member] = MEMBER.exec(line) ?? [];
  const [, itemQuote = "", item] = member === undefined ? (ITEM.exec(line) ?? []) : [];
  const value = member ?? item;
  if (value === undefined) return line;
  const regard = name === undefined ? { under } : regardOfMember({ under }, name);
  if (typeof regard !== "object" || !looksLikeCode(value)) return line;
  const hidden = hiddenText(regard.under, value);
  if (hidden === undefined) return line;
  hiddenCount.add(value);
  const end = line.trimEnd().length - (quote + itemQuote).length;
  return line.slice(0, end - value.length) + hidden + line.slice(end);
}
