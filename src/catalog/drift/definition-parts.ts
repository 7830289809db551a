import { sha256Hex } from "../../identity/digest.ts";
import { bareObject, type JsonObject } from "../../json.ts";
import { canonicalJson } from "../snapshot/canonical-json.ts";
import { withoutWording } from "./schema-wording.ts";

/** Raise it with any change to what goes into a part: hashes of two forms say nothing of each other. */
const PARTS_FORM = 1;

/**
 * A definition in parts, so that a change can be named when the definition itself is gone: two hashes, beside that of the
 * whole. What neither has is wording.
 */
export interface DefinitionParts {
  readonly form: number;
  /** What may be asked and what is answered: the schemas, wording aside. */
  readonly contract: string;
  /** All else but title and description: name, annotations, `_meta`, icons, what a later protocol adds. */
  readonly metadata: string;
}

const SCHEMAS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema"]);
const TEXTS: ReadonlySet<string> = new Set(["description", "title"]);

/** The parts of a definition whose size and depth were measured. The order of members decides nothing. */
export function definitionParts(definition: JsonObject): DefinitionParts {
  const [contract, metadata] = [bareObject<unknown>(), bareObject<unknown>()];
  for (const key of Object.keys(definition)) {
    const value = definition[key];
    if (SCHEMAS.has(key)) contract[key] = withoutWording(value);
    else if (!TEXTS.has(key) || typeof value !== "string") metadata[key] = value;
  }
  return {
    form: PARTS_FORM,
    contract: sha256Hex(canonicalJson(contract)),
    metadata: sha256Hex(canonicalJson(metadata)),
  };
}
