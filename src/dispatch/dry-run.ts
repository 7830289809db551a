import type { ReplayContract } from "../errors.ts";
import { isRecord, memberOf } from "../json.ts";
import { DRY_RUN_ANNOTATIONS_MAX_COUNT, DRY_RUN_ANNOTATION_MAX_CHARS } from "../limits.ts";
import type { DispatchDefinition, DispatchTool } from "./ports.ts";
import { REPLAY } from "./replay.ts";

/** What a call would meet (seed 000 §4.5; CONTRACTS "Dry run"), its keys in this order. */
export interface DryRunReport {
  readonly dry_run: true;
  readonly tool_id: string;
  readonly upstream_name: string;
  readonly args_valid: true;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly checks: readonly { readonly name: string; readonly status: "pass" }[];
  readonly replay: ReplayContract;
}

/** Reports on a call that was found good and is not made. A control that is not configured passes. */
export function dryRun(tool: DispatchTool, { definition }: DispatchDefinition): DryRunReport {
  return {
    dry_run: true,
    tool_id: tool.id,
    upstream_name: tool.upstreamName,
    args_valid: true,
    annotations: { ...declared(memberOf(definition, "annotations")), verified: false },
    checks: ["schema_validation", "rate_limit", "policy"].map((name) => ({ name, status: "pass" })),
    replay: REPLAY,
  };
}

/** The hints as the server declares them, as far as they are hints: short scalars. */
function declared(annotations: unknown): Record<string, unknown> {
  if (!isRecord(annotations)) return {};
  const hints = Object.entries(annotations).filter(
    ([name, value]) =>
      name !== "verified" &&
      name.length <= DRY_RUN_ANNOTATION_MAX_CHARS &&
      (typeof value === "boolean" ||
        typeof value === "number" ||
        (typeof value === "string" && value.length <= DRY_RUN_ANNOTATION_MAX_CHARS)),
  );
  return Object.fromEntries(hints.slice(0, DRY_RUN_ANNOTATIONS_MAX_COUNT));
}
