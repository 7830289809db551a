import type { ArtifactSettings } from "../config.ts";
import type { ArtifactQuota } from "../dispatch/admission.ts";
import { globTest, idForms } from "../dispatch/globs.ts";
import type { Presentation } from "../firewall/present.ts";
import { inlineBounds } from "../firewall/result/inline-bounds.ts";
import { ARTIFACT_STORED_MAX_BYTES, RESULT_ARTIFACTS_MAX_COUNT } from "../limits.ts";
import { oncePerObject } from "../once-per-object.ts";

/** How one tool's results are shown, by the first glob that names it. */
export function presentationFor(settings: ArtifactSettings, toolId: string): Presentation {
  const ids = idForms(toolId);
  const { inline, keep } = rulesOf(settings);
  const maxTokens = inline(ids) ?? settings.inline_max_tokens;
  return { bounds: inlineBounds(maxTokens, settings.inline_image_bytes), keepPaths: keep(ids) ?? [] };
}

/** What one principal may keep, and what one result of it may come to. */
export function artifactQuota(settings: ArtifactSettings): ArtifactQuota {
  return {
    maxBytes: settings.max_bytes,
    maxCount: settings.max_count,
    onFull: settings.on_full,
    bytes: ARTIFACT_STORED_MAX_BYTES,
    // And the first answer, for whoever asks again.
    count: RESULT_ARTIFACTS_MAX_COUNT + 1,
  };
}

const rulesOf = oncePerObject(({ inline, keep }: ArtifactSettings) => ({
  inline: firstOf(inline),
  keep: firstOf(keep),
}));

function firstOf<Value>(
  globs: Readonly<Record<string, Value>>,
): (ids: readonly string[]) => Value | undefined {
  const rules = Object.entries(globs).map(([glob, value]) => ({ names: globTest(glob, false), value }));
  return (ids) => rules.find(({ names }) => ids.some((id) => names(id)))?.value;
}
