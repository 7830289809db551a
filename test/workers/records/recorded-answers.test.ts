import { beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import answersText from "../../fixtures/records/answers.jsonl?raw";
import seed from "../../fixtures/records/seed.json";
import { get, grant, owner } from "./grants.ts";
import {
  connect,
  coverageOf,
  dataOf,
  emptyRecords,
  loadManifest,
  ownerCoverage,
  read,
  walk,
  write,
  type Written,
} from "./read-rig.ts";

interface Recorded {
  readonly note: string;
  readonly token: string | null;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const LINES = answersText
  .split("\n")
  .filter((line) => line !== "")
  .map((line): unknown => JSON.parse(line));
const ANSWERS = LINES.filter(isRecorded);
const CONNECTIONS = { testmail: "cin_a", testchat: "cin_b" } as const;
const LONG = "long ".repeat(3_000);

function isRecorded(line: unknown): line is Recorded {
  return typeof memberOf(line, "path") === "string";
}

/** The fixture's own shorthand for a long text. */
function unfolded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("<long x 3000>", LONG));
}

function written(records: unknown): readonly Written[] {
  return (isJsonArray(records) ? records : []).map((record) => ({
    key: String(memberOf(record, "key")),
    data: members(memberOf(record, "data")),
    emitted_at: String(memberOf(record, "emitted_at")),
  }));
}

const NARROW = { name: "messages", fields: ["id", "sender", "sent_at"] };

/** Each bearer's coverage, by the fixture's name for it. */
async function coverages(): Promise<ReadonlyMap<string, Coverage>> {
  const connectionId = CONNECTIONS.testmail;
  const streams = [{ name: "threads" }, { name: "messages" }];
  return new Map([
    ["mail", await coverageOf([{ id: "grt_1", connectionId, streams }], "cli_1")],
    ["mailNarrow", await coverageOf([{ id: "grt_2", connectionId, streams: [NARROW] }], "cli_2")],
    ["owner", await ownerCoverage()],
  ]);
}

/** Each bearer itself, and the fixture's names for what is in its answers. */
async function bearers(): Promise<{
  readonly tokens: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, string>;
}> {
  const mail = await grant([CONNECTIONS.testmail]);
  const narrow = await grant([], {
    connections: [{ connection_id: CONNECTIONS.testmail, streams: [NARROW] }],
  });
  return {
    tokens: new Map([
      ["mail", mail.token],
      ["mailNarrow", narrow.token],
      ["owner", await owner()],
    ]),
    aliases: new Map([
      [mail.tokenId, "cli_1"],
      [String(mail.grantIds[0]), "grt_1"],
      [narrow.tokenId, "cli_2"],
      [String(narrow.grantIds[0]), "grt_2"],
    ]),
  };
}

beforeAll(async () => {
  await emptyRecords();
  for (const manifest of seed.manifests) await loadManifest(manifest);
  for (const [connector, connectionId] of Object.entries(CONNECTIONS)) {
    await connect(connectionId, connector);
    const streams = Object.entries(memberOf(seed.records, connector) ?? {});
    for (const [stream, records] of streams) await write(connectionId, stream, written(unfolded(records)));
  }
});

/** Where it was recorded otherwise, and this server means it: `docs/records.md` lists them. */
function meant({ path, status, body }: Recorded): { readonly status: number; readonly body: unknown } {
  if (path === "/v1/streams/nope/records") {
    const error = { ...members(memberOf(body, "error")), type: "not_found_error" };
    return { status: 404, body: { error } };
  }
  return { status, body: withoutMeaning(body) };
}

/** Nothing of search by meaning, and no window into a field. */
function withoutMeaning(value: unknown): unknown {
  if (isJsonArray(value)) return value.map(withoutMeaning);
  if (typeof value === "string") return value.replace(/,sem$/, "");
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !["semantic_search", "semantic_fields"].includes(name))
      .filter(([name, member]) => name !== "read" || memberOf(member, "object") !== "field_window_read")
      .map(([name, member]) => [name, withoutMeaning(member)]),
  );
}

type Comparable = (link: string) => unknown;

/** What differs between any two servers: free text, ids of requests, scores, and cursors, which are only there or not. */
function comparable(value: unknown, linkOf: Comparable, name = ""): unknown {
  if (["message", "next_step", "request_id", "resource_metadata"].includes(name)) return `<${name}>`;
  if (name === "next_cursor" || name === "next_changes_since") return "<cursor>";
  if ((name === "self" || name === "next") && typeof value === "string") return linkOf(value);
  if (isJsonArray(value)) return value.map((item) => comparable(item, linkOf));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [
      member,
      name === "score" && member === "value" ? "<score>" : comparable(item, linkOf, member),
    ]),
  );
}

/** A link letter by letter, but for the values of cursors in it. */
function exactLink(link: string): string {
  if (!/[?&]cursor=/.test(link)) return link;
  return link.replaceAll(/([?&](?:cursor|changes_since)=)[^&]+/g, "$1<cursor>");
}

/** The same of a caller that writes no URL, so that only the path and the parameters are there. */
function decodedLink(link: string): unknown {
  const { pathname, searchParams } = new URL(exactLink(link), "https://rs.example");
  return [pathname, [...searchParams]];
}

function members(value: unknown): object {
  return isRecord(value) ? value : {};
}

describe("what PDPP's resource server answered, answered by the embedded one", () => {
  const asked = ANSWERS.filter(({ token }) => token !== null);

  it.each(asked)("in process: $note, $path", async (recorded) => {
    const coverage = (await coverages()).get(recorded.token ?? "");
    if (coverage === undefined) throw new Error("a bearer of another kind");
    const answer = await read(recorded.path, coverage);
    const expected = meant(recorded);
    expect(answer.status).toBe(expected.status);
    const body = answer.ok ? answer.body : { error: { ...answer.error, request_id: answer.requestId } };
    expect(comparable(body, decodedLink)).toEqual(comparable(unfolded(expected.body), decodedLink));
  });

  it("over HTTP: every request, with its headers", async () => {
    const { tokens, aliases } = await bearers();
    for (const recorded of ANSWERS) {
      const response = await get(recorded.path, tokens.get(recorded.token ?? "") ?? null);
      const expected = meant(recorded);
      const seen = [...aliases].reduce(
        (text, [id, alias]) => text.replaceAll(id, alias),
        await response.text(),
      );
      const body: unknown = JSON.parse(seen);
      expect([recorded.path, response.status, comparable(body, exactLink)]).toEqual([
        recorded.path,
        expected.status,
        comparable(unfolded(expected.body), exactLink),
      ]);
      for (const [name, value] of Object.entries(recorded.headers)) {
        const isOwn = value === "<id>" || name === "www-authenticate";
        const given = response.headers.get(name) ?? "";
        expect([name, isOwn && given !== "" ? value : given]).toEqual([name, value]);
      }
    }
  });

  it("gives the recorded records page by page", async () => {
    const pages = LINES.map((line) => memberOf(line, "pages")).find(isJsonArray);
    const mail = (await coverages()).get("mail");
    if (mail === undefined) throw new Error("no such bearer");
    const walked = await walk("/v1/streams/messages/records?limit=5&order=asc", mail);
    expect(walked.map((page) => dataOf(page).map((record) => memberOf(record, "id")))).toEqual(pages);
  });
});

describe("what the fixture is", () => {
  it("has a request on every line but the walk", () => {
    expect([ANSWERS.length, LINES.length]).toEqual([48, 49]);
  });
});
