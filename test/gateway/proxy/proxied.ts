import type { Catalog, CatalogTool } from "../../../src/catalog/catalog.ts";
import type { Admission, RequestContext } from "../../../src/gateway/request-context.ts";
import type { NativePart } from "../../../src/gateway/proxy/native-part.ts";
import { proxySurface } from "../../../src/gateway/proxy/proxy-surface.ts";
import type { ListedForm } from "../../../src/identity/listed-form.ts";
import { ok } from "../../../src/result.ts";
import type { CallOrigin, Surface, ToolDefinition } from "../../../src/surface.ts";
import { fakeCaller, fakeGateway, type FakeGatewayOptions } from "../../support/fake-gateway.ts";

interface ProxiedOptions extends FakeGatewayOptions {
  readonly names?: ListedForm;
  readonly native?: NativePart;
}

/** The proxy over the gateway's fakes, and a caller of it, who has no session. */
export function proxied({ names = "safe", native, ...options }: ProxiedOptions, by = fakeCaller()) {
  const gateway = fakeGateway(options);
  const caller = { ...by, context: { ...by.context, sessionKey: null } };
  const surface = proxySurface(gateway.ports, { names, native });
  const call = (name: string, args: unknown = {}, origin?: CallOrigin) =>
    surface.call(name, args, caller.context, origin);
  return {
    ...gateway,
    gateway: gateway.surface,
    surface,
    caller,
    call,
    execute: (args: Record<string, unknown>, origin?: CallOrigin) => call("tool_execute", args, origin),
    hydrate: (toolId: unknown) => call("tool_hydrate", { tool_id: toolId }),
  };
}

/** Everything a list has, page by page; it has to end. */
export async function allPages(
  surface: Surface<RequestContext>,
  context: RequestContext,
  between: (page: number) => void = () => undefined,
): Promise<readonly (readonly ToolDefinition[])[]> {
  const pages: (readonly ToolDefinition[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await surface.tools(context, cursor);
    if (!page.ok) throw new Error(page.reason.message);
    pages.push(page.value.tools);
    cursor = page.value.nextCursor;
    between(pages.length);
  } while (cursor !== undefined && pages.length < 1_000);
  return pages;
}

type Refusal = Extract<Admission, { readonly version: 1; readonly admitted: false }>;
type Bare<Each> = Each extends Refusal ? Omit<Each, "version" | "admitted" | "rowsWritten"> : never;

/** A caller that is not let in, and why. */
export function refusedCaller(refusal: Bare<Refusal>) {
  const admission: Admission = { version: 1, admitted: false, rowsWritten: 0, ...refusal };
  return fakeCaller({ answer: () => admission });
}

/** A catalog whose definition of one tool is this, whatever it is. */
export function withDefinition(
  catalog: Catalog,
  id: string,
  definition: Readonly<Record<string, unknown>>,
): Catalog {
  return {
    ...catalog,
    definition: (tool: CatalogTool) =>
      tool.id === id
        ? Promise.resolve(ok({ definition, schemaHash: "0".repeat(64), schemaBytes: 2 }))
        : catalog.definition(tool),
  };
}
