import MiniSearch, { type Options } from "minisearch";
import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";

interface Fields {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameterNames: string;
  readonly parameterDescriptions: string;
  readonly server: string;
}

/** Names are worth more than prose, as everybody sets it who indexes tools. */
const BOOST = {
  name: 3,
  title: 2,
  description: 1,
  parameterNames: 0.6,
  parameterDescriptions: 0.3,
  server: 0.7,
};

const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;

/** Its own tokenizer splits at white space and punctuation, too; `createIssue` has to be split besides. */
const OPTIONS: Options<Fields> = {
  fields: Object.keys(BOOST),
  tokenize: (text) => text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(BETWEEN_WORDS),
};

const FUZZY = 0.2;

/** A library's full-text search over the same documents, to measure beside. */
export type Library = MiniSearch<Fields>;

export function buildLibrary(documents: readonly RoutingDocument[]): Library {
  const library = new MiniSearch<Fields>(OPTIONS);
  library.addAll(
    documents.map(({ id, name, title, description, parameterNames, parameterDescriptions, server }) => ({
      id,
      name,
      title: title ?? "",
      description,
      parameterNames: parameterNames.join(" "),
      parameterDescriptions: parameterDescriptions.join(" "),
      server,
    })),
  );
  return library;
}

export function saveLibrary(library: Library): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(library));
}

export function loadLibrary(bytes: Uint8Array): Library {
  return MiniSearch.loadJSON<Fields>(new TextDecoder().decode(bytes), OPTIONS);
}

/** The best ids; it ranks all that match, and has no limit of its own. */
export function searchLibrary(
  library: Library,
  query: string,
  { count, fuzzy }: { readonly count: number; readonly fuzzy: boolean },
): string[] {
  const options = { boost: BOOST, ...(fuzzy ? { fuzzy: FUZZY } : {}) };
  return library
    .search(query, options)
    .slice(0, count)
    .map(({ id }) => String(id));
}
