import { compileGlob, matchGlob } from "../../../src/glob.ts";

/**
 * Whether every text that the glob `inner` matches is matched by `outer` too. Exact: a character that stands in neither
 * takes the place of each star of `inner`, and only a star of `outer` can match it, which then matches anything there.
 */
export function covers(outer: string, inner: string): boolean {
  const glob = compileGlob(outer);
  return glob.ok && matchGlob(glob.value, inner.replaceAll("*", strangerTo(outer + inner)));
}

/** The first character for private use that a text does not have. */
function strangerTo(text: string): string {
  let code = 0xe000;
  while (text.includes(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}
