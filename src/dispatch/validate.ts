import type { GatewayFailure } from "../errors.ts";
import { memberOf } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import { compactSchema } from "../schema/compact-schema.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";
import type { DispatchDefinition } from "./ports.ts";

/**
 * Judges arguments by the tool's own schema (seed 000 §4.4), before anything is sent. A tool that has none takes anything.
 * A schema that cannot be judged by fails its tool alone. The failure shows where and what, and never a value.
 */
export function validate(
  args: Readonly<Record<string, unknown>>,
  toolId: string,
  { definition, schemaHash, schemaBytes }: DispatchDefinition,
  validators: ValidatorCache,
): Result<undefined, GatewayFailure> {
  const schema = memberOf(definition, "inputSchema") ?? undefined;
  if (schema === undefined) return ok(undefined);
  const compiled = validators.compile(schemaHash, schema, schemaBytes);
  if (!compiled.ok) return fail({ reason: "schema", path: toolId, finding: compiled.reason.code });
  const verdict = compiled.value.validate(args);
  if (verdict.valid) return ok(undefined);
  return fail({
    reason: "arguments",
    path: toolId,
    message: "the arguments do not satisfy the tool's schema",
    errors: verdict.errors,
    schema: compactSchema(schema),
  });
}
