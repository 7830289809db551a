const SPACES = /[\p{Z}\s]+/gu;
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    ndash: "–",
    mdash: "—",
    hellip: "…",
  }),
);
/** `&eacute;` and the like: a letter and its accent. */
const ACCENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    grave: "\u0300",
    acute: "\u0301",
    circ: "\u0302",
    tilde: "\u0303",
    uml: "\u0308",
    ring: "\u030a",
    cedil: "\u0327",
    caron: "\u030c",
  }),
);
const ENTITY = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;
const LAST_CODE_POINT = 0x10_ff_ff;

/** The beginning of what goes by as text between tags. */
export class Words {
  #text = "";
  readonly #maxChars: number;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(text: string): void {
    const room = this.#maxChars - this.#text.length;
    if (room <= 0) return;
    // Indentation must not use up the room; a little more than there is room for, for what it is.
    const words = text.slice(0, 4 * this.#maxChars).replace(SPACES, " ");
    this.#text += (this.#text === "" || this.#text.endsWith(" ") ? words.trimStart() : words).slice(0, room);
  }

  /** Between elements, words stand apart. */
  space(): void {
    if (this.#text !== "" && this.#text.length < this.#maxChars) this.#text += " ";
  }

  get units(): number {
    return this.#text.length;
  }

  toString(): string {
    return decodeEntities(this.#text.trim());
  }
}

export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      const accent = ACCENTS.get(name.slice(1));
      return (
        ENTITIES.get(name) ?? (accent === undefined ? whole : `${name.charAt(0)}${accent}`.normalize("NFC"))
      );
    }
    const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : whole;
  });
}
