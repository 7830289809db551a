import { createReadStream, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { callAdmin, findAdmin } from "../token/admin-client.ts";
import { batchesOf } from "./batches.ts";
import { type ImportReport, ingestUrl, sendAll, withOwner } from "./import.ts";

const USAGE = `usage: npm run records -- manifest FILE
       npm run records -- import FILE --connection C --stream S [--connector K]
       npm run records -- list
each with [--json] and [--state DIR | --url URL (needs OPERATOR_TOKEN)]; FILE - is standard input
  manifest        loads a connector's manifest, an array of them, or an object with "manifests"
  import          writes NDJSON, a line a record: {"key": "n1", "data": {…}, "emitted_at": "2026-01-31T12:00:00Z"}
                  (all three are required), or {"key": "n1", "deleted": true}
  --connection C  whose account it is; made if it is new
  --connector K   the connector of a new one, where neither C begins with its key nor stream and records tell`;

await runCommand(async () => {
  const { values, positionals } = readCommandLine(process.argv.slice(2), USAGE, {
    connection: { type: "string" },
    stream: { type: "string" },
    connector: { type: "string" },
    url: { type: "string" },
    state: { type: "string", default: ".loomgate" },
    json: { type: "boolean", default: false },
  });
  const print = (value: unknown, lines: () => string[]): void => {
    console.log(values.json ? JSON.stringify(value) : lines().join("\n"));
  };
  const admin = () => findAdmin(values.url, resolve(values.state), process.env);
  const [action, file, ...rest] = positionals;
  const { connection, stream, connector } = values;
  if (rest.length > 0) throw new Told(USAGE);
  if (action === "manifest" && file !== undefined) {
    const loaded = await callAdmin(admin(), "POST", "/records/manifests", manifestText(file));
    print(loaded, () => itemsOf(loaded, "manifests").map(manifestLine));
  } else if (action === "import" && file !== undefined && connection !== undefined && stream !== undefined) {
    const found = admin();
    const target = { connection, stream, connector };
    const report = await withOwner(found, async (token) =>
      sendAll(ingestUrl(found, target), token, batchesOf(bytesOf(file)), showProgress),
    );
    print({ connection_id: connection, stream, ...report }, () => [reportLine(connection, stream, report)]);
  } else if (action === "list" && file === undefined) {
    const listed = await callAdmin(admin(), "GET", "/records/connections");
    print(listed, () => itemsOf(listed, "connections").flatMap(connectionLines));
  } else if (action === "import") {
    throw new Told(`import takes a FILE, --connection and --stream\n${USAGE}`);
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

function reportLine(
  connection: string,
  stream: string,
  { lines, connector, ...counts }: ImportReport,
): string {
  const parts = Object.entries(counts).flatMap(([status, count]) =>
    count > 0 ? [`${count} ${status}`] : [],
  );
  const end = process.stderr.isTTY ? "\r" : "";
  const made = connector === undefined ? "" : `; a new connection of ${connector}`;
  return `${end}${stream} of ${connection}: ${lines} ${lines === 1 ? "line" : "lines"}${parts.length > 0 ? `, ${parts.join(", ")}` : ""}${made}`;
}

function manifestLine(manifest: unknown): string {
  const state = memberOf(manifest, "changed") === true ? "loaded" : "as before";
  const streams = memberOf(manifest, "streams");
  return `${String(memberOf(manifest, "connector_key"))}  ${state}  ${isJsonArray(streams) ? streams.join(" ") : ""}`;
}

function connectionLines(connection: unknown): string[] {
  const name = memberOf(connection, "display_name");
  const label = typeof name === "string" ? `  ${JSON.stringify(name)}` : "";
  return [
    `${String(memberOf(connection, "id"))}  ${String(memberOf(connection, "connector_key"))}${label}`,
    ...itemsOf(connection, "streams").map(
      (stream) => `  ${String(memberOf(stream, "name"))}  ${String(memberOf(stream, "record_count"))}`,
    ),
  ];
}

function itemsOf(value: unknown, member: string): readonly unknown[] {
  const items = memberOf(value, member);
  return isJsonArray(items) ? items : [];
}
