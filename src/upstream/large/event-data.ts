/** A field's name is told by so many characters; `data` and `event` are shorter. */
const FIELD_MAX_CHARS = 6;
/** The only event type that carries messages has seven letters. */
const TYPE_MAX_CHARS = 16;

type Line = "field" | "value" | "other";

/**
 * Takes the data out of one server-sent event (HTML, "Interpreting an event stream") that comes in pieces: the `data`
 * lines, joined by line feeds. Lines end with LF, CR or CRLF, wherever the pieces are cut.
 */
export class EventData {
  readonly #emit: (text: string) => void;
  #line: Line = "field";
  #field = "";
  #type = "";
  /** The value's first character is not here yet: a space there is not of the value. */
  #atValue = false;
  #hasData = false;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    let at = 0;
    while (at < text.length) {
      LINE_END.lastIndex = at;
      const isEnded = LINE_END.test(text);
      const end = isEnded ? LINE_END.lastIndex - 1 : text.length;
      this.#take(text, at, end);
      if (isEnded) this.#endLine();
      at = end + 1;
    }
  }

  /** The event is over: whether it is of the type that carries messages. */
  end(): boolean {
    this.#endLine();
    return this.#type === "" || this.#type === "message";
  }

  #take(text: string, from: number, to: number): void {
    let at = from;
    if (this.#line === "field") {
      // Looked for no further than a name may be long: a line without a colon is not searched for one.
      const head = text.slice(at, Math.min(to, at + FIELD_MAX_CHARS));
      const colon = head.indexOf(":");
      this.#field += colon === -1 ? head : head.slice(0, colon);
      if (colon === -1) {
        if (this.#field.length >= FIELD_MAX_CHARS) this.#line = "other";
        return;
      }
      this.#beginValue();
      at += colon + 1;
    }
    if (this.#line === "other" || at === to) return;
    if (this.#atValue && text[at] === " ") at += 1;
    this.#atValue = false;
    if (at === to) return;
    if (this.#field === "data") this.#emit(text.slice(at, to));
    else this.#type += text.slice(at, Math.min(to, at + TYPE_MAX_CHARS - this.#type.length));
  }

  #beginValue(): void {
    if (this.#field === "data") {
      if (this.#hasData) this.#emit("\n");
      this.#hasData = true;
    } else if (this.#field === "event") this.#type = "";
    else {
      this.#line = "other";
      return;
    }
    this.#line = "value";
    this.#atValue = true;
  }

  #endLine(): void {
    // A field without a colon has an empty value.
    if (this.#line === "field") this.#beginValue();
    this.#line = "field";
    this.#field = "";
  }
}

/** CR and LF in a row are two ends here: the empty line between them says nothing. */
const LINE_END = /[\r\n]/g;
