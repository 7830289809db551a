/**
 * Compares two strings by code point, negative when `left` comes first. Plain `<` compares UTF-16 units and puts
 * U+1F600 before U+FFFD; a lone surrogate counts as its own value, so the order is total over any JavaScript string.
 */
export function compareCodePoints(left: string, right: string): number {
  // Of catalogs that are compared, most ids are the same: that is known without looking at their letters.
  if (left === right) return 0;
  let index = 0;
  for (;;) {
    const a = left.codePointAt(index);
    const b = right.codePointAt(index);
    if (a === undefined || b === undefined) return left.length - right.length;
    if (a !== b) return a - b;
    index += a > 0xff_ff ? 2 : 1;
  }
}

/** At most `maxChars` UTF-16 units from a text's beginning, with no pair cut in two, and U+FFFD for every half that came. */
export function cutAtCodePoint(text: string, maxChars: number): string {
  const cut = text.slice(0, maxChars);
  const splitsPair =
    cut.length < text.length && cut.length > 0 && (text.codePointAt(maxChars - 1) ?? 0) > 0xff_ff;
  return (splitsPair ? cut.slice(0, -1) : cut).replace(/\p{Surrogate}/gu, "\ufffd");
}
