import { isJsonArray, isRecord, memberOf } from "../json.ts";

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** One reference token as RFC 6901 writes it. */
function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function appendToken(pointer: string, token: string): string {
  return `${pointer}/${escapeToken(token)}`;
}

/** Percent-decoding of a URI fragment; undefined when it is not one. */
export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** What a JSON Pointer (RFC 6901, `""` or starting with `/`) names inside `root`; undefined when nothing is there. */
export function resolvePointer(root: unknown, pointer: string): { readonly value: unknown } | undefined {
  if (pointer === "") return { value: root };
  if (!pointer.startsWith("/")) return undefined;
  let value = root;
  for (const raw of pointer.slice(1).split("/")) {
    const token = unescapeToken(raw);
    if (isJsonArray(value)) {
      if (!ARRAY_INDEX.test(token) || Number(token) >= value.length) return undefined;
      value = value[Number(token)];
    } else if (isRecord(value)) {
      if (!Object.hasOwn(value, token)) return undefined;
      value = memberOf(value, token);
    } else {
      return undefined;
    }
  }
  return { value };
}
