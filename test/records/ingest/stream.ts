import { readManifest } from "../../../src/records/manifest/read-manifest.ts";
import type { StreamManifest } from "../../../src/records/manifest/manifest.ts";

/** A connector of one stream, as its manifest has it. */
export function manifestOf(stream: object): Record<string, unknown> {
  return { connector_key: "notes", streams: [stream] };
}

export const NOTES = {
  name: "notes",
  primary_key: ["id"],
  cursor_field: "at",
  consent_time_field: "at",
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      title: { type: ["string", "null"] },
      at: { type: "string", format: "date-time" },
      size: { type: "integer" },
      price: { type: "number" },
      done: { type: "boolean" },
      tags: { type: "array" },
    },
  },
  query: { search: { lexical_fields: ["title"] } },
};

export function notesStream(): StreamManifest {
  const read = readManifest(manifestOf(NOTES));
  const stream = read.ok ? read.value.streams.get("notes") : undefined;
  if (stream === undefined) throw new Error("no stream");
  return stream;
}
