import { fail, ok, type Result } from "../../result.ts";
import type { LoadedManifest } from "../grant/cover.ts";
import type { ConnectorManifest, StreamForm, StreamManifest, StreamSlots } from "./manifest.ts";
import { isChanged, rowChanges } from "./row-changes.ts";
import { assignSlots, foreignKeysOf } from "./slots.ts";
import { streamForm } from "./stream-form.ts";

/** What of a stream cannot change any more, since rows were written by it. */
export interface ManifestConflict {
  readonly stream: string;
  readonly message: string;
}

/** How a manifest comes in place of another. */
export interface ReloadPlan {
  readonly slots: ReadonlyMap<string, StreamSlots>;
  /** Streams whose rows have to be indexed anew before it may count. */
  readonly reindexed: readonly string[];
}

/**
 * The columns that a manifest's streams get in place of `old`. `used` are the streams that were ever written to in any
 * connection: of those a field keeps its column while its kind stays, and what is new gets one that is free, so that rows
 * serve both manifests while they are indexed anew. What their grants go by stays.
 */
export function planReload(
  old: LoadedManifest | null,
  manifest: ConnectorManifest,
  used: ReadonlySet<string>,
): Result<ReloadPlan, readonly ManifestConflict[]> {
  const standing = [...(old?.manifest.streams.values() ?? [])].filter(({ name }) => used.has(name));
  const conflicts = standing.flatMap((before) =>
    conflictsOf(before, manifest.streams.get(before.name)).map((message) => ({
      stream: before.name,
      message,
    })),
  );
  if (conflicts.length > 0) return fail(conflicts);
  const forms = [...manifest.streams.values()].map((stream): StreamForm => {
    const before = old === null ? undefined : streamForm(old, stream.name);
    const foreignKeys = foreignKeysOf(manifest, stream.name);
    if (before === undefined || !used.has(stream.name))
      return { stream, slots: assignSlots(stream, before?.slots, foreignKeys) };
    const same = [...before.slots].filter(
      ([name]) => stream.fields.get(name)?.kind === before.stream.fields.get(name)?.kind,
    );
    return { stream, slots: assignSlots(stream, new Map(same), foreignKeys, before.slots.values()) };
  });
  const changed = forms.flatMap((after) => {
    const before = old === null ? undefined : streamForm(old, after.stream.name);
    return before === undefined || !used.has(after.stream.name) ? [] : [{ before, after }];
  });
  return ok({
    slots: new Map(forms.map(({ stream, slots }) => [stream.name, slots])),
    reindexed: changed
      .filter(({ before, after }) => isChanged(rowChanges(before, after)))
      .map(({ after }) => after.stream.name),
  });
}

/** Whether rows of both forms may stand in one feed: both say alike which of them a grant with times covers. */
export function conflictsOf(before: StreamManifest, after: StreamManifest | undefined): readonly string[] {
  if (after === undefined) return ["the stream is gone"];
  return before.consentTimeField === after.consentTimeField ? [] : ["consent_time_field changes"];
}
