/** A text or bytes in pieces, cut at places that are taken modulo its length. */
export function pieces<Whole extends { readonly length: number; slice(from: number, to: number): Whole }>(
  whole: Whole,
  cuts: readonly number[],
): Whole[] {
  const points = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  const found: Whole[] = [];
  let from = 0;
  for (const to of [...points, whole.length]) {
    found.push(whole.slice(from, to));
    from = to;
  }
  return found;
}
