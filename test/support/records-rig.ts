import { ingestUrl, withOwner } from "../../scripts/records/import.ts";
import { type Admin, callAdmin } from "../../scripts/token/admin-client.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { GatewayClient } from "./mcp-client.ts";
import type { ScenarioContext } from "./records-scenarios/context.ts";
import { type Grant, listOf, objectIn, type Seed } from "./records-server/data.ts";
import { recordedSeed, startRecorded } from "./records-server/seeded.ts";
import { type RecordsServer, startRecordsServer } from "./records-server/server.ts";
import { removeState, startGateway, type StartedGateway } from "./started-gateway.ts";

const BEARERS = {
  RS_MAIL: "records-bearer-of-the-mailbox-5b2f",
  RS_CHAT: "records-bearer-of-the-chat-77aa",
  RS_WIDE: "records-bearer-of-everything-19cd",
  RS_OWNER: "records-bearer-of-the-owner-42e0",
};

/** What no output may show. */
export const SOURCE_SECRETS: readonly string[] = Object.values(BEARERS);

export const WIDE_STREAMS_COUNT = 80;

const WAYWARD_TIMEOUT_MS = 1_000;
const EMITTED_AT = "2026-06-01T00:00:00Z";

/** A bearer over connections of the embedded server and external sources, with a client that uses it. */
export interface Granted {
  readonly token: string;
  /** The ids of its grants, those of connections first. */
  readonly ids: readonly string[];
  readonly client: GatewayClient;
}

/** A gateway over the recorded mailbox, kept by itself and by servers of each kind. */
export interface RecordsRig {
  readonly gateway: StartedGateway;
  readonly admin: Admin;
  readonly full: RecordsServer;
  readonly strict: RecordsServer;
  /** Like `full`; for harm. */
  readonly wayward: RecordsServer;
  /** Everything that any client was answered. */
  readonly outputs: readonly string[];
  /** What the external servers were asked. */
  seen(): readonly string[];
  granted(connections: readonly string[], sources: readonly string[]): Promise<Granted>;
  ingest(connection: string, stream: string, lines: readonly unknown[]): Promise<void>;
  /** A request to the read surface as it goes over the wire. */
  post(token: string, body: string): Promise<Response>;
  /** The ways to read the mailbox that every scenario is run over. */
  readonly backends: Readonly<Record<BackendName, () => Promise<ScenarioContext>>>;
  close(): Promise<void>;
}

export const BACKEND_NAMES = [
  "the embedded server",
  "an external server",
  "an external server of the stricter kind",
  "the embedded and an external server as one",
  "a stricter and a full external server as one",
] as const;

export type BackendName = (typeof BACKEND_NAMES)[number];

function clientOf(connectionId: string): Grant {
  return { kind: "client", grantId: `grt_${connectionId}`, connections: [{ connectionId, streams: "all" }] };
}

const GRANTS: Readonly<Record<string, Grant>> = {
  [BEARERS.RS_MAIL]: clientOf("cin_a"),
  [BEARERS.RS_CHAT]: clientOf("cin_b"),
  [BEARERS.RS_OWNER]: { kind: "owner", grantId: null, connections: [] },
};

/** A connector with more streams than a model wants to read of. */
function wideSeed(): Seed {
  const [mail = {}] = recordedSeed().manifests;
  const [, messages = {}] = listOf(mail["streams"]);
  const streams = Array.from({ length: WIDE_STREAMS_COUNT }, (_, at) =>
    Object.assign({}, messages, { name: `stream_${at}` }),
  );
  const names = { connector_key: "wide", connector_id: "wide", display_name: "Wide" };
  return { manifests: [{ ...mail, ...names, streams }], records: {} };
}

