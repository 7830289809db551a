import type { ArgumentProblem, GatewayFailure } from "../errors.ts";
import { isRecord, memberOf } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import { compactSchema } from "../schema/compact-schema.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";
import type { DispatchDefinition } from "./ports.ts";

/**
 * Judges arguments by the tool's own schema (seed 000 §4.4), before anything is sent. A tool that has none takes anything.
 * A schema that cannot be judged by fails its tool alone. The failure shows where and what, and never a value.
 */
export function validate(
  args: unknown,
  toolId: string,
  { definition, schemaHash, schemaBytes }: DispatchDefinition,
  validators: ValidatorCache,
): Result<Readonly<Record<string, unknown>>, GatewayFailure> {
  const schema = memberOf(definition, "inputSchema") ?? undefined;
  // The bounds of arguments hold for a tool without a schema too.
  const compiled =
    schema === undefined
      ? validators.compile(ANY_OBJECT.hash, ANY_OBJECT.schema, ANY_OBJECT.bytes)
      : validators.compile(schemaHash, schema, schemaBytes);
  if (!compiled.ok) return fail({ reason: "schema", path: toolId, finding: compiled.reason.code });
  const verdict = compiled.value.validate(args);
  if (!verdict.valid) return refuse(toolId, verdict.errors, compactSchema(schema ?? ANY_OBJECT.schema));
  return isRecord(args) ? ok(args) : refuse(toolId, NO_OBJECT, compactSchema(schema ?? ANY_OBJECT.schema));
}

const ANY_OBJECT = { hash: "any object", schema: { type: "object" }, bytes: 17 } as const;
const NO_OBJECT: readonly ArgumentProblem[] = [{ path: "", keyword: "type" }];

function refuse(
  path: string,
  errors: readonly ArgumentProblem[],
  schema: unknown,
): Result<never, GatewayFailure> {
  const message = "the arguments do not satisfy the tool's schema";
  return fail({ reason: "arguments", path, message, errors, schema });
}
