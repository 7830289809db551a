import type { PrimitiveKind } from "../identity/primitive-id.ts";

/** What a call does, as its caller, the operator's rules and the limits name it. */
export interface Verb {
  readonly metaTool: "tool_execute" | "resource_read" | "prompt_get";
  readonly kind: PrimitiveKind;
}

export const TOOL_EXECUTE: Verb = { metaTool: "tool_execute", kind: "tool" };
export const RESOURCE_READ: Verb = { metaTool: "resource_read", kind: "resource" };
export const PROMPT_GET: Verb = { metaTool: "prompt_get", kind: "prompt" };

/** The verb that brings what a kind has. */
export const VERB_OF: Readonly<Record<PrimitiveKind, Verb>> = {
  tool: TOOL_EXECUTE,
  resource: RESOURCE_READ,
  prompt: PROMPT_GET,
};
