import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { browsed, entry, executed, NOON_MS } from "../../ledger/entries.ts";
import { deliver, sql } from "../ledger-client.ts";
import { recordLog } from "../recorded-log.ts";
import { OPERATOR, send } from "./client.ts";
import { answersByCaller, ask, OPERATOR_ALONE, textOf } from "./operator.ts";
import { freshStorage } from "../fresh-storage.ts";

const log = recordLog();

beforeEach(async () => {
  await freshStorage();
});

const events = Array.from({ length: 7 }, (_, index) =>
  index % 2 === 0 ? browsed(NOON_MS + index) : executed({ atMs: NOON_MS + index, durationMs: index }),
);
const lineOf = (event: unknown): string => `${JSON.stringify(event)}\n`;
const all = () => deliver({ entries: events.map((event) => entry(event)) });

/** The next page's path, as the answer names it. */
function nextOf(response: Response): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
}

describe("GET /admin/events", () => {
  it("is the operator's alone", async () => {
    expect(await answersByCaller("/admin/events")).toEqual(OPERATOR_ALONE);
  });

  it("is empty and has a cursor before anything happened", async () => {
    const response = await ask("/admin/events");
    expect([response.status, await textOf(response)]).toEqual([200, ""]);
    expect(response.headers.get("loomgate-cursor")).toBe("0");
    expect(response.headers.get("content-type")).toBe("application/jsonl");
    expect(response.headers.has("link")).toBe(false);
  });

  it("gives one event a line, the oldest first", async () => {
    await all();
    const response = await ask("/admin/events");
    expect(await textOf(response)).toBe(events.map(lineOf).join(""));
    expect(response.headers.get("loomgate-cursor")).toBe("7");
  });

  it.each([1, 2, 3, 7, 1000])("leads through every event once with pages of %i", async (limit) => {
    await all();
    let path: string | undefined =
      `/admin/events?limit=${limit}&since=2026-01-31T12:00:00Z&kind=browse,execute`;
    let text = "";
    let pages = 0;
    while (path !== undefined) {
      const response: Response = await ask(path);
      text += await textOf(response);
      path = nextOf(response);
      pages += 1;
    }
    expect(text).toBe(events.map(lineOf).join(""));
    expect(pages).toBe(Math.ceil(events.length / limit));
  });

  it("lets a poller go on with its cursor", async () => {
    await all();
    const cursor = (await ask("/admin/events?limit=1000")).headers.get("loomgate-cursor");
    const poll = `/admin/events?after=${cursor}`;
    expect(await textOf(await ask(poll))).toBe("");
    expect((await ask(poll)).headers.get("loomgate-cursor")).toBe(cursor);
    await deliver({ from: 8, entries: [entry(browsed(NOON_MS + 99))] });
    expect(await textOf(await ask(poll))).toBe(lineOf(browsed(NOON_MS + 99)));
  });

  it("tells a poller that was away how many events it missed, once, and says nothing where it missed none", async () => {
    await all();
    const missed = async (path: string) => (await ask(path)).headers.get("loomgate-missed");
    expect(await missed("/admin/events?after=2&limit=1000")).toBeNull();
    await sql("DELETE FROM events WHERE number <= 4");
    expect(await missed("/admin/events?after=2&limit=1")).toBe("2");
    expect(await missed("/admin/events?kind=view&after=0")).toBe("4");
    expect(await missed("/admin/events?after=4")).toBeNull();
    const next = nextOf(await ask("/admin/events?after=2&limit=1"));
    expect(await missed(next ?? "")).toBeNull();
    // Of an earlier ledger: what is here comes, and not silence until the numbers have caught up.
    const response = await ask("/admin/events?after=999");
    expect(response.headers.get("loomgate-cursor")).toBe("7");
    expect(await textOf(response)).toBe(events.slice(4).map(lineOf).join(""));
  });

  it("lets a page of an allowed origin read every header that it is answered with", async () => {
    await all();
    await sql("DELETE FROM events WHERE number <= 2");
    const config = JSON.stringify({ gateway: { allowed_origins: ["https://app.example"] } });
    const headers = { Authorization: `Bearer ${OPERATOR}`, Origin: "https://app.example" };
    const answer = await send("/admin/events?limit=1", { headers }, { LOOMGATE_CONFIG: config });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
    const exposed = (answer.headers.get("access-control-expose-headers") ?? "").toLowerCase().split(",");
    for (const name of ["loomgate-cursor", "loomgate-missed", "link"]) {
      expect(answer.headers.has(name)).toBe(true);
      expect(exposed).toContain(name);
    }
  });

  it.each([
    ["kind=execute", (at: number) => at % 2 === 1],
    ["kind=browse.completed", (at: number) => at % 2 === 0],
    ["kind=view", () => false],
    [`since=${NOON_MS + 4}`, (at: number) => at >= 4],
    ["since=2026-01-31T12:00:00.004Z", (at: number) => at >= 4],
    ["since=2026-02-01", () => false],
    [`kind=execute&since=${NOON_MS + 4}`, (at: number) => at === 5],
    ["after=5&kind=execute,browse", (at: number) => at >= 5],
  ])("filters by %s", async (query, wanted) => {
    await all();
    const text = await textOf(await ask(`/admin/events?${query}`));
    expect(text).toBe(
      events
        .filter((_, index) => wanted(index))
        .map(lineOf)
        .join(""),
    );
  });

  it.each([
    ["kind=teleport", /^kind: unknown "teleport"; the events are .*execute\.completed/],
    ["kind=%22%0d%0aSet-Cookie:x", /^kind: unknown/],
    ["since=yesterday", /^since /],
    ["since=2026-02-30", /^since /],
    ["after=-1", /^after /],
    ["after=1%00", /^after /],
    ["limit=0", /^limit /],
    ["limit=1001", /^limit /],
    ["limit=10&limit=20", /^limit /],
    [`kind=${"a,".repeat(2000)}`, /^kind: unknown "a", "";/],
  ])("refuses %.40s", async (query, problem) => {
    const response = await ask(`/admin/events?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: "invalid", problems: [expect.stringMatching(problem)] });
    expect(response.headers.has("set-cookie")).toBe(false);
  });

  it("repeats no secret that stands in an id", async () => {
    const secret = "create_issue#aea9ce2a";
    await all();
    const bindings = {
      LOOMGATE_CONFIG: JSON.stringify({
        mcpServers: { a: { type: "http", url: "https://a.example", headers: { "X-Key": "${env:A_KEY}" } } },
      }),
      A_KEY: secret,
    };
    const text = await textOf(await ask("/admin/events", bindings));
    expect(text).not.toContain(secret);
    const ids = text
      .trimEnd()
      .split("\n")
      .map((line) => memberOf(JSON.parse(line), "tool_id"));
    expect(ids).toContain("github:[REDACTED-SECRET]");
  });

  it("is unavailable where the ledger's object fails, and says why in the log", async () => {
    await all();
    await sql("DROP TABLE events");
    const response = await ask("/admin/events");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ error: "unavailable" });
    expect(log.lines.join("\n")).toContain("no such table");
  });
});
