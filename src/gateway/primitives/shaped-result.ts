import type { Bundling } from "../../firewall/result/bundle.ts";
import type { TextAs } from "../../firewall/result/keepsakes.ts";
import type { Part, ToolResult } from "../../firewall/result/tool-result.ts";
import { isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";

/** What a read gave, in the shape in which the firewall takes results, and how its parts are shown. */
export interface ShapedResult {
  /** `content` and `_meta`, as of a `tools/call`; keys of `_meta` that begin with `loomgate/` are ours. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly shaping: Shaping;
}

export interface Shaping {
  /** How many secrets were taken out before it was shaped, for their looks. */
  readonly redactions?: number;
  /** What the text is, where all of it is one thing. */
  readonly textAs?: TextAs;
  /** What is said of a text of several, made of the result without its secrets; undefined: it is one text of its own kind. */
  readonly about?: (clean: ToolResult) => string | undefined;
  /** What the parts are, and how each was before, without its secrets. */
  readonly bundled: (clean: ToolResult) => Pick<Bundling, "things" | "asItCame">;
  /** A part that stays, as it is shown. */
  readonly shown?: (part: Part) => readonly Part[];
  /** Of the result as it came back, without its secrets: what programs get as structured content where it is small. */
  readonly structured?: (clean: ToolResult) => unknown;
}

/** Where programs find what a result says beside what is shown of it. */
export const RESULT_KEY = "loomgate/result";

type Members = Readonly<Record<string, unknown>>;

/**
 * A result of these parts, and of all that the server's own says beside `main`, the member that they were made of. What
 * could pass for ours in its metadata is left out; members that were too large to hold are parts too.
 *
 * @param ours what the parts do not say of themselves
 */
export function shapedResult(result: Members, main: string, parts: readonly Part[], ours: Members): Members {
  const members = Object.entries(result).filter(([name]) => name !== main);
  const large = members.flatMap(([name, payload]) =>
    payload instanceof LargePayload ? [{ type: "member", name, payload }] : [],
  );
  const others = members.filter(([name, value]) => name !== "_meta" && !(value instanceof LargePayload));
  const own = Object.entries(memberOf(result, "_meta") ?? {}).filter(([key]) => !key.startsWith("loomgate/"));
  const beside = others.length === 0 ? [] : [[RESULT_KEY, Object.fromEntries(others)] as const];
  return {
    content: [...parts, ...large],
    _meta: Object.fromEntries([
      ...(isRecord(result["_meta"]) ? own : []),
      ...Object.entries(ours),
      ...beside,
    ]),
  };
}
