import type { CatalogTool } from "../../catalog/catalog.ts";
import type { CallNotes, PresentedAnswer } from "../../dispatch/ports.ts";
import { isJsonArray, isRecord } from "../../json.ts";
import { ok, type Result } from "../../result.ts";
import type { ToolAnswer } from "../../surface.ts";
import type { CallKeeping } from "../call-keeping.ts";
import { cleanResult } from "../clean-result.ts";
import type { GatewayPorts } from "../ports.ts";
import { wholeFigures } from "../telling/result-figures.ts";
import { wantedMeta } from "../wanted-note.ts";

/** Gives a result the links that this surface's clients know. */
export type Relink = (
  result: Readonly<Record<string, unknown>>,
  tool: CatalogTool,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * A server's result as the answer itself: every member of it, and nothing beside, but for what the server wanted of the
 * caller meanwhile, in `_meta`. Only secrets are taken out.
 */
export async function wholeResult(
  tool: CatalogTool,
  result: Readonly<Record<string, unknown>>,
  { allowance, wanted }: CallNotes,
  keeping: CallKeeping,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
  relink: Relink | undefined,
): Promise<Result<PresentedAnswer<ToolAnswer>, string>> {
  const clean = cleanResult(result, tool.server, ports);
  if (!clean.ok) return clean;
  keeping.allow(allowance);
  const linked = (await relink?.(clean.value.result, tool)) ?? clean.value.result;
  const answer = answerOf(linked, clean.value.judged.content);
  const told = { ...answer["_meta"], ...wantedMeta(wanted) };
  return ok({
    answer: Object.keys(told).length === 0 ? answer : { ...answer, _meta: told },
    kept: [],
    figures: wholeFigures(
      [answer.content, answer.structuredContent ?? null],
      answer.isError === true ? "error" : "ok",
    ),
  });
}

/**
 * The members as they came. A result without `content` gets an empty one, which MCP demands of every result; an `isError` that
 * is no boolean and a `_meta` that is no object are dropped: they say nothing, and clients refuse the whole answer for them.
 */
function answerOf(result: Readonly<Record<string, unknown>>, judged: readonly unknown[]): ToolAnswer {
  const { isError, _meta: meta, content, ...others } = result;
  return {
    ...others,
    content: isJsonArray(content) ? content : judged,
    ...(typeof isError === "boolean" ? { isError } : {}),
    ...(isRecord(meta) ? { _meta: meta } : {}),
  };
}
