import type { CatalogTool } from "../../catalog/catalog.ts";
import { type ListedForm, listedAs } from "../../identity/listed-form.ts";
import type { Scrubber } from "../../scrub/scrub.ts";
import type { ToolDefinition } from "../../surface.ts";

/** Says nothing of the arguments: what is listed is there to be seen, and is not called by its name (seed 000 §4.1). */
const SENTINEL: ToolDefinition["inputSchema"] = { type: "object" };

/** A tool as `/mcp/proxy` lists it: a name in the asked form, the canonical id as title, and a bounded description. */
export function strippedEntry(tool: CatalogTool, names: ListedForm, scrubber: Scrubber): ToolDefinition {
  return {
    name: scrubber.text(names === "safe" ? tool.listedName : listedAs(names, tool.id)),
    title: scrubber.text(tool.id),
    description: scrubber.text(tool.listedDescription),
    inputSchema: SENTINEL,
  };
}
