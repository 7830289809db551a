import { listedName } from "./listed-name.ts";

/**
 * How a list names what is in it, by a canonical id: by the id itself; percent-encoded (seed 000 §4.1); or in the characters
 * that models' interfaces accept, as `listed-name.ts` has it.
 */
export const LISTED_FORMS = ["canonical", "url", "safe"] as const;

export type ListedForm = (typeof LISTED_FORMS)[number];

/** What real model interfaces accept. */
export const DEFAULT_LISTED_FORM: ListedForm = "safe";

export function isListedForm(text: unknown): text is ListedForm {
  return LISTED_FORMS.some((form) => form === text);
}

/** An id's name in one of the forms. No two ids share a name, whichever forms they are in, and the id alone decides. */
export function listedAs(form: ListedForm, id: string): string {
  switch (form) {
    case "canonical":
      return id;
    case "url":
      return urlForm(id);
    case "safe":
      return listedName(id);
  }
}

/**
 * What a catalog knows a name by: the canonical id, or the safe name as it is, which a catalog finds by itself. Of the
 * percent-encoded names only those that `listedAs` writes are read, so that no two of them lead to one id. No canonical id and
 * no safe name has a `%`, so that each text is read in one way. Whatever is no name stays as it is, and is found nowhere.
 */
export function readListedForm(name: string): string {
  if (!name.includes("%")) return name;
  const id = decoded(name);
  return id !== undefined && urlForm(id) === name ? id : name;
}

/** Ids have no lone surrogate, which has no percent-encoding; the safe name takes anything. */
function urlForm(id: string): string {
  return /\p{Surrogate}/u.test(id) ? listedName(id) : encodeURIComponent(id);
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
