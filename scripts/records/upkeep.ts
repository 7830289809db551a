import { isJsonArray, memberOf } from "../../src/json.ts";
import { Told } from "../command-line.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";

/** Counts of what went, by their names. */
export type Counts = Readonly<Record<string, number>>;

/** Asks for one step after another until one says that it was the last, and sums what each did. A cut is gone on with by the same command. */
async function untilDone(
  ask: () => Promise<unknown>,
  countsOf: (answer: unknown) => unknown,
): Promise<Counts> {
  const sums: Record<string, number> = {};
  for (;;) {
    const answer = await ask();
    const counts = countsOf(answer);
    for (const [name, count] of Object.entries(typeof counts === "object" && counts !== null ? counts : {}))
      sums[name] = (sums[name] ?? 0) + Number(count);
    if (memberOf(answer, "done") !== false) return sums;
    if (process.stderr.isTTY) process.stderr.write(`\r${Object.values(sums).join(" ")}\r`);
  }
}

/** Removes a connection with everything that hangs on it. */
export async function removeConnection(admin: Admin, connection: string): Promise<Counts> {
  return untilDone(
    () =>
      callAdmin(admin, "DELETE", `/records/connections/${encodeURIComponent(connection)}`, undefined, {
        notFound: `there is no connection ${JSON.stringify(connection)}: npm run records -- list shows them`,
      }),
    (answer) => memberOf(answer, "removed"),
  );
}

export async function removeManifest(admin: Admin, connector: string): Promise<unknown> {
  return callAdmin(admin, "DELETE", `/records/manifests/${encodeURIComponent(connector)}`, undefined, {
    notFound: noManifest(connector),
  });
}

export interface Deletion {
  readonly connection: string;
  readonly stream: string;
  readonly keys: readonly string[];
  readonly erase: boolean;
}

/** Deletes records by their keys, as many at a time as one request takes. */
export async function deleteKeys(
  admin: Admin,
  { connection, stream, keys, erase }: Deletion,
): Promise<Counts> {
  const sums: Record<string, number> = { deleted: 0, absent: 0, erased: 0 };
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const some = keys.slice(start, start + KEYS_AT_ONCE);
    let isFirst = true;
    await untilDone(
      async () => {
        const body = { connection_id: connection, stream, keys: some, erase };
        const answer = await callAdmin(admin, "POST", "/records/delete", body);
        // A later step finds deleted what the first one deleted.
        if (isFirst) for (const name of ["deleted", "absent"]) add(sums, name, memberOf(answer, name));
        add(sums, "erased", memberOf(memberOf(answer, "erased"), "versions"));
        isFirst = false;
        return answer;
      },
      () => undefined,
    );
  }
  return sums;
}

const KEYS_AT_ONCE = 1_000;

function add(sums: Record<string, number>, name: string, count: unknown): void {
  sums[name] = (sums[name] ?? 0) + Number(count);
}

/** Removes bodies of the bucket that no record names. */
export async function collectBodies(admin: Admin): Promise<Counts> {
  let cursor: unknown = null;
  return untilDone(
    async () => {
      const answer = await callAdmin(admin, "POST", "/records/collect", { cursor });
      cursor = memberOf(answer, "cursor");
      return {
        done: cursor === null,
        counts: { bodies: memberOf(answer, "bodies"), removed: memberOf(answer, "removed") },
      };
    },
    (answer) => memberOf(answer, "counts"),
  );
}

/** Indexes a connector's records by its manifest, as far as they are not; gives how many it went through. */
export async function reindex(admin: Admin, connector: string): Promise<number> {
  const counts = await untilDone(
    () =>
      callAdmin(
        admin,
        "POST",
        "/records/reindex",
        { connector_key: connector },
        { notFound: noManifest(connector) },
      ),
    (answer) => ({ records: memberOf(answer, "records") }),
  );
  return counts["records"] ?? 0;
}

/** Of this connector, or of all. */
export async function reindexAll(admin: Admin, connector: string | undefined): Promise<Counts> {
  const manifests = connector === undefined ? await callAdmin(admin, "GET", "/records/manifests") : undefined;
  const keys =
    connector === undefined
      ? itemsOf(manifests, "manifests").map((manifest) => String(memberOf(manifest, "connector_key")))
      : [connector];
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = await reindex(admin, key);
  return counts;
}

function noManifest(connector: string): string {
  return `there is no manifest of ${JSON.stringify(connector)}: npm run records -- list shows them`;
}

/** Gives a connection its name. */
export async function nameConnection(admin: Admin, connection: string, name: string): Promise<unknown> {
  return callAdmin(admin, "POST", "/records/connections", { id: connection, display_name: name });
}

/** What is there: the manifests and the connections. */
export async function listAll(admin: Admin): Promise<object> {
  const [manifests, connections] = [
    await callAdmin(admin, "GET", "/records/manifests"),
    await callAdmin(admin, "GET", "/records/connections"),
  ];
  return {
    connections: memberOf(connections, "connections"),
    manifests: memberOf(manifests, "manifests"),
  };
}

/** Keys of the command line, at least one. */
export function keysOf(words: readonly string[], usage: string): readonly string[] {
  if (words.length === 0) throw new Told(`delete takes the KEYs of records\n${usage}`);
  return [...new Set(words)];
}

export function itemsOf(value: unknown, member: string): readonly unknown[] {
  const items = memberOf(value, member);
  return isJsonArray(items) ? items : [];
}
