import { HIDDEN_MAY_BE_PLAIN_CHARS } from "../limits.ts";
import { decodedString } from "./json-string.ts";
import { hiddenText, hidesNumber } from "./member-hiding.ts";
import type { RedactingFilter } from "./redaction.ts";
import { SCRUBBED } from "./secret-places.ts";

/** A value under a name that says secret, where it is no object or array: the mark in its place, in quotes if it is JSON. */
export class HiddenStream implements RedactingFilter {
  readonly #under: string;
  /** While it may be as short as a word that stands for none. */
  #held = "";
  #count = 0;

  constructor(under: string) {
    this.#under = under;
  }

  readonly count = (): number => this.#count;

  push(piece: string): string {
    if (this.#count === 0) this.#held += piece;
    return this.#held.length > HIDDEN_MAY_BE_PLAIN_CHARS ? this.#hide() : "";
  }

  end(): string {
    const text = this.#held;
    if (text === "" || JSON_WORD.test(text)) return text;
    const said = decodedString(text.trim());
    if (said !== undefined) return hiddenText(this.#under, said) === undefined ? text : this.#hide();
    const isHidden = JSON_NUMBER.test(text)
      ? hidesNumber(this.#under, undefined, text.trim())
      : hiddenText(this.#under, text) !== undefined;
    return isHidden ? this.#hide() : text;
  }

  #hide(): string {
    const isJson = /^\s*"/.test(this.#held) || JSON_NUMBER.test(this.#held);
    this.#held = "";
    this.#count += 1;
    return isJson ? JSON.stringify(SCRUBBED) : SCRUBBED;
  }
}

const JSON_WORD = /^\s*(?:true|false|null)\s*$/;
const JSON_NUMBER = /^\s*-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s*$/;
