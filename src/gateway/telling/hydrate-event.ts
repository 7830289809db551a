import { type GatewayFailure, toWire } from "../../errors.ts";
import { type CallEventOf, counts, named } from "./call-event.ts";

/** A definition that was shown. */
export interface HydrateShown {
  readonly toolId: string;
  /** Of the input schema, as JSON. */
  readonly schemaBytes: number;
  readonly generation: number;
}

export function hydrateCompleted({
  toolId,
  schemaBytes,
  generation,
}: HydrateShown): CallEventOf<"hydrate.completed"> {
  return {
    event: "hydrate.completed",
    success: true,
    ...named(toolId),
    attributes: counts({ schema_bytes: schemaBytes, generation }),
  };
}

/** Null where no tool was found, or the arguments could not be read. */
export function hydrateFailed(toolId: string | null, failure: GatewayFailure): CallEventOf<"hydrate.failed"> {
  const { error, retryable } = toWire(failure);
  return {
    event: "hydrate.failed",
    success: false,
    ...named(toolId),
    attributes: { error_code: error, retryable },
  };
}
