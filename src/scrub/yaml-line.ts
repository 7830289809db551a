import type { HiddenCount } from "./hidden-count.ts";
import { hiddenText } from "./member-hiding.ts";
import { SCRUBBED } from "./secret-places.ts";

const MEMBER =
  /^([ -]*(?:"[^"]{1,256}"|'[^']{1,256}'|[^\s:#"']{1,256}):[ \t]+["']?)([^\s"'#|>][^\r\n"']*|[|>][+-]?\d?[+-]?)/;
const [SPACE, DASH] = [0x20, 0x2d];
const BLOCK = /^[|>]/;

/** Where a line's own text begins, behind the dashes of a list. */
export function columnOf(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (unit !== SPACE && unit !== DASH) return at;
  }
  return -1;
}

/** What hides the values below a name, line by line: each member's, and the lines of a block of text. */
export class HidingBlock {
  /** Where the member begins whose block this is. */
  #column: number | undefined;

  hide(line: string, hidden: HiddenCount): string {
    const own = columnOf(line);
    if (own === -1) return line;
    if (this.#column !== undefined && own > this.#column) return hiddenLine(line, own, hidden);
    this.#column = undefined;
    const [whole = "", name = "", value = ""] = MEMBER.exec(line) ?? [];
    if (BLOCK.test(value)) {
      this.#column = own;
      return line;
    }
    if (whole === "" || hiddenText("secret", value.trimEnd()) === undefined) return line;
    hidden.add(value);
    return name + SCRUBBED + line.slice(name.length + value.trimEnd().length);
  }
}

/** A line of a block of text. */
export function hiddenLine(line: string, own: number, hidden: HiddenCount): string {
  if (line.slice(own).trimEnd() === SCRUBBED) return line;
  hidden.add(line);
  return line.slice(0, own) + SCRUBBED + (line.endsWith("\r") ? "\r" : "");
}
