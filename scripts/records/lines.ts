import { isJsonArray, memberOf } from "../../src/json.ts";
import type { ImportReport } from "./import.ts";
import { type Counts, itemsOf } from "./upkeep.ts";

/** What an import wrote, as a line. */
export function reportLine(
  connection: string,
  stream: string,
  { lines, connector, ...counts }: ImportReport,
): string {
  const end = process.stderr.isTTY ? "\r" : "";
  const made = connector === undefined ? "" : `; a new connection of ${connector}`;
  const parts = countsText(counts);
  return `${end}${stream} of ${connection}: ${lines} ${lines === 1 ? "line" : "lines"}${parts === "" ? "" : `, ${parts}`}${made}`;
}

/** `3 created, 1 deleted`: what there is none of is not said. */
export function countsText(counts: Counts): string {
  return Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
    .join(", ");
}

/** A loaded manifest. */
export function loadedLine(manifest: unknown): string {
  const state = memberOf(manifest, "changed") === true ? "loaded" : "as before";
  const streams = memberOf(manifest, "streams");
  return `${text(manifest, "connector_key")}  ${state}  ${isJsonArray(streams) ? streams.join(" ") : ""}`;
}

/** Everything that is there: connections with their streams, then the manifests. */
export function listLines(listed: unknown): string[] {
  return [
    ...itemsOf(listed, "connections").flatMap(connectionLines),
    ...itemsOf(listed, "manifests").map(manifestLine),
  ];
}

function connectionLines(connection: unknown): string[] {
  const going = memberOf(connection, "being_removed") === true ? "  being removed" : "";
  return [
    `${text(connection, "id")}  ${text(connection, "connector_key")}${nameOf(connection)}${going}`,
    ...itemsOf(connection, "streams").map(
      (stream) => `  ${text(stream, "name")}  ${text(stream, "record_count")}`,
    ),
  ];
}

function manifestLine(manifest: unknown): string {
  const streams = itemsOf(manifest, "streams").map((stream) => text(stream, "name"));
  const waiting = memberOf(manifest, "reindexing") === true ? "  another one waits: reindex" : "";
  return `manifest ${text(manifest, "connector_key")}${nameOf(manifest)}  ${streams.join(" ")}${waiting}`;
}

function nameOf(value: unknown): string {
  const name = memberOf(value, "display_name");
  return typeof name === "string" ? `  ${JSON.stringify(name)}` : "";
}

function text(value: unknown, member: string): string {
  return String(memberOf(value, member));
}
