/** How far a number has got (RFC 8259 §6). */
export type NumberState = "minus" | "zero" | "whole" | "point" | "fraction" | "e" | "e_sign" | "exponent";

export const NUMBER_START: NumberState = "minus";

/** The state behind a number's first sign; nothing where none begins so. */
export function numberStart(sign: string): NumberState | undefined {
  if (sign === "-") return "minus";
  if (sign === "0") return "zero";
  return sign >= "1" && sign <= "9" ? "whole" : undefined;
}

/** The state behind one more unit; nothing where the number is over, or is none. */
export function nextNumberState(state: NumberState, unit: number): NumberState | undefined {
  const digit = unit >= 0x30 && unit <= 0x39;
  const exponent = unit === 0x65 || unit === 0x45;
  switch (state) {
    case "minus":
      if (!digit) return undefined;
      return unit === 0x30 ? "zero" : "whole";
    case "zero":
    case "whole":
      if (digit) return state === "whole" ? "whole" : undefined;
      if (unit === 0x2e) return "point";
      return exponent ? "e" : undefined;
    case "point":
    case "fraction":
      if (digit) return "fraction";
      return exponent && state === "fraction" ? "e" : undefined;
    case "e":
      if (unit === 0x2b || unit === 0x2d) return "e_sign";
      return digit ? "exponent" : undefined;
    case "e_sign":
    case "exponent":
      return digit ? "exponent" : undefined;
  }
}

/** Whether a number may end here. */
export function isNumberEnd(state: NumberState): boolean {
  return state === "zero" || state === "whole" || state === "fraction" || state === "exponent";
}
