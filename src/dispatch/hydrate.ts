import type { GatewayFailure, OtherKind } from "../errors.ts";
import type { PrimitiveKind } from "../identity/primitive-id.ts";
import { memberOf } from "../json.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { UNKNOWN_TOOLS_CONTRACT } from "./replay.ts";
import type {
  DispatchCatalog,
  DispatchDefinition,
  DispatchTool,
  ExecutePorts,
  Found,
  Unavailable,
} from "./ports.ts";
import type { Verb } from "./verb.ts";

/** A tool found, with the catalog it stands in and its definition. */
export interface Hydrated<Tool> {
  readonly catalog: DispatchCatalog<Tool>;
  readonly tool: Tool;
  readonly definition: DispatchDefinition;
  /** Of its arguments; a tool may have none. */
  readonly schema: unknown;
  /** The arguments that the address says by which it was asked for; absent where it was asked for as itself. */
  readonly addressed?: Readonly<Record<string, unknown>>;
}

type Ports<Tool extends DispatchTool> = Pick<
  ExecutePorts<Tool, unknown>,
  "catalogs" | "sees" | "find" | "schemaOf"
>;

/**
 * Finds the tool that an id or a listed name means. One that the caller's scopes hide is as unknown as one that is not
 * there. Before a miss is told, the newest catalog is asked for, once. `path` is how a failure names what was asked for.
 */
export async function hydrate<Tool extends DispatchTool>(
  { kind }: Verb,
  asked: string,
  path: string,
  loaded: Result<DispatchCatalog<Tool>, Unavailable>,
  ports: Ports<Tool>,
): Promise<Result<Hydrated<Tool>, GatewayFailure>> {
  const { catalogs, sees } = ports;
  if (!loaded.ok) return notReady(path, loaded.reason);
  let catalog = loaded.value;
  let found = findIn(catalog, asked, ports);
  if (found === undefined) {
    const newest = await catalogs.newest();
    // Where nobody can tell of a newer one, the catalog at hand decides.
    if (newest.ok) catalog = newest.value;
    found = findIn(catalog, asked, ports);
  }
  if (found === undefined) {
    const didYouMean = catalog.similar(asked, DID_YOU_MEAN_MAX_COUNT, sees);
    return fail({ reason: "unknown_id", path, didYouMean, ...ofKind(kind) });
  }
  if ("owners" in found) {
    return fail({ reason: "contested", path, owners: found.owners.slice(0, DID_YOU_MEAN_MAX_COUNT) });
  }
  const { tool } = found;
  const definition = await catalog.definition(tool);
  if (!definition.ok) return notReady(tool.id, definition.reason);
  const schema = (ports.schemaOf ?? inputSchemaOf)(definition.value);
  return ok({ catalog, definition: definition.value, schema, ...found });
}

function findIn<Tool extends DispatchTool>(
  catalog: DispatchCatalog<Tool>,
  asked: string,
  { sees, find }: Ports<Tool>,
): Found<Tool> | undefined {
  const tool = visible(catalog.find(asked), sees);
  return tool === undefined ? find?.(catalog, asked) : { tool };
}

function inputSchemaOf({ definition }: DispatchDefinition): unknown {
  return memberOf(definition, "inputSchema");
}

/** A failure says of what kind it was where it was no tool. */
function ofKind(kind: PrimitiveKind): { readonly kind?: OtherKind } {
  return kind === "tool" ? {} : { kind };
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
