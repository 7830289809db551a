const QUOTE = '"';
const BACKSLASH = 0x5c;

/** Where the string that opens at `start` is over, in valid JSON; the text's end where it never closes. */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf(QUOTE, start + 1); at !== -1; at = text.indexOf(QUOTE, at + 1)) {
    if (!isEscaped(text, at)) return at + 1;
  }
  return text.length;
}

/** Where the number that begins at `start` is over, in valid JSON. */
export function numberEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isNumberUnit(text.charCodeAt(end))) end += 1;
  return end;
}

/** A digit or a minus: outside of strings, only numbers begin so. */
export function startsNumber(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2d;
}

function isNumberUnit(unit: number): boolean {
  return startsNumber(unit) || unit === 0x2e || unit === 0x2b || unit === 0x65 || unit === 0x45;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
