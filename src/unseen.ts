/** What no reader sees: controls, lone surrogates, separators, bidirectional and other ignorable signs. Not the plain space. */
export const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** The same and spaces, as many as stand together: they are one space in a line that is composed. */
export const UNSEEN_RUN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;

export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0;
}

/** A sign as JSON and JSONPath escape it, unit by unit: `\u202e`. */
export function unitEscapes(sign: string): string {
  return sign
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
