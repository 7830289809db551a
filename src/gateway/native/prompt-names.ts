import { SEES_EVERYTHING } from "../../access/visibility.ts";
import type { Catalog, CatalogTool, Sees } from "../../catalog/catalog.ts";
import { listedName, readListedName } from "../../identity/listed-name.ts";
import { type ListedForm, listedAs, readListedForm } from "../../identity/listed-form.ts";
import { oncePerContent } from "../primitives/once-per-content.ts";

const KIND = "prompt::";

/** A prompt's name in the native list: its id without the kind, which the list says, in the asked form. */
export function promptName(form: ListedForm, { id }: CatalogTool): string {
  return listedAs(form, bare(id));
}

/** What a name, if it is wrong, may be a slip of: the id that it would stand for. */
export function promptIdOf(name: string): string {
  const read = readListedForm(name);
  const safe = readListedName(read);
  return `${KIND}${bare(safe.ok && safe.value.form === "short" ? safe.value.id : read)}`;
}

/** The prompt that a name of any form means, among what exists for the caller. */
export function findPrompt(prompts: Catalog, name: string, sees: Sees): CatalogTool | undefined {
  const read = readListedForm(name);
  const safe = readListedName(read);
  const id = !safe.ok ? read : safe.value.form === "short" ? safe.value.id : longNames(prompts).get(read);
  const found = prompts.find(`${KIND}${bare(id ?? read)}`) ?? prompts.find(read);
  return found !== undefined && sees(found.id) ? found : undefined;
}

function bare(id: string): string {
  return id.startsWith(KIND) ? id.slice(KIND.length) : id;
}

/** A long name cannot be read back: all ids of the catalog that have one are looked through, once. */
const longNames = oncePerContent((prompts: Catalog): ReadonlyMap<string, string> => {
  const ids = prompts.page(undefined, Infinity, SEES_EVERYTHING).tools.map(({ id }) => bare(id));
  return new Map(ids.map((id): [string, string] => [listedName(id), id]));
});
