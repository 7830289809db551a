import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import seed from "../../fixtures/records/seed.json";
import { OPERATOR, send } from "../http/client.ts";
import { broken, note, notesManifest, rows } from "./ingest-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

let owner = "";

beforeEach(async () => {
  await freshDatabase();
  owner = String(
    memberOf(await body(await admin("POST", "/tokens", { name: "import", kind: "owner" })), "token"),
  );
});

function admin(method: string, path: string, json?: unknown): Promise<Response> {
  return send(`/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${OPERATOR}` },
    ...(json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) }),
  });
}

function post(path: string, lines: readonly (object | string)[] | string, bearer = owner): Promise<Response> {
  const text =
    typeof lines === "string"
      ? lines
      : lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return send(`/v1/ingest/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${bearer}` },
    body: text,
  });
}

async function body(response: Response): Promise<unknown> {
  return response.json();
}

describe("POST /admin/records/manifests", () => {
  it("loads the manifests of a seed, and knows them again", async () => {
    const loaded = await admin("POST", "/records/manifests", seed);
    expect(loaded.status).toBe(200);
    expect(await body(loaded)).toEqual({
      manifests: ["testmail", "testchat"].map((connector_key) => ({
        connector_key,
        streams: ["threads", "messages"],
        changed: true,
      })),
    });
    expect(
      memberOf(await body(await admin("POST", "/records/manifests", seed.manifests)), "manifests"),
    ).toMatchObject([{ changed: false }, { changed: false }]);
    expect(await body(await admin("GET", "/records/manifests"))).toMatchObject({
      manifests: [
        { connector_key: "testchat" },
        { connector_key: "testmail", streams: [{ name: "threads", fields: 3 }, { fields: 6 }] },
      ],
    });
  });

  it("loads none where records stand in the way of one", async () => {
    await admin("POST", "/records/manifests", notesManifest());
    await post("notes?connection_id=notes-1", [note("a")]);
    const without = notesManifest((stream) => ({ ...stream, consent_time_field: null }));
    const response = await admin("POST", "/records/manifests", [...seed.manifests, without]);
    expect([response.status, await body(response)]).toEqual([
      409,
      { error: "manifest_in_use", problems: ["notes: consent_time_field changes"] },
    ]);
    expect(await rows("SELECT connector_key FROM record_manifests")).toEqual([{ connector_key: "notes" }]);
  });

  it("loads none where one is wrong, and says what and where", async () => {
    const response = await admin("POST", "/records/manifests", [
      notesManifest(),
      notesManifest((stream) => ({ ...stream, cursor_field: "gone" })),
    ]);
    expect(response.status).toBe(400);
    expect(await body(response)).toEqual({
      error: "invalid",
      problems: ["/1/streams/0/cursor_field: is no declared field"],
    });
    expect(await rows("SELECT * FROM record_manifests")).toEqual([]);
    expect(
      (await admin("POST", "/records/manifests", '{"connector_key":"a","connector_key":"b"}')).status,
    ).toBe(400);
  });
});

