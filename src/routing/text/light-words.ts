import { stem } from "./stem.ts";

/**
 * Words that carry little of what is asked for: general verbs, quantities, time and place. Unlike function words they can
 * be what tells two tools apart (`get`, `last`, `between`), so they are looked up, and count for less.
 */
const LIGHT_WORDS: ReadonlySet<string> = new Set(
  (
    "who which what when where how why all one two three four five first second last next new old up out off down over back " +
    "other others another more most less least few many much some every each both either only own same such " +
    "time times now then again after before during while until since between under within through across per still even yet " +
    "ever never always often already once soon today good better best well way thing things lot bit kind sort " +
    "let make made take took taken get got gotten give gave given go went gone come came put keep kept see saw seen look " +
    "know knew known think thought say said tell told ask help try tried use able really actually right part certain main " +
    "full big small large long short great whole exact specific particular various different several together around along " +
    "against without possible current exist available following based related necessary someone something anything " +
    "everything everyone nothing people person work start happen become mean call name named"
  )
    .split(" ")
    .map(stem),
);

/** Whether a stemmed word says little of what is asked for. */
export function isLightWord(term: string): boolean {
  return LIGHT_WORDS.has(term);
}
