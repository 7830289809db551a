import type { ReplayContract } from "../spine/replay/contract.ts";
import { registerOperations } from "../spine/replay/registry.ts";

/** Meta-tools of one surface by name, once every one of them has a contract; without one there is no surface. */
export function registeredTools<Tool extends { readonly contract: ReplayContract }>(
  surface: string,
  tools: Readonly<Record<string, Tool>>,
): ReadonlyMap<string, Tool> {
  const declared = Object.entries(tools);
  const registered = registerOperations(
    declared.map(([operation, { contract }]) => ({ surface, operation, contract })),
  );
  // Our own source is wrong, and every call would be.
  if (!registered.ok) throw new Error(`meta-tools refused: ${JSON.stringify(registered.reason)}`);
  return new Map(declared);
}