describe("POST /v1/ingest/{stream}", () => {
  beforeEach(async () => {
    await admin("POST", "/records/manifests", seed);
    await admin("POST", "/records/manifests", notesManifest());
  });

  it("makes the connection, reports each line, and is listed with its counts", async () => {
    const response = await post("messages?connection_id=testmail-work", seed.records.testmail.messages);
    expect(response.status).toBe(200);
    expect(await body(response)).toMatchObject({
      object: "ingest_report",
      stream: "messages",
      connection_id: "testmail-work",
      accepted: 12,
      rejected: 0,
      data: seed.records.testmail.messages.map((_, index) => ({ line: index + 1, status: "created" })),
    });
    expect(await body(await admin("GET", "/records/connections"))).toMatchObject({
      connections: [
        {
          id: "testmail-work",
          connector_key: "testmail",
          streams: [
            { name: "threads", record_count: 0, version: 0, last_emitted_at: null },
            { name: "messages", record_count: 12, version: 12, last_emitted_at: "2026-02-12T00:00:00Z" },
          ],
        },
      ],
    });
    expect(await broken()).toEqual([]);
  });

  it("finds the connector by the connection's id, by name, by the stream or by the records, and says which it was", async () => {
    expect((await post("notes?connection_id=anything", [note("a")])).status).toBe(200);
    expect((await post("threads?connection_id=mine&connector_id=testchat", [])).status).toBe(200);
    const made = await post("messages?connection_id=testmailer", seed.records.testmail.messages);
    expect(await body(made)).toMatchObject({ connector_key: "testmail", connection_is_new: true });
    const again = await post("messages?connection_id=testmailer", seed.records.testmail.messages);
    expect(await body(again)).toMatchObject({ connector_key: "testmail", connection_is_new: false });
    expect((await post("gone?connection_id=testmail-1", [])).status).toBe(404);
    expect((await post("messages?connection_id=mine&connector_id=testmail", [])).status).toBe(400);
    expect(await rows("SELECT id, connector_key FROM record_connections ORDER BY id")).toEqual([
      { id: "anything", connector_key: "notes" },
      { id: "mine", connector_key: "testchat" },
      { id: "testmailer", connector_key: "testmail" },
    ]);
  });

  it("says who declares no such stream, and what is declared instead", async () => {
    const told = async (path: string) => {
      const error = memberOf(await body(await post(path, [note("a")])), "error");
      return [memberOf(error, "code"), memberOf(error, "message")];
    };
    const none = [
      "stream_not_declared",
      'No loaded connector declares the stream "gone": load a manifest that does.',
    ];
    const other = [
      "stream_not_declared",
      'The connector testmail declares no stream "gone". Its streams: threads, messages. Load its manifest anew to give it more.',
    ];
    expect(await told("gone?connection_id=anything")).toEqual(none);
    expect(await told("gone?connection_id=testmail-1")).toEqual(other);
    expect(await told("gone?connection_id=mine&connector_id=testmail")).toEqual(other);
    await post("messages?connection_id=mine&connector_id=testmail", seed.records.testmail.messages);
    expect(await told("gone?connection_id=mine")).toEqual(other);
  });

  it("counts wrong lines in words", async () => {
    for (const [lines, start] of [
      [["{"], "1 of 1 line is wrong"],
      [["{", note("a")], "1 of 2 lines is wrong"],
      [["{", "{"], "2 of 2 lines are wrong"],
    ] as const) {
      const error = memberOf(await body(await post("notes?connection_id=notes", lines)), "error");
      expect(memberOf(error, "message")).toMatch(
        new RegExp(`^${start}, and nothing was written\\. Line 1: `),
      );
    }
  });

  it("refuses parameters and connections that are not known, by name", async () => {
    for (const [query, param] of [
      ["", "connection_id"],
      ["?connection_id=", "connection_id"],
      ["?connection_id=notes&limit=1", "limit"],
      ["?connection_id=notes&connection_id=notes", "connection_id"],
      ["?connection_id=notes%2F1", "connection_id"],
      ["?connection_id=x&connector_id=gone", "connector_id"],
    ]) {
      const response = await post(`notes${query}`, [note("a")]);
      expect([response.status, memberOf(memberOf(await body(response), "error"), "param")]).toEqual([
        400,
        param,
      ]);
    }
  });

  it("writes nothing where a line is bad, and tells of every line", async () => {
    const response = await post("notes?connection_id=notes-1", [
      note("a"),
      "",
      "not json",
      '{"key":"b","key":"c","data":{},"emitted_at":"2026-01-01T00:00:00Z"}',
      { ...note("b"), __proto: 1 },
      { key: "x\0", data: {}, emitted_at: "2026-01-01" },
      { key: "b", data: [], emitted_at: "2026-01-01" },
      { key: "b", data: {} },
      { key: "b", deleted: "yes" },
      { key: "b", deleted: true, data: {} },
      '{"key":"b","data":{"\\ud800":"\\ud800"},"emitted_at":"2026-01-01"}',
      `{"key":"b","data":{"a":${"[".repeat(200)}${"]".repeat(200)}},"emitted_at":"2026-01-01"}`,
      "[]",
    ]);
    expect(response.status).toBe(400);
    const answer = await body(response);
    expect(memberOf(answer, "error")).toMatchObject({
      code: "invalid_request",
      type: "invalid_request_error",
    });
    const lines: unknown = memberOf(answer, "data");
    expect(
      Array.isArray(lines)
        ? lines.map((line) => [memberOf(line, "line"), memberOf(line, "code") ?? memberOf(line, "status")])
        : [],
    ).toEqual([
      [1, "skipped"],
      [3, "invalid_json"],
      [4, "duplicate_member"],
      [5, "unknown_member"],
      [6, "invalid_key"],
      [7, "invalid_data"],
      [8, "invalid_emitted_at"],
      [9, "invalid_deleted"],
      [10, "invalid_data"],
      [11, "skipped"],
      [12, "too_deep"],
      [13, "invalid_line"],
    ]);
    expect(await rows("SELECT * FROM record_connections")).toEqual([]);
    expect(await rows("SELECT * FROM record_versions")).toEqual([]);
  });

  it("is bounded in lines and bytes", async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => note(String(index)));
    expect((await post("notes?connection_id=notes-1", many)).status).toBe(413);
    expect((await post("notes?connection_id=notes-1", "\n".repeat(3_000_000))).status).toBe(200);
    expect((await post("notes?connection_id=notes-1", "x".repeat(4 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it("takes a thousand lines and three mebibytes of hostile texts at once", async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      note(`${"\u{1F600}".repeat(300)}${index}`, {
        title: `${'"\\\u0000\ud800 <|endoftext|>'.repeat(20)} a b c d`,
        __proto__x: "constructor",
      }),
    );
    const response = await post("notes?connection_id=notes-1", lines);
    expect(response.status).toBe(200);
    expect(memberOf(await body(await post("notes?connection_id=notes-1", lines)), "data")).toContainEqual({
      line: 1_000,
      status: "unchanged",
    });
    const large = note("large", { title: "ab ".repeat(900_000), text: '"'.repeat(300_000) });
    expect((await post("notes?connection_id=notes-1", [large])).status).toBe(200);
    expect(await broken()).toEqual([]);
  });

  it("takes the connection by its older name, as reads do, and no two of them", async () => {
    const asked = (query: string) => post(`notes?${query}`, [note("a")]);
    const made = await asked("connector_instance_id=notes-1&connector_id=notes");
    expect(await body(made)).toMatchObject({ connection_id: "notes-1", data: [{ status: "created" }] });
    const again = await asked("connection_id=notes-1&connector_instance_id=notes-1");
    expect(await body(again)).toMatchObject({ connection_id: "notes-1", data: [{ status: "unchanged" }] });
    const both = await asked("connection_id=notes-1&connector_instance_id=notes-2");
    expect([both.status, memberOf(memberOf(await body(both), "error"), "code")]).toEqual([
      400,
      "invalid_argument",
    ]);
    expect(await rows("SELECT id FROM record_connections")).toEqual([{ id: "notes-1" }]);
  });

  it("is the owner's alone, until the bearer is revoked", async () => {
    const client = String(
      memberOf(await body(await admin("POST", "/tokens", { name: "c", kind: "client" })), "token"),
    );
    expect((await post("notes?connection_id=notes-1", [note("a")], client)).status).toBe(403);
    expect((await post("notes?connection_id=notes-1", [note("a")], OPERATOR)).status).toBe(403);
    expect((await post("notes?connection_id=notes-1", [note("a")], "lg_x")).status).toBe(401);
    await env.DB.exec("UPDATE tokens SET revoked_at_s = 1");
    expect((await post("notes?connection_id=notes-1", [note("a")])).status).toBe(401);
    expect(await rows("SELECT * FROM record_versions")).toEqual([]);
  });
});
