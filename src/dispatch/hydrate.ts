import type { GatewayFailure } from "../errors.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { UNKNOWN_TOOLS_CONTRACT } from "./replay.ts";
import type {
  DispatchCatalog,
  DispatchDefinition,
  DispatchTool,
  ExecutePorts,
  Unavailable,
} from "./ports.ts";

/** A tool found, with the catalog it stands in and its definition. */
export interface Hydrated<Tool> {
  readonly catalog: DispatchCatalog<Tool>;
  readonly tool: Tool;
  readonly definition: DispatchDefinition;
}

type Catalogs<Tool extends DispatchTool> = Pick<ExecutePorts<Tool, unknown>, "catalogs" | "sees">;

/**
 * Finds the tool that an id or a listed name means. One that the caller's scopes hide is as unknown as one that is not
 * there. Before a miss is told, the newest catalog is asked for, once. `path` is how a failure names what was asked for.
 */
export async function hydrate<Tool extends DispatchTool>(
  asked: string,
  path: string,
  loaded: Result<DispatchCatalog<Tool>, Unavailable>,
  { catalogs, sees }: Catalogs<Tool>,
): Promise<Result<Hydrated<Tool>, GatewayFailure>> {
  if (!loaded.ok) return notReady(path, loaded.reason);
  let catalog = loaded.value;
  let tool = visible(catalog.find(asked), sees);
  if (tool === undefined) {
    const newest = await catalogs.newest();
    // Where nobody can tell of a newer one, the catalog at hand decides.
    if (newest.ok) catalog = newest.value;
    tool = visible(catalog.find(asked), sees);
  }
  if (tool === undefined) {
    const didYouMean = catalog.similar(asked, DID_YOU_MEAN_MAX_COUNT, sees);
    return fail({ reason: "unknown_id", path, didYouMean });
  }
  const definition = await catalog.definition(tool);
  return definition.ok
    ? ok({ catalog, tool, definition: definition.value })
    : notReady(tool.id, definition.reason);
}

function visible<Tool extends DispatchTool>(
  tool: Tool | undefined,
  sees: (id: string) => boolean,
): Tool | undefined {
  return tool !== undefined && sees(tool.id) ? tool : undefined;
}

function notReady(path: string, { detail }: Unavailable): Result<never, GatewayFailure> {
  return fail({ reason: "not_ready", path, what: "catalog", replay: UNKNOWN_TOOLS_CONTRACT, detail });
}
