import { cutAtCodePoint } from "../../code-points.ts";
import { isJsonArray } from "../../json.ts";
import { MANIFEST_NAME_MAX_CHARS, MANIFEST_PROBLEMS_MAX_COUNT } from "../../limits/records.ts";

/** What is wrong with a manifest, and where: a JSON Pointer, cut where names in it are long. */
export interface ManifestProblem {
  readonly path: string;
  readonly message: string;
}

type Path = readonly (string | number)[];

/** Collects what is wrong, up to `MANIFEST_PROBLEMS_MAX_COUNT`, so that one reading tells a person all that is to be mended. */
export class Problems {
  readonly found: ManifestProblem[] = [];

  add(path: Path, message: string): undefined {
    if (this.found.length < MANIFEST_PROBLEMS_MAX_COUNT) this.found.push({ path: pointer(path), message });
    return undefined;
  }

  /** A name as it may stand in paths, parameters and texts. */
  name(value: unknown, path: Path): string | undefined {
    if (typeof value !== "string" || value === "") return this.add(path, "is a text, not empty");
    if (value.length > MANIFEST_NAME_MAX_CHARS)
      return this.add(path, `has at most ${MANIFEST_NAME_MAX_CHARS} characters`);
    // SQLite's JSON paths read quotes and backslashes in a name differently from version to version.
    return UNFIT.test(value) ? this.add(path, "holds a quote, a backslash or an unseen character") : value;
  }

  /** The items of a list that may be absent. */
  list(value: unknown, path: Path, maxCount: number): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (!isJsonArray(value)) this.add(path, "is an array");
    else if (value.length > maxCount) this.add(path, `has at most ${maxCount} items`);
    else return value;
    return [];
  }

  /** Names that are declared, each once. */
  fields(value: unknown, path: Path, known: ReadonlyMap<string, unknown>, maxCount: number): string[] {
    const names = new Set<string>();
    for (const [index, item] of this.list(value, path, maxCount).entries()) {
      if (typeof item !== "string" || !known.has(item)) this.add([...path, index], "is no declared field");
      else names.add(item);
    }
    return [...names];
  }
}

const UNFIT = /["\\\p{C}\p{Zl}\p{Zp}]/u;

function pointer(path: Path): string {
  return path
    .map((step) => cutAtCodePoint(String(step), MANIFEST_NAME_MAX_CHARS))
    .map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}
