import * as fc from "fast-check";
import type { DefinitionParts } from "../../../src/catalog/drift/definition-parts.ts";
import type { Inventory, InventoryTool } from "../../../src/catalog/drift/inventory.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";

/** Parts, and a whole whose hash follows from them, as of a definition with this contract, metadata and wording. */
function definition(contract: number, metadata: number, wording: number) {
  const parts: DefinitionParts = { form: 1, contract: `c${contract}`, metadata: `m${metadata}` };
  return { parts, definitionHash: sha256Hex(JSON.stringify([contract, metadata, wording])) };
}

const small = fc.integer({ min: 0, max: 2 });

const tool = fc
  .record({
    server: fc.constantFrom("one", "two", "__proto__", "\ud800"),
    upstreamName: fc.constantFrom("a", "b", "constructor", "__proto__", "\u{1f600}", "\uffff"),
    schema: small,
    contract: small,
    metadata: small,
    wording: small,
  })
  .map(({ server, upstreamName, schema, contract, metadata, wording }): InventoryTool => {
    // The id does not have the server in it: under `infer` a namespace can pass from one to another.
    const { parts, definitionHash } = definition(contract, metadata, wording);
    return { id: `${upstreamName}#${schema}`, server, upstreamName, definitionHash, parts };
  });

export function sorted(tools: readonly InventoryTool[]): Inventory {
  return tools.toSorted((left, right) => compareCodePoints(left.id, right.id));
}

/** Catalogs as refreshes make them: by id, each id once, and each name once in a server. */
export const inventories: fc.Arbitrary<Inventory> = fc
  .uniqueArray(tool, {
    selector: ({ server, upstreamName }) => JSON.stringify([server, upstreamName]),
    maxLength: 10,
  })
  .map((tools) => sorted([...new Map(tools.map((each) => [each.id, each])).values()]));
