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
  Unlisted,
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
  /** No catalog has it. */
  readonly isUnlisted?: true;
}

type Ports<Tool extends DispatchTool> = Pick<
  ExecutePorts<Tool, unknown>,
  "catalogs" | "sees" | "find" | "unlisted" | "schemaOf"
>;

/**
 * Finds the tool that an id or a listed name means. One that the caller's scopes hide is as unknown as one that is not
 * there. Before a miss is told, the newest catalog is asked for, once, and then whether it may be had without one. `path` is how a failure names what was asked for.
 */
export async function hydrate<Tool extends DispatchTool>(
  verb: Verb,
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
    const unlisted = ports.unlisted?.(catalog, asked);
    if (unlisted !== undefined) return hydrateUnlisted(unlisted, path, catalog, ports);
    return fail(unknownId(verb, path, catalog.similar(asked, DID_YOU_MEAN_MAX_COUNT, sees)));
  }
  if ("owners" in found) {
    return fail({ reason: "contested", path, owners: found.owners.slice(0, DID_YOU_MEAN_MAX_COUNT) });
  }
  return definedIn(catalog, found, ports);
}

/** What was found in a catalog, with its definition. */
export async function definedIn<Tool extends DispatchTool>(
  catalog: DispatchCatalog<Tool>,
  found: Exclude<Found<Tool>, { readonly owners: unknown }>,
  { schemaOf = inputSchemaOf }: Pick<Ports<Tool>, "schemaOf">,
): Promise<Result<Hydrated<Tool>, GatewayFailure>> {
  const definition = await catalog.definition(found.tool);
  if (!definition.ok) return notReady(found.tool.id, definition.reason);
  return ok({ catalog, definition: definition.value, schema: schemaOf(definition.value), ...found });
}

/** That nothing is known by a name; a failure says of what kind it was where it was no tool. */
export function unknownId({ kind }: Verb, path: string, didYouMean: readonly string[]): GatewayFailure {
  return { reason: "unknown_id", path, didYouMean, ...ofKind(kind) };
}

function hydrateUnlisted<Tool extends DispatchTool>(
  unlisted: Unlisted<Tool>,
  path: string,
  catalog: DispatchCatalog<Tool>,
  { schemaOf = inputSchemaOf }: Ports<Tool>,
): Result<Hydrated<Tool>, GatewayFailure> {
  if ("names" in unlisted) {
    return fail({ reason: "whose", path, names: unlisted.names.slice(0, DID_YOU_MEAN_MAX_COUNT) });
  }
  return ok({ catalog, schema: schemaOf(unlisted.definition), ...unlisted, isUnlisted: true });
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
