import type { CatalogTool } from "../catalog/catalog.ts";
import { firstCodePoints } from "../catalog/cards/display-text.ts";
import type { CallNotes, PresentedAnswer } from "../dispatch/ports.ts";
import { exactJsonText } from "../exact-json/write.ts";
import type { CallProvenance, Envelope } from "../firewall/envelope.ts";
import { presentResult, type Presentation, type Presented } from "../firewall/present.ts";
import { isTooLarge } from "../firewall/result/keepsake.ts";
import type { Part, ToolResult } from "../firewall/result/tool-result.ts";
import { ARG_REPAIRS_TOLD_MAX_COUNT, ARG_REPAIR_PATH_MAX_CODE_POINTS } from "../limits.ts";
import { largePayloadsIn } from "../large-payloads.ts";
import { ok, type Result } from "../result.ts";
import type { ToolAnswer } from "../surface.ts";
import type { CallKeeping } from "./call-keeping.ts";
import { cleanResult } from "./clean-result.ts";
import { ENVELOPE_KEY, KEPT_PARTS_KEY, objectAnswer, type Render } from "./answers.ts";
import type { GatewayPorts } from "./ports.ts";
import type { Shaping } from "./primitives/shaped-result.ts";
import { figuresOf } from "./telling/result-figures.ts";
import { presentationFor } from "./tool-artifacts.ts";
import { wantedMeta, wantedParts } from "./wanted-note.ts";

/** Makes an answer of an upstream's result, cleaned first of all. */
export async function present(
  tool: CatalogTool,
  result: Readonly<Record<string, unknown>>,
  notes: CallNotes,
  keeping: CallKeeping,
  ports: GatewayPorts,
  render: Render,
  shaping?: Shaping,
): Promise<Result<PresentedAnswer<ToolAnswer>, string>> {
  const clean = cleanResult(result, tool.server, ports);
  if (!clean.ok) return clean;
  // Of what was read and is no part of the result, a try that broke or another message, nothing counts.
  const redactions = largePayloadsIn(result).reduce(
    (sum, payload) => sum + payload.redactions,
    clean.value.redactions + (shaping?.redactions ?? 0),
  );
  keeping.allow(notes.allowance);
  const presentation = presentationFor(ports.controls.gateway.artifacts, tool.id);
  const presented = await presentResult(
    clean.value.judged,
    tool,
    provenanceOf(notes, redactions),
    keeping.keep(tool),
    shaping === undefined ? presentation : shapedPresentation(presentation, shaping, clean.value.judged),
  );
  for (const failure of presented.failures) ports.log(failure);
  const shown = (parts: readonly Part[]) => (shaping?.shown ? parts.flatMap(shaping.shown) : parts);
  const envelope = withStructured(presented, shaping?.structured?.(clean.value.judged), presentation);
  const answer = objectAnswer(render, envelope, shown(presented.content), shown(presented.beside));
  // In what we have shaped ourselves such keys are ours.
  const meta = Object.entries(presented.meta ?? {}).filter(
    ([key]) => shaping !== undefined || !key.startsWith("loomgate/"),
  );
  // In a small answer the parts themselves say it.
  const keptParts = presented.records.length > 0 || render === "json" ? presented.keptParts : [];
  return ok({
    answer: {
      ...presented.foreign,
      ...answer,
      content: [...answer.content, ...wantedParts(notes.wanted)],
      ...(presented.isError ? { isError: true } : {}),
      _meta: {
        ...Object.fromEntries(meta),
        [ENVELOPE_KEY]: envelope,
        ...(keptParts.length === 0 ? {} : { [KEPT_PARTS_KEY]: keptParts }),
        ...wantedMeta(notes.wanted),
      },
    },
    kept: presented.records,
    figures: figuresOf(envelope),
  });
}

function shapedPresentation(
  presentation: Presentation,
  { textAs, about, bundled, shown }: Shaping,
  clean: ToolResult,
): Presentation {
  const said = about?.(clean);
  return {
    ...presentation,
    textAs: { ...textAs, ...(said === undefined ? {} : { about: said }) },
    bundling: { ...bundled(clean), shown: shown ?? ((part) => [part]) },
  };
}

/** What a read is as a whole stands in the envelope where nothing of it was kept and it fits as a text would. */
function withStructured(
  { envelope, records }: Presented,
  structured: unknown,
  { bounds }: Presentation,
): Envelope {
  if (structured === undefined || records.length > 0) return envelope;
  return isTooLarge(exactJsonText(structured), bounds)
    ? envelope
    : { ...envelope, structured_content: structured };
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
