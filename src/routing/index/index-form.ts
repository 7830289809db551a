import type { SectionForm } from "../../packed/sections.ts";

/**
 * The sections of a packed index (`packed/sections.ts`), in this order. "Texts" are slices (`packed/slices.ts`) in code
 * point order, "starts" say where the list of each begins, and the end (`packed/lists.ts`).
 *
 *     0   texts           ids, by document
 *     1   texts           upstream names, by document (not sorted)
 *     2   texts           lower-cased names
 *     3   u32             starts
 *     4   u16 or u32      documents of these names, ascending in each
 *     5   texts           terms
 *     6   u32             starts
 *     7   u16 or u32      postings: documents, ascending in each term
 *     8   u16             postings: what the term counts there (`document/posting-weight.ts`)
 *     9   texts           stemmed words with terms that mean nearly the same
 *     10  u32             starts
 *     11  u16 or u32      terms of these words, by place, the likest first
 *     12  u8              likeness, 255 for 1
 */
export const INDEX_FORM: SectionForm = { magic: 0x58_49_47_4c, version: 1, sections: 13 };

export const LIKENESS_MAX = 0xff;
