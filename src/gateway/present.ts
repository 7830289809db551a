import type { CatalogTool } from "../catalog/catalog.ts";
import { firstCodePoints } from "../catalog/cards/display-text.ts";
import type { CallNotes, PresentedAnswer } from "../dispatch/ports.ts";
import type { CallProvenance } from "../firewall/envelope.ts";
import { presentResult } from "../firewall/present.ts";
import { redactResult } from "../firewall/result/redact-result.ts";
import { readToolResult } from "../firewall/result/tool-result.ts";
import { ARG_REPAIRS_TOLD_MAX_COUNT, ARG_REPAIR_PATH_MAX_CODE_POINTS } from "../limits.ts";
import { ok, type Result } from "../result.ts";
import type { ToolAnswer } from "../surface.ts";
import type { CallKeeping } from "./call-keeping.ts";
import { ENVELOPE_KEY, KEPT_PARTS_KEY, objectAnswer, type Render } from "./answers.ts";
import type { GatewayPorts } from "./ports.ts";
import { figuresOf } from "./telling/result-figures.ts";
import { presentationFor } from "./tool-artifacts.ts";

/**
 * Makes an answer of an upstream's result. Scrubbed first of all, so that no secret gets into an artifact or into what a
 * handle is made of.
 */
export async function present(
  tool: CatalogTool,
  result: Readonly<Record<string, unknown>>,
  notes: CallNotes,
  keeping: CallKeeping,
  ports: GatewayPorts,
  render: Render,
): Promise<Result<PresentedAnswer<ToolAnswer>, string>> {
  // Judged before the scrubber walks it, and again as it will be shown: the first bounds the walk.
  const judged = readToolResult(result);
  if (!judged.ok) return judged;
  const scrubbed = ports.scrubber.record(result);
  const redactor = ports.redactor(tool.server);
  const redacted = redactor === undefined ? { result: scrubbed, count: 0 } : redactResult(scrubbed, redactor);
  const clean = redacted.result === result ? judged : readToolResult(redacted.result);
  if (!clean.ok) return clean;
  const redactions = redacted.count + keeping.redactions();
  keeping.allow(notes.allowance);
  const presentation = presentationFor(ports.controls.gateway.artifacts, tool.id);
  const presented = await presentResult(
    clean.value,
    tool,
    provenanceOf(notes, redactions),
    keeping.keep(tool),
    presentation,
  );
  for (const failure of presented.failures) ports.log(failure);
  const answer = objectAnswer(render, presented.envelope, presented.content, presented.beside);
  const meta = Object.entries(presented.meta ?? {}).filter(([key]) => !key.startsWith("loomgate/"));
  // In a small answer the parts themselves say it.
  const keptParts = presented.records.length > 0 || render === "json" ? presented.keptParts : [];
  return ok({
    answer: {
      ...presented.foreign,
      ...answer,
      ...(presented.isError ? { isError: true } : {}),
      _meta: {
        ...Object.fromEntries(meta),
        [ENVELOPE_KEY]: presented.envelope,
        ...(keptParts.length === 0 ? {} : { [KEPT_PARTS_KEY]: keptParts }),
      },
    },
    kept: presented.records,
    figures: figuresOf(presented.envelope),
  });
}

/** Only what was done stands in the provenance; names in it are the caller's own, as many and as long as it liked. */
function provenanceOf(
  { repairs, cacheHit, attempts, replay }: CallNotes,
  redactions: number,
): CallProvenance {
  const told = repairs
    .slice(0, ARG_REPAIRS_TOLD_MAX_COUNT)
    .map(({ path, rule }) => ({ path: firstCodePoints(path, ARG_REPAIR_PATH_MAX_CODE_POINTS), rule }));
  const untold = repairs.length - told.length;
  return {
    ...(told.length === 0 ? {} : { arg_repairs: told }),
    ...(untold === 0 ? {} : { arg_repairs_untold: untold }),
    ...(cacheHit ? { cache_hit: true } : {}),
    ...(attempts > 1 ? { attempts } : {}),
    replay,
    ...(redactions === 0 ? {} : { redactions }),
  };
}
