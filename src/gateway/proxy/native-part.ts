import type { CatalogTool } from "../../catalog/catalog.ts";
import type { Surface } from "../../surface.ts";
import type { RequestContext } from "../request-context.ts";

type Served = Required<Pick<Surface<RequestContext>, "admitting" | "capabilities" | "request">>;

/** What `/mcp/proxy` serves besides tools: resources, prompts and completions, as MCP's own clients ask for them. */
export interface NativePart extends Served {
  /**
   * A tool's result with the URIs that this surface's clients know its links by; the result itself where none of them is
   * another's too. Scrubbed and redacted before; bounded as answers of upstreams are.
   */
  relinked(
    result: Readonly<Record<string, unknown>>,
    tool: CatalogTool,
    context: RequestContext,
  ): Promise<Readonly<Record<string, unknown>>>;
}
