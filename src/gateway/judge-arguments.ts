import type { ArgumentProblem, GatewayFailure } from "../errors.ts";
import { fail, type Result } from "../result.ts";
import { compactSchema } from "../schema/compact-schema.ts";
import { type CompiledSchema, compileSchema } from "../schema/validator.ts";

/** A schema of our own, one object for the isolate's life. */
type OwnSchema = Readonly<Record<string, unknown>>;

/** Compiled when first needed. */
const compiled = new WeakMap<OwnSchema, CompiledSchema>();

/** What is wrong with arguments by one of our own schemas; empty for nothing. */
export function judgeArguments(schema: OwnSchema, args: unknown): readonly ArgumentProblem[] {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    const made = compileSchema(schema);
    if (!made.ok) return [{ path: "", keyword: made.reason.code }];
    validator = made.value;
    compiled.set(schema, validator);
  }
  const verdict = validator.validate(args);
  return verdict.valid ? [] : verdict.errors;
}

/** The refusal, with the schema beside it: one wrong guess teaches. */
export function refuseArguments(
  schema: OwnSchema,
  errors: readonly ArgumentProblem[],
  message: string,
): Result<never, GatewayFailure> {
  return fail({ reason: "arguments", path: "", message, errors, schema: compactSchema(schema) });
}
