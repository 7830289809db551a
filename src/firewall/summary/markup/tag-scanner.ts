/** Hears what goes by in HTML or XML. */
export interface TagEvents {
  text(text: string): void;
  /** `attributes`: the beginning of what is behind the name, as it is written. `line` from 0. */
  open(name: string, attributes: string, selfClosing: boolean, line: number): void;
  close(name: string): void;
}

type State = "text" | "mark" | "tag" | "comment" | "declaration" | "cdata" | "raw" | "raw_mark";

/** Of a tag; what is behind it is read over. */
const TAG_CHARS = 1_024;
const MARK_CHARS = 9;
/** What is in them is no markup. Of these, the text of titles is text. */
const RAW: ReadonlySet<string> = new Set([
  "script",
  "style",
  "title",
  "textarea",
  "noscript",
  "template",
  "svg",
]);
const CDATA = "<![CDATA[";

/**
 * Finds the tags of HTML or XML, piece by piece. Comments, scripts and styles go by unheard. Not a parser: what is not closed is
 * not closed, and nothing is put where it belongs.
 */
export class TagScanner {
  readonly #events: TagEvents;
  readonly #html: boolean;
  #state: State = "text";
  #line = 0;
  #tagLine = 0;
  /** The tag, or the mark with which one begins, as far as it has come. */
  #tag = "";
  /** The quote within which a tag's end is none; the last sign of the tag that is no white space. */
  #quote = "";
  #lastSign = "";
  #raw = "";
  /** The end of a comment or of character data, as far as it has come. */
  #tail = "";

  constructor(events: TagEvents, html: boolean) {
    this.#events = events;
    this.#html = html;
  }

  get retainedChars(): number {
    return this.#tag.length + this.#tail.length;
  }

  push(piece: string): void {
    let at = 0;
    while (at < piece.length) {
      const state = this.#state;
      if (state === "text") at = this.#inText(piece, at);
      else if (state === "raw") at = this.#inRaw(piece, at);
      else if (state === "comment") at = this.#until(piece, at, "-->");
      else if (state === "cdata") at = this.#until(piece, at, "]]>");
      else {
        if (piece.charCodeAt(at) === 0x0a) this.#line += 1;
        this.#sign(piece.charAt(at));
        at += 1;
      }
    }
  }

  #inText(piece: string, from: number): number {
    const mark = piece.indexOf("<", from);
    const to = mark < 0 ? piece.length : mark;
    this.#countLines(piece, from, to);
    if (to > from) this.#events.text(piece.slice(from, to));
    if (mark < 0) return to;
    this.#state = "mark";
    this.#tag = "<";
    return mark + 1;
  }

  #inRaw(piece: string, from: number): number {
    const mark = piece.indexOf("<", from);
    const to = mark < 0 ? piece.length : mark;
    this.#countLines(piece, from, to);
    if (this.#raw === "title" && to > from) this.#events.text(piece.slice(from, to));
    if (mark < 0) return to;
    this.#state = "raw_mark";
    this.#tag = "<";
    return mark + 1;
  }

  #countLines(piece: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) if (piece.charCodeAt(at) === 0x0a) this.#line += 1;
  }

  #sign(sign: string): void {
    switch (this.#state) {
      case "mark":
        this.#inMark(sign);
        break;
      case "raw_mark":
        this.#inRawMark(sign);
        break;
      case "tag":
        this.#inTag(sign);
        break;
      case "declaration":
        if (sign === ">") this.#state = "text";
        break;
      case "comment":
      case "cdata":
      case "text":
      case "raw":
        break;
    }
  }

  /** To the mark that ends a comment or character data, whose text is text. */
  #until(piece: string, from: number, end: string): number {
    if (this.#tail === "") {
      const first = piece.indexOf(end.charAt(0), from);
      const to = first < 0 ? piece.length : first;
      this.#countLines(piece, from, to);
      if (this.#state === "cdata" && to > from) this.#events.text(piece.slice(from, to));
      if (to > from) return to;
    }
    const sign = piece.charAt(from);
    const tail = this.#tail + sign;
    if (tail === end) {
      this.#state = "text";
      this.#tail = "";
    } else if (end.startsWith(tail)) this.#tail = tail;
    else if (tail.endsWith(end.slice(0, 2))) this.#tail = end.slice(0, 2);
    else {
      if (this.#state === "cdata") this.#events.text(this.#tail);
      this.#tail = "";
      // Looked at again, since it may begin the end itself or be a line's end.
      return from;
    }
    return from + 1;
  }

  /** Behind `<`, until it is known what begins. */
  #inMark(sign: string): void {
    const mark = this.#tag + sign;
    if (mark === "</" || (mark.startsWith("<!") && mark.length < MARK_CHARS && isPrefix(mark))) {
      this.#tag = mark;
    } else if (mark === "<!--") this.#enter("comment");
    else if (mark === CDATA) this.#enter("cdata");
    else if (mark.startsWith("<!") || mark === "<?") {
      this.#enter("declaration");
      if (sign === ">") this.#state = "text";
    } else if (/^<\/?[A-Za-z_]$/.test(mark)) {
      this.#state = "tag";
      this.#tag = mark;
      this.#tagLine = this.#line;
      this.#quote = "";
      this.#lastSign = sign;
    } else if (sign === "<") {
      this.#events.text(this.#tag);
      this.#tag = "<";
    } else {
      this.#events.text(mark);
      this.#state = "text";
    }
  }

  #enter(state: State): void {
    this.#state = state;
    this.#tail = "";
    this.#tag = "";
  }

  #inTag(sign: string): void {
    if (this.#quote !== "") {
      if (sign === this.#quote) this.#quote = "";
    } else if (sign === ">") {
      this.#endTag();
      return;
    } else if ((sign === '"' || sign === "'") && this.#lastSign === "=") this.#quote = sign;
    if (sign.trim() !== "") this.#lastSign = sign;
    if (this.#tag.length < TAG_CHARS) this.#tag += sign;
  }

  #endTag(): void {
    const closing = this.#tag.startsWith("</");
    const body = this.#tag.slice(closing ? 2 : 1);
    const end = body.search(/[\s/]/);
    const written = end < 0 ? body : body.slice(0, end);
    const name = this.#html ? written.toLowerCase() : written;
    this.#tag = "";
    this.#state = "text";
    if (closing) return this.#events.close(name);
    const selfClosing = this.#lastSign === "/";
    this.#events.open(name, end < 0 ? "" : body.slice(end), selfClosing, this.#tagLine);
    if (this.#html && RAW.has(name) && !(selfClosing && name === "svg")) {
      this.#raw = name;
      this.#state = "raw";
    }
  }

  /** Only the closing tag of the same name ends what is no markup. */
  #inRawMark(sign: string): void {
    const end = `</${this.#raw}`;
    const mark = `${this.#tag}${sign.toLowerCase()}`;
    if (this.#tag === end && /[\s/>]/.test(sign)) {
      this.#state = "tag";
      this.#quote = "";
      this.#lastSign = "";
      this.#inTag(sign);
    } else if (end.startsWith(mark)) this.#tag = mark;
    else {
      if (this.#raw === "title") this.#events.text(mark);
      this.#state = sign === "<" ? "raw_mark" : "raw";
      this.#tag = "<";
    }
  }
}

function isPrefix(mark: string): boolean {
  return "<!--".startsWith(mark) ? mark !== "<!--" : CDATA.startsWith(mark);
}
