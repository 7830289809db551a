import type { LoadedManifest } from "../grant/cover.ts";
import type { StreamForm } from "./manifest.ts";

/** One stream of a manifest with its columns; undefined where it is not declared. */
export function streamForm({ manifest, slots }: LoadedManifest, name: string): StreamForm | undefined {
  const stream = manifest.streams.get(name);
  return stream === undefined ? undefined : { stream, slots: slots.get(name) ?? new Map() };
}
