import { isJsonArray, memberOf } from "../../src/json.ts";

export function grantLines(listed: unknown): readonly string[] {
  const grants = memberOf(listed, "grants");
  return isJsonArray(grants) ? grants.map(line) : [];
}

/** One grant as one line: its id, its package's if it has one, what it is about, how long its bearer is good for. */
function line(grant: unknown): string {
  const isRevoked =
    memberOf(grant, "revoked_at_ms") !== null || memberOf(grant, "token_revoked_at_s") !== null;
  const expiry = new Date(Number(memberOf(grant, "token_expires_at_s")) * 1000).toISOString();
  const packageId = memberOf(grant, "package_id");
  const connection = memberOf(grant, "connection_id");
  const streams = memberOf(grant, "streams");
  return [
    String(memberOf(grant, "id")),
    ...(typeof packageId === "string" ? [packageId] : []),
    JSON.stringify(memberOf(grant, "name")),
    typeof connection === "string" ? connection : `source ${String(memberOf(grant, "source"))}`,
    ...(isJsonArray(streams) && streams.length > 0 ? [streams.map(streamWord).join("; ")] : []),
    isRevoked ? "revoked" : `expires ${expiry}`,
  ].join("  ");
}

/** Times are kept in UTC without the letter that says so: `notes:id,title since 2026-01-01T00:00:00Z keys "n1" "n2"` */
function streamWord(stream: unknown): string {
  const [fields, resources] = [memberOf(stream, "fields"), memberOf(stream, "resources")];
  const name = String(memberOf(stream, "name"));
  return [
    isJsonArray(fields) ? `${name}:${fields.map(String).join(",")}` : name,
    ...["since", "until"].flatMap((bound) => {
      const time = memberOf(stream, bound);
      return typeof time === "string" ? [`${bound} ${time.includes("T") ? `${time}Z` : time}`] : [];
    }),
    ...(isJsonArray(resources) ? [`keys ${resources.map((key) => JSON.stringify(key)).join(" ")}`] : []),
  ].join(" ");
}
