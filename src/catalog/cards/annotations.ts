import { isRecord } from "../../json.ts";

/** What a server says of its own tool (seed 001). Hints inform, and decide nothing. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** In the server's own unit; 0 when it says nothing usable. */
  readonly costHint: number;
  /** The display name that older servers put here; empty when there is none. */
  readonly title: string;
}

/**
 * The hints of a tool's `annotations`. Only JSON booleans and numbers count: `"false"` is not a boolean, and taking it for
 * true would mark a deleting tool read-only. A cost that is negative or not finite counts as none. Never throws.
 */
export function readHints(annotations: unknown): ToolHints {
  const own = (key: string): unknown =>
    isRecord(annotations) && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  const cost = own("costHint");
  const title = own("title");
  return {
    readOnly: own("readOnlyHint") === true,
    destructive: own("destructiveHint") === true,
    costHint: typeof cost === "number" && Number.isFinite(cost) && cost > 0 ? cost : 0,
    title: typeof title === "string" ? title : "",
  };
}
