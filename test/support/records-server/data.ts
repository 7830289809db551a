import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";

export type Json = Readonly<Record<string, unknown>>;

/** One state of a record; without data a tombstone. */
export interface Version {
  readonly version: number;
  readonly key: string;
  readonly data: Json | null;
  readonly emittedAt: string;
}

/** One stream of one connection. */
export interface Feed {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly stream: string;
  readonly manifest: Json;
  /** In the order of writing. */
  readonly versions: Version[];
}

/** What a bearer may read; `fields` null: all. */
export interface Grant {
  readonly kind: string;
  readonly grantId: string | null;
  readonly connections: readonly {
    readonly connectionId: string;
    readonly streams: readonly { readonly name: string; readonly fields?: readonly string[] }[] | "all";
  }[];
}

/** A feed through a grant. */
export interface Covered {
  readonly feed: Feed;
  readonly fields: ReadonlySet<string> | null;
}

export interface Seed {
  readonly manifests: readonly Json[];
  /** Records by connector and stream, each `{key, data, emitted_at}`. */
  readonly records: Json;
}

/** A connection of a connector over what the seed has of it. */
export interface SeededConnection {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly displayName?: string;
}

export function listOf(value: unknown): readonly Json[] {
  return isJsonArray(value) ? value.filter((item) => isRecord(item)) : [];
}

export function objectIn(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function namesIn(value: unknown): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function feedsOf({ manifests, records }: Seed, connections: readonly SeededConnection[]): Feed[] {
  return connections.flatMap(({ connectionId, connectorKey }) => {
    const manifest = manifests.find((candidate) => candidate["connector_key"] === connectorKey);
    return listOf(manifest?.["streams"]).map((stream) => {
      const name = String(stream["name"]);
      const feed: Feed = { connectionId, connectorKey, stream: name, manifest: stream, versions: [] };
      for (const row of listOf(memberOf(memberOf(records, connectorKey), name))) {
        const data = row["data"];
        write(feed, String(row["key"]), isRecord(data) ? data : null, String(row["emitted_at"]));
      }
      return feed;
    });
  });
}

export function write(feed: Feed, key: string, data: Json | null, emittedAt: string): void {
  feed.versions.push({ version: feed.versions.length + 1, key, data, emittedAt });
}

/** The newest state of every record that is not deleted, in the order of a page. */
export function liveRecords({ versions, manifest }: Feed, order: "asc" | "desc"): readonly Version[] {
  const newest = new Map(versions.map((version) => [version.key, version]));
  const field = String(manifest["cursor_field"]);
  const value = ({ data, key }: Version) => `${JSON.stringify(data?.[field] ?? "")} ${key}`;
  const sorted = [...newest.values()]
    .filter(({ data }) => data !== null)
    .sort((left, right) => (value(left) < value(right) ? -1 : 1));
  return order === "asc" ? sorted : sorted.toReversed();
}

export function fieldsOf({ manifest }: Feed): readonly string[] {
  return Object.keys(objectIn(memberOf(manifest["schema"], "properties")));
}

export function requiredOf({ manifest }: Feed): readonly string[] {
  return namesIn(memberOf(manifest["schema"], "required"));
}

/** What of the manifest's query declarations stands under a path of names. */
export function declared({ manifest }: Feed, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => memberOf(value, name), manifest["query"]);
}