export async function startRecordsRig(): Promise<RecordsRig> {
  const [full, strict, wayward, wide] = await Promise.all([
    startRecorded({ grants: GRANTS }),
    startRecorded({ grants: GRANTS, profile: "core-v0.1-client" }),
    startRecorded({ grants: GRANTS }),
    startRecordsServer({
      seed: wideSeed(),
      connections: [{ connectionId: "cin_wide", connectorKey: "wide" }],
      grants: { [BEARERS.RS_WIDE]: clientOf("cin_wide") },
    }),
  ]);
  const http = (name: string, { url }: RecordsServer, variable: keyof typeof BEARERS) => ({
    kind: "http",
    name,
    url,
    token_env: variable,
    // What hangs is waited for so long; what answers does so at once.
    timeout_ms: name === "wayward" ? WAYWARD_TIMEOUT_MS : 10_000,
  });
  const sources = [
    { kind: "d1" },
    http("full", full, "RS_MAIL"),
    http("strict", strict, "RS_MAIL"),
    http("chat", full, "RS_CHAT"),
    http("wayward", wayward, "RS_CHAT"),
    http("owned", full, "RS_OWNER"),
    http("wide", wide, "RS_WIDE"),
  ];
  const gateway = await startGateway({ config: JSON.stringify({ records: { sources } }), env: BEARERS });
  const dev = gateway.devFile();
  const admin = { url: String(dev["admin"]), operatorToken: String(dev["operator_token"]) };
  const clients: GatewayClient[] = [];
  const outputs: string[] = [];

  const ingest: RecordsRig["ingest"] = (connection, stream, lines) =>
    withOwner(admin, async (bearer) => {
      const url = ingestUrl(admin, { connection, stream, connector: undefined });
      const headers = { authorization: `Bearer ${await bearer()}`, "content-type": "application/x-ndjson" };
      const body = lines.map((line) => JSON.stringify(line)).join("\n");
      const response = await fetch(url, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
    });
  const granted: RecordsRig["granted"] = async (connections, names) => {
    const made = await callAdmin(admin, "POST", "/grants", {
      connections: connections.map((id) => ({ connection_id: id, streams: [{ name: "*" }] })),
      sources: names,
    });
    const token = String(memberOf(made, "token"));
    const client = new GatewayClient(`${gateway.origin}/mcp/records`, token, async (input, init) => {
      const response = await fetch(input, init);
      outputs.push(await response.clone().text());
      return response;
    });
    clients.push(await client.connect());
    const grants = memberOf(made, "grants");
    const ids = isJsonArray(grants) ? grants.map((grant) => String(memberOf(grant, "id"))) : [];
    return { token, client, ids };
  };
  const seen = () => [full, strict, wayward, wide].flatMap((server) => server.seen.map(({ url }) => url));
  const backend =
    (
      [connections, names]: readonly [readonly string[], readonly string[]],
      rest: Omit<ScenarioContext, "client" | "seen">,
    ) =>
    async (): Promise<ScenarioContext> => ({ ...(await granted(connections, names)), ...rest, seen });
  const embedded: ScenarioContext["write"] = (key, data) =>
    ingest("cin_a", "messages", [
      data === null ? { key, deleted: true } : { key, data, emitted_at: EMITTED_AT },
    ]);
  const outside =
    (server: RecordsServer): ScenarioContext["write"] =>
    async (key, data) => {
      server.write("cin_a", "messages", key, data === null ? null : objectIn(data));
    };
  const alone = { connection: {}, messages: 12 };
  const several = { connection: { connection_id: "cin_a" }, messages: 24 };

  await callAdmin(admin, "POST", "/records/manifests", {
    manifests: [...recordedSeed().manifests, ...wideSeed().manifests],
  });
  const mailbox = { id: "cin_a", connector_key: "testmail", display_name: "Work mail" };
  await callAdmin(admin, "POST", "/records/connections", mailbox);
  await callAdmin(admin, "POST", "/records/connections", { id: "cin_wide", connector_key: "wide" });
  const streams = Object.entries(objectIn(memberOf(recordedSeed().records, "testmail")));
  await Promise.all(streams.map(([stream, rows]) => ingest("cin_a", stream, isJsonArray(rows) ? rows : [])));

  return {
    gateway,
    admin,
    full,
    strict,
    wayward,
    outputs,
    seen,
    granted,
    ingest,
    post: (token, body) =>
      fetch(`${gateway.origin}/mcp/records`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body,
      }),
    backends: {
      "the embedded server": backend([["cin_a"], []], { ...alone, takesFilters: true, write: embedded }),
      "an external server": backend([[], ["full"]], { ...alone, takesFilters: true, write: outside(full) }),
      "an external server of the stricter kind": backend([[], ["strict"]], {
        ...alone,
        takesFilters: false,
        write: outside(strict),
      }),
      "the embedded and an external server as one": backend([["cin_a"], ["chat"]], {
        ...several,
        takesFilters: true,
        write: embedded,
      }),
      "a stricter and a full external server as one": backend([[], ["strict", "chat"]], {
        ...several,
        takesFilters: false,
        write: outside(strict),
      }),
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await gateway.stop();
      removeState(gateway);
      await Promise.all([full, strict, wayward, wide].map((server) => server.close()));
    },
  };
}
