import { VIEW_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { utf8Bytes } from "../result/utf8.ts";
import { hasUnseen } from "../../unseen.ts";
import { readResume, resumeText, scanBytes } from "./json/resume.ts";
import { compactInto, documentStart, OPEN_OBJECT, Room } from "./json/scan.ts";
import { type Found, JsonWalk, type Step } from "./json/walk.ts";
import { shownNames } from "./names.ts";
import { type TextShape, textView, type View, type ViewPlan, viewProblem, type ViewProblem } from "./plan.ts";
import type { Selector, SelectorOf } from "./selector.ts";

type KeysSelector = SelectorOf<"json_keys">;

const encoder = new TextEncoder();
const CLOSE = "}";

/**
 * Top-level members of an object with their values as written, as one object in the document's order. One answer is one
 * object, unless a value is too long for it: then the next answer begins with the rest of that value. Keys that the
 * document does not have are named in a second line once it was read to its end.
 */
export function planJsonKeys(shape: TextShape, selector: KeysSelector): Result<ViewPlan, ViewProblem> {
  const { offset = 0, resume, keys } = selector;
  const state = resume === undefined ? undefined : readResume(resume);
  const fresh = keys.some(hasUnseen) ? "json_keys" : ({ type: "json_keys", keys } as const);
  if ((resume === undefined) !== (state === undefined) || (state === undefined && offset > 0)) {
    return viewProblem("offset and resume come from next, both or neither", [fresh]);
  }
  if (offset > shape.sizeBytes) return viewProblem("offset is behind the artifact's end", [fresh]);
  return ok({
    offset,
    length: Math.min(scanBytes(state), shape.sizeBytes - offset),
    finish: (bytes) => {
      if (state === undefined && bytes[documentStart(bytes)] !== OPEN_OBJECT) return noObject();
      const trail: readonly Step[] = [{ kind: "names", names: new Set(keys) }];
      return new KeysReader(shape, selector, bytes, new JsonWalk(bytes, trail, state)).read();
    },
  });
}

class KeysReader {
  readonly #shape: TextShape;
  readonly #selector: KeysSelector;
  readonly #bytes: Uint8Array;
  readonly #walk: JsonWalk;
  readonly #offset: number;
  /** The document ends with these bytes. */
  readonly #whole: boolean;
  readonly #left: Set<string>;
  readonly #shown: string[] = [];
  readonly #room: Room;

  constructor(shape: TextShape, selector: KeysSelector, bytes: Uint8Array, walk: JsonWalk) {
    this.#shape = shape;
    this.#selector = selector;
    this.#bytes = bytes;
    this.#walk = walk;
    this.#offset = selector.offset ?? 0;
    this.#whole = this.#offset + bytes.length >= shape.sizeBytes;
    this.#left = new Set(selector.keys);
    this.#room = new Room(VIEW_MAX_BYTES - utf8Bytes(CLOSE + missingLine(selector.keys)));
  }

  read(): Result<View, ViewProblem> {
    if (this.#walk.state().within?.wanted !== true) this.#room.put(encoder.encode("{"));
    for (;;) {
      const found = this.#walk.next();
      if (found === "broken") return noObject();
      if (found === "over" || (found === "more" && this.#whole)) return this.#over(found);
      if (found === "more") {
        if (this.#left.size === 0) return this.#answer(CLOSE, undefined);
        // A name longer than a whole read.
        return this.#walk.at === 0 ? noObject() : this.#answer(CLOSE, this.#goOn([...this.#left]));
      }
      const answer = this.#show(found);
      if (answer !== undefined) return answer;
    }
  }

  /** Shows a member if there is room; else ends the answer. */
  #show(found: Found): Result<View, ViewProblem> | undefined {
    const { name = this.#selector.keys[0] ?? "" } = found;
    const begins = found.name !== undefined;
    const before = this.#room.length;
    const label = begins ? `${this.#shown.length > 0 ? "," : ""}${JSON.stringify(name)}:` : "";
    const fits = utf8Bytes(label) < this.#room.left;
    if (fits) this.#room.put(encoder.encode(label));
    const copied = fits ? compactInto(this.#room, this.#bytes, found.start, found.end, found.before) : null;
    if (copied?.end === found.end && (found.inside === null || this.#whole)) {
      this.#left.delete(name);
      this.#shown.push(name);
      this.#walk.leave({ ...found, inside: null });
      return undefined;
    }
    if (copied === null || (begins && this.#shown.length > 0)) {
      // Only a value that is the answer's first is cut.
      this.#room.length = before;
      this.#walk.putBack(found);
      return this.#answer(CLOSE, this.#goOn([...this.#left]));
    }
    this.#left.delete(name);
    this.#shown.push(name);
    this.#walk.leave(found, copied);
    return this.#answer("", this.#goOn([name, ...this.#left]));
  }

  /** The document was read to its end; what was not found is not there. */
  #over(end: "over" | "more"): Result<View, ViewProblem> {
    if (end === "more" || this.#walk.at < this.#bytes.length) return noObject();
    const missing = [...this.#left];
    if (this.#shown.length === 0 && this.#offset === 0) {
      const names = topNames(this.#bytes);
      return viewProblem(
        "the object has none of these keys",
        ["json_keys"],
        shownNames(names.slice(0, 100), names.length),
      );
    }
    return this.#answer(missing.length === 0 ? CLOSE : `${CLOSE}${missingLine(missing)}`, undefined);
  }

  #goOn(keys: readonly string[]): Selector {
    return {
      type: "json_keys",
      keys,
      offset: this.#offset + this.#walk.at,
      resume: resumeText(this.#walk.state()),
    };
  }

  #answer(tail: string, next: Selector | undefined): Result<View, ViewProblem> {
    // What is no text does not become one by asking again.
    if (next !== undefined && this.#walk.at === 0) return noObject();
    const text = new Uint8Array(this.#room.length + utf8Bytes(tail));
    text.set(this.#room.take());
    text.set(encoder.encode(tail), this.#room.length);
    return ok(textView(this.#shape, text, this.#selector, next));
  }
}

function missingLine(keys: readonly string[]): string {
  return `\nnot there: ${JSON.stringify(keys)}`;
}

function noObject(): Result<never, ViewProblem> {
  return viewProblem("the artifact is no JSON object", ["rows", "json_path", "grep", "lines"]);
}

function topNames(bytes: Uint8Array): readonly string[] {
  const walk = new JsonWalk(bytes, [{ kind: "all", named: true }]);
  const names: string[] = [];
  for (let found = walk.next(); typeof found !== "string"; found = walk.next()) {
    if (found.name !== undefined) names.push(found.name);
    walk.leave({ ...found, inside: null });
  }
  return names;
}
