import type { ArgumentProblem, GatewayFailure } from "../errors.ts";
import type { PrimitiveKind } from "../identity/primitive-id.ts";
import { isRecord, memberOf } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import { compactSchema } from "../schema/compact-schema.ts";
import type { Hydrated } from "./hydrate.ts";
import type { DispatchDefinition, DispatchTool, ExecutePorts } from "./ports.ts";

/**
 * Judges arguments by the tool's own schema (seed 000 §4.4), before anything is sent. A tool that has none takes anything.
 * A schema that cannot be judged by fails its tool alone. The failure shows where and what, and never a value.
 */
export function validate<Tool extends DispatchTool>(
  args: unknown,
  kind: PrimitiveKind,
  { tool, definition, schema: given }: Pick<Hydrated<Tool>, "tool" | "definition" | "schema">,
  { validators, judge }: Pick<ExecutePorts<Tool, unknown>, "validators" | "judge">,
): Result<Readonly<Record<string, unknown>>, GatewayFailure> {
  const { id: toolId } = tool;
  const { schemaHash, schemaBytes } = definition;
  const schema = given ?? undefined;
  // The bounds of arguments hold for a tool without a schema too.
  const compiled =
    schema === undefined
      ? validators.compile(ANY_OBJECT.hash, ANY_OBJECT.schema, ANY_OBJECT.bytes)
      : validators.compile(schemaHash, schema, schemaBytes);
  if (!compiled.ok) return fail({ reason: "schema", path: toolId, finding: compiled.reason.code });
  const verdict = compiled.value.validate(args);
  const refused = (errors: readonly ArgumentProblem[]): Result<never, GatewayFailure> => {
    const message = `the arguments do not satisfy the ${kind}'s schema`;
    const shown = compactSchema(
      schema === undefined ? ANY_OBJECT.schema : asWritten(schema, kind, definition),
    );
    return fail({ reason: "arguments", path: toolId, message, errors, schema: shown });
  };
  if (!verdict.valid) return refused(verdict.errors);
  if (!isRecord(args)) return refused(NO_OBJECT);
  const problems = judge?.(tool, definition, args) ?? [];
  return problems.length === 0 ? ok(args) : refused(problems);
}

/** A tool's schema with its numbers as its server wrote them; that of any other kind is made here. */
function asWritten(schema: unknown, kind: PrimitiveKind, { written }: DispatchDefinition): unknown {
  return kind === "tool" && written !== undefined ? memberOf(written, "inputSchema") : schema;
}

const ANY_OBJECT = { hash: "any object", schema: { type: "object" }, bytes: 17 } as const;
const NO_OBJECT: readonly ArgumentProblem[] = [{ path: "", keyword: "type" }];
