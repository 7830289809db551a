import { fail, ok, type Result } from "../../result.ts";
import type { LoadedManifest } from "../grant/cover.ts";
import type { ConnectorManifest, StreamManifest, StreamSlots } from "./manifest.ts";
import { assignSlots, foreignKeysOf, keptSlots } from "./slots.ts";

/** What of a stream cannot change any more, since rows were written by it. */
export interface ManifestConflict {
  readonly stream: string;
  readonly message: string;
}

/**
 * The columns that a manifest's streams get in place of `old`. A field keeps its column. `used` are the streams that were
 * ever written to in any connection: of those the meaning of what was written stays, and a new field gets no column, so
 * that a filter finds old rows as well as new ones.
 */
export function planReload(
  old: LoadedManifest | null,
  manifest: ConnectorManifest,
  used: ReadonlySet<string>,
): Result<Map<string, StreamSlots>, readonly ManifestConflict[]> {
  const conflicts = [...(old?.manifest.streams.values() ?? [])]
    .filter(({ name }) => used.has(name))
    .flatMap((before) =>
      changesOf(before, manifest.streams.get(before.name)).map((message) => ({
        stream: before.name,
        message,
      })),
    );
  if (conflicts.length > 0) return fail(conflicts);
  return ok(
    new Map(
      [...manifest.streams.values()].map((stream) => {
        const kept = old?.slots.get(stream.name) ?? new Map();
        return [
          stream.name,
          used.has(stream.name)
            ? keptSlots(stream, kept)
            : assignSlots(stream, kept, foreignKeysOf(manifest, stream.name)),
        ];
      }),
    ),
  );
}

function changesOf(before: StreamManifest, after: StreamManifest | undefined): string[] {
  if (after === undefined) return ["the stream is gone"];
  const changes: string[] = [];
  if (before.cursorField !== after.cursorField) changes.push("cursor_field changes");
  if (before.consentTimeField !== after.consentTimeField) changes.push("consent_time_field changes");
  if (!isSame(before.primaryKey, after.primaryKey)) changes.push("primary_key changes");
  if (!isSame(before.lexicalFields, after.lexicalFields)) changes.push("search.lexical_fields change");
  for (const { name, kind } of before.fields.values()) {
    const now = after.fields.get(name);
    if (now !== undefined && now.kind !== kind)
      changes.push(`field "${name}" changes from ${kind} to ${now.kind}`);
  }
  return changes;
}

function isSame(before: readonly string[], after: readonly string[]): boolean {
  return JSON.stringify([...before].toSorted()) === JSON.stringify([...after].toSorted());
}
