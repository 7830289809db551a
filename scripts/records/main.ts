import { createReadStream, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { memberOf } from "../../src/json.ts";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { callAdmin, findAdmin } from "../token/admin-client.ts";
import { batchesOf } from "./batches.ts";
import { type ImportReport, ingestUrl, sendAll, withOwner } from "./import.ts";
import { countsText, listLines, loadedLine, reportLine } from "./lines.ts";
import {
  collectBodies,
  deleteKeys,
  itemsOf,
  keysOf,
  listAll,
  nameConnection,
  reindex,
  reindexAll,
  removeConnection,
  removeManifest,
} from "./upkeep.ts";

const USAGE = `usage: npm run records -- manifest FILE
       npm run records -- import FILE --connection C --stream S [--connector K] [--name N]
       npm run records -- list
       npm run records -- name C NAME
       npm run records -- delete --connection C --stream S [--erase] KEY…
       npm run records -- remove C
       npm run records -- remove-manifest K
       npm run records -- reindex [K]
       npm run records -- collect
each with [--json] and [--state DIR | --url URL (needs OPERATOR_TOKEN)]; FILE - is standard input
  manifest         loads a connector's manifest, an array of them, or an object with "manifests"
  import           writes NDJSON, a line a record: {"key": "n1", "data": {…}, "emitted_at": "2026-01-31T12:00:00Z"}
                   (all three are required), or {"key": "n1", "deleted": true}
  --connection C   whose account it is; made if it is new
  --connector K    the connector of a new one, where neither C begins with its key nor stream and records tell
  --name N         what the connection is called
  list             the connections with their streams and how many records are in each, and the manifests
  name             what a connection is called from now on; '' for nothing
  delete           deletes records; readers are told that they are gone. Many: import them as deleted
  --erase          and what they were before, at once and not in 90 days
  remove           a connection: its records, its bodies, its history; its grants are revoked. Not undone
  remove-manifest  a connector that has no connection
  reindex          goes on with indexing records by a manifest that was loaded, where that was cut off; and gives
                   fields columns that had none. Of the connector K, or of all
  collect          removes bodies from R2 that a cut connection left without a record`;

await runCommand(async () => {
  const { values, positionals } = readCommandLine(process.argv.slice(2), USAGE, {
    connection: { type: "string" },
    stream: { type: "string" },
    connector: { type: "string" },
    name: { type: "string" },
    erase: { type: "boolean", default: false },
    url: { type: "string" },
    state: { type: "string", default: ".loomgate" },
    json: { type: "boolean", default: false },
  });
  const print = (value: unknown, lines: () => string[]): void => {
    console.log(values.json ? JSON.stringify(value) : lines().join("\n"));
  };
  const admin = () => findAdmin(values.url, resolve(values.state), process.env);
  const [action = "", ...words] = positionals;
  const [word, second, ...rest] = words;
  const { connection, stream, connector, name, erase } = values;
  const only = (wanted: number): boolean => words.length === wanted;
  if (action === "manifest" && word !== undefined && only(1)) {
    const found = admin();
    const loaded = await callAdmin(found, "POST", "/records/manifests", manifestText(word));
    // Until its rows are indexed by it, the manifest before counts.
    for (const manifest of itemsOf(loaded, "manifests"))
      if (memberOf(manifest, "reindexing") === true)
        await reindex(found, String(memberOf(manifest, "connector_key")));
    print(loaded, () => itemsOf(loaded, "manifests").map(loadedLine));
    for (const manifest of itemsOf(loaded, "manifests"))
      for (const warning of itemsOf(manifest, "warnings"))
        console.error(`${String(memberOf(manifest, "connector_key"))}: ${String(warning)}`);
  } else if (
    action === "import" &&
    word !== undefined &&
    only(1) &&
    connection !== undefined &&
    stream !== undefined
  ) {
    const found = admin();
    const target = { connection, stream, connector, name };
    const report = await withOwner(found, async (bearer) =>
      sendAll(ingestUrl(found, target), bearer, batchesOf(bytesOf(word)), showProgress),
    );
    print({ connection_id: connection, stream, ...report }, () => [reportLine(connection, stream, report)]);
  } else if (action === "import") {
    throw new Told(`import takes a FILE, --connection and --stream\n${USAGE}`);
  } else if (action === "list" && only(0)) {
    const listed = await listAll(admin());
    print(listed, () => listLines(listed));
  } else if (action === "name" && word !== undefined && second !== undefined && rest.length === 0) {
    const named = await nameConnection(admin(), word, second);
    print(named, () => [`${word}  ${JSON.stringify(memberOf(named, "display_name"))}`]);
  } else if (action === "delete" && connection !== undefined && stream !== undefined) {
    const keys = keysOf(words, USAGE);
    const counts = await deleteKeys(admin(), { connection, stream, keys, erase });
    const { deleted, absent, erased } = counts;
    print({ connection_id: connection, stream, deleted, absent, erased }, () => [
      `${stream} of ${connection}: ${countsText({ deleted: deleted ?? 0, absent: absent ?? 0, "earlier states erased": erased ?? 0 })}`,
    ]);
  } else if (action === "delete") {
    throw new Told(`delete takes --connection, --stream and KEYs\n${USAGE}`);
  } else if (action === "remove" && word !== undefined && only(1)) {
    const removed = await removeConnection(admin(), word);
    const { records = 0, versions = 0, bodies = 0, grants = 0 } = removed;
    print({ connection_id: word, removed }, () => [
      `${word} removed: ${records} records with ${versions} states, ${bodies} bodies in R2, ${grants} grants revoked`,
    ]);
  } else if (action === "remove-manifest" && word !== undefined && only(1)) {
    const removed = await removeManifest(admin(), word);
    print(removed, () => [`manifest ${word} removed`]);
  } else if (action === "reindex" && words.length <= 1) {
    const counts = await reindexAll(admin(), word);
    print(counts, () =>
      Object.entries(counts).map(([key, count]) => `${key}  ${count} records indexed anew`),
    );
  } else if (action === "collect" && only(0)) {
    const counts = await collectBodies(admin());
    print(counts, () => [
      `${counts["bodies"] ?? 0} bodies in R2, ${counts["removed"] ?? 0} left over and removed`,
    ]);
  } else {
    throw new Told(USAGE);
  }
});

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new Told(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Judged here, where the file has a name; what a manifest has to be is judged by the server. */
function manifestText(file: string): string {
  const text = textOf(file);
  const json = parseExactJson(text, { duplicates: "refuse" });
  if (json.ok) return text;
  const told =
    json.reason.reason === "duplicate_member"
      ? `has the member ${json.reason.path} twice`
      : "is no JSON text. A manifest is one JSON document; records, a line each, come in with import";
  throw new Told(`${file === "-" ? "standard input" : file} ${told}`);
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  const input: AsyncIterable<unknown> = file === "-" ? process.stdin : createReadStream(file);
  try {
    for await (const chunk of input) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    throw new Told(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A person sees how far it is; a pipe gets the report alone. */
function showProgress({ lines }: ImportReport): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${lines} lines`);
}
