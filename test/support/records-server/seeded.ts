import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, memberOf } from "../../../src/json.ts";
import { type Grant, listOf, type Seed } from "./data.ts";
import { type RecordsServer, type RecordsServerOptions, startRecordsServer } from "./server.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/records");

/** The rows that the recorded server was seeded with. */
export function recordedSeed(): Seed {
  const seed: unknown = JSON.parse(readFileSync(join(FIXTURES, "seed.json"), "utf8"));
  const records = memberOf(seed, "records");
  return { manifests: listOf(memberOf(seed, "manifests")), records: isRecord(records) ? records : {} };
}

/** One recorded request and its answer. */
export interface Recorded {
  readonly note: string;
  readonly token: string | null;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

export function recordedAnswers(): readonly Recorded[] {
  const lines = readFileSync(join(FIXTURES, "answers.jsonl"), "utf8").trim().split("\n");
  return lines.flatMap((line): Recorded[] => {
    const each: unknown = JSON.parse(line);
    const path = memberOf(each, "path");
    if (typeof path !== "string") return [];
    const token = memberOf(each, "token");
    return [
      {
        note: String(memberOf(each, "note")),
        token: typeof token === "string" ? token : null,
        path,
        status: Number(memberOf(each, "status")),
        body: memberOf(each, "body"),
      },
    ];
  });
}

const MAIL = { connectionId: "cin_a", streams: "all" } as const;
const CHAT = { connectionId: "cin_b", streams: "all" } as const;

/** The recorded bearers, by the names that the recording gives them. */
export const RECORDED_GRANTS: Readonly<Record<string, Grant>> = {
  mail: { kind: "client", grantId: "grt_1", connections: [MAIL] },
  mailNarrow: {
    kind: "client",
    grantId: "grt_2",
    connections: [
      { connectionId: "cin_a", streams: [{ name: "messages", fields: ["id", "sender", "sent_at"] }] },
    ],
  },
  both: { kind: "mcp_package", grantId: "pkg_1", connections: [MAIL, CHAT] },
  owner: { kind: "owner", grantId: null, connections: [] },
  odd: { kind: "robot", grantId: "grt_9", connections: [MAIL] },
};

/** The recorded server: one connection of mail, one of chat. */
export function startRecorded(more: Partial<RecordsServerOptions> = {}): Promise<RecordsServer> {
  return startRecordsServer({
    seed: recordedSeed(),
    connections: [
      { connectionId: "cin_b", connectorKey: "testchat" },
      { connectionId: "cin_a", connectorKey: "testmail" },
    ],
    grants: RECORDED_GRANTS,
    ...more,
  });
}
