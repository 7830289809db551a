import { DUPLICATE_PATH_MAX_CHARS } from "../limits/exact-json.ts";
import { stringEnd } from "./tokens.ts";

/** An object or array that is open where the scan stands. */
interface Open {
  readonly isObject: boolean;
  /** The decoded names, from the second on: most objects of a bomb have one. */
  names: Set<string> | undefined;
  /** The next string is a member's name. */
  atName: boolean;
  /** The member or element that the scan is in. */
  name: string;
  index: number;
}

/**
 * The JSON Pointer (RFC 6901) of the first member whose name its object has already, at any depth; undefined where there
 * is none. Names count as they decode: `"\u0061"` is `"a"`. `text` is valid JSON, nested as deeply as it likes.
 */
export function duplicateMember(text: string): string | undefined {
  const open: Open[] = [];
  let inside: Open | undefined;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"': {
        const end = stringEnd(text, at);
        if (inside?.isObject === true && inside.atName) {
          const name = decoded(text, at, end);
          const isSecond = inside.index > 0 && inside.names === undefined;
          if (isSecond) inside.names = new Set([inside.name]);
          const known = inside.names?.has(name) === true;
          inside.name = name;
          if (known) return pointerTo(open);
          inside.names?.add(name);
          inside.atName = false;
        }
        at = end - 1;
        break;
      }
      case "{":
      case "[": {
        const isObject = text.charAt(at) === "{";
        inside = { isObject, names: undefined, atName: isObject, name: "", index: 0 };
        open.push(inside);
        break;
      }
      case "}":
      case "]":
        open.pop();
        inside = open.at(-1);
        break;
      case ",":
        if (inside === undefined) break;
        inside.atName = inside.isObject;
        inside.index += 1;
        break;
      default:
    }
  }
  return undefined;
}

function decoded(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes("\\") ? String(JSON.parse(text.slice(start, end))) : inner;
}

function pointerTo(open: readonly Open[]): string {
  let pointer = "";
  for (const { isObject, name, index } of open) {
    if (pointer.length > DUPLICATE_PATH_MAX_CHARS) break;
    const token = !isObject ? String(index) : name.slice(0, DUPLICATE_PATH_MAX_CHARS + 1);
    pointer += `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  if (pointer.length <= DUPLICATE_PATH_MAX_CHARS) return pointer;
  return `${pointer.slice(0, DUPLICATE_PATH_MAX_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
