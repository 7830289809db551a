import { parseExactJson } from "../../exact-json/parse.ts";
import { parsedJson } from "../../json.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import { readSlots } from "../manifest/slots.ts";
import type { LoadedManifest } from "./cover.ts";

/** A kept manifest and its slots, as texts, back as what they were made of; nothing where they cannot be read. */
export function readManifestTexts(manifest: string, slots: string): LoadedManifest | undefined {
  const parsed = parseExactJson(manifest, { duplicates: "last" });
  const read = parsed.ok ? readManifest(parsed.value) : parsed;
  return read.ok ? { manifest: read.value, slots: readSlots(parsedJson(slots)) } : undefined;
}
