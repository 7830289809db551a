import { fail, ok, type Result } from "../../result.ts";

/** How a selection schema is dressed: bare, or as the part of a request that a provider's API takes. */
export const SELECTION_FORMATS = ["json_schema", "openai", "anthropic"] as const;

export type SelectionFormat = (typeof SELECTION_FORMATS)[number];

/** What both providers' forms call the choice. */
const CHOICE_NAME = "tool_selection";
const CHOICE_DESCRIPTION = "Choose the one tool that does what was asked for.";

/** The bare schema: an object whose one property, `tool_id`, is one of the candidates. */
export interface ChoiceSchema {
  readonly type: "object";
  readonly properties: {
    readonly tool_id: { readonly type: "string"; readonly enum: readonly string[] };
  };
  readonly required: readonly ["tool_id"];
  readonly additionalProperties: false;
}

export type SelectionSchema =
  | ChoiceSchema
  /** `response_format` of an OpenAI request. */
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly strict: true;
        readonly schema: ChoiceSchema;
      };
    }
  /** A tool of an Anthropic request, whose input is the choice. */
  | { readonly name: string; readonly description: string; readonly input_schema: ChoiceSchema };

/**
 * The schema that holds a model to these candidates while it writes (seed 000 §2.6). Each id stands once, in the order
 * given, so that the best stays first.
 */
export function selectionSchema(
  candidates: readonly string[],
  format: SelectionFormat,
): Result<SelectionSchema, "no_candidates"> {
  if (candidates.length === 0) return fail("no_candidates");
  const schema: ChoiceSchema = {
    type: "object",
    properties: { tool_id: { type: "string", enum: [...new Set(candidates)] } },
    required: ["tool_id"],
    additionalProperties: false,
  };
  switch (format) {
    case "json_schema":
      return ok(schema);
    case "openai":
      return ok({ type: "json_schema", json_schema: { name: CHOICE_NAME, strict: true, schema } });
    case "anthropic":
      return ok({ name: CHOICE_NAME, description: CHOICE_DESCRIPTION, input_schema: schema });
  }
}
