import { describe, expect, it } from "vitest";
import { selectionApi } from "../../../src/gateway/selection-api.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalogs, fakeId } from "../../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, listOf } from "../../support/fake-gateway.ts";
import { CATALOG, DELETE, deleteCall, GET, run } from "../controlled.ts";
import { expectWhole, onlyEntry, type Refusal, refusing } from "./told.ts";

const LIMITED: Refusal = { reason: "rate_limited", scope: "tool_browse/minute", retryAfterMs: 1 };

async function tell(made: ReturnType<typeof run>, args: Record<string, unknown>, tool = "tool_browse") {
  await made.call(args, tool);
  const entry = onlyEntry(made.caller.told);
  expectWhole(entry);
  expect([entry.upstreams, made.caller.settles()]).toEqual([[], 1]);
  return entry.event;
}

describe("a browse", () => {
  it("by a query is told with its numbers, and with the ids that it answered", async () => {
    const event = await tell(run({}), { query: "delete a repo" });
    expect(event).toMatchObject({
      event: "browse.completed",
      success: true,
      tool_id: null,
      attributes: { query_chars: 13, primitive: "tool", generation: 1, weak: false },
    });
    const ids = listOf(event.attributes, "tool_ids");
    expect(ids[0]).toBe(fakeId(DELETE));
    expect(memberOf(event.attributes, "card_count")).toBe(ids.length);
    expect(event.attributes).not.toHaveProperty("path_depth");
  });

  it("that matches nothing has no cards, and has not failed", async () => {
    expect(await tell(run({}), { query: "zzzz" })).toMatchObject({
      event: "browse.completed",
      attributes: { card_count: 0, total_count: 0, tool_ids: [] },
    });
  });

  it("by a path counts its depth, and names no places", async () => {
    expect(await tell(run({}), { path: "/" })).toMatchObject({
      event: "browse.completed",
      attributes: { path_depth: 0, card_count: 1, tool_ids: [] },
    });
    const { attributes } = await tell(run({}), { path: "/github" });
    expect(attributes).toMatchObject({ path_depth: 1 });
    expect(new Set(listOf(attributes, "tool_ids"))).toEqual(new Set([fakeId(DELETE), fakeId(GET)]));
  });

  it.each([
    [{}, "ARGS_INVALID"],
    [{ path: "//" }, "PATH_INVALID"],
    [{ path: "/nowhere" }, "PATH_NOT_FOUND"],
  ])("%j that fails says why and not where", async (args, code) => {
    const event = await tell(run({}), args);
    expect(event).toMatchObject({
      event: "browse.failed",
      success: false,
      attributes: { error_code: code, retryable: false },
    });
    expect(JSON.stringify(event)).not.toContain("nowhere");
  });

  it("over its limit, without a catalog, without its principal's object and by a fault of ours", async () => {
    const broken = { ...fakeCatalogs(ok(CATALOG)), current: () => Promise.reject(new Error("0xdead")) };
    const unavailable = { ...fakeCatalogs(ok(CATALOG)), current: async () => fakeUnavailable };
    for (const [made, code] of [
      [run({}, {}, {}, refusing(LIMITED)), "RATE_LIMITED"],
      [run({}, {}, { catalogs: unavailable }), "UPSTREAM_UNAVAILABLE"],
      [run({}, {}, {}, refusing({ reason: "unreachable" })), "UPSTREAM_UNAVAILABLE"],
      [run({}, {}, { catalogs: broken }), "UPSTREAM_ERROR"],
    ] as const) {
      expect(await tell(made, { query: "q" })).toMatchObject({
        event: "browse.failed",
        attributes: { error_code: code },
      });
    }
  });

  it("that was wrong and could not be admitted tells of what its caller was answered", async () => {
    expect(await tell(run({}, {}, {}, refusing({ reason: "unreachable" })), {})).toMatchObject({
      attributes: { error_code: "UPSTREAM_UNAVAILABLE" },
    });
  });
});

const fakeUnavailable = { ok: false, reason: { reason: "catalog_unavailable", detail: "kv" } } as const;

describe("a route of the selection contract", () => {
  const api = (caller = fakeCaller()) => ({ caller, api: selectionApi(run({}).ports) });

  it.each([
    [{ query: "delete a repo" }, "browse.completed"],
    [{}, "browse.failed"],
  ])("%j is told as a browse", async (body, event) => {
    const { api: serve, caller } = api();
    await serve.route(body, caller.context);
    expect(onlyEntry(caller.told).event).toMatchObject({
      event,
      session_id: sha256Hex("session").slice(0, 16),
    });
  });

  it.each([[{ query: "q" }], [{}]])("%j of a revoked bearer is not told", async (body) => {
    const { api: serve, caller } = api(refusing({ reason: "token_revoked" }));
    await serve.route(body, caller.context);
    expect(caller.settles()).toBe(0);
  });

  it("that only judges a selection asks the catalog nothing, and is not counted", async () => {
    const { api: serve, caller } = api();
    await serve.validateSelection({ candidates: [], selected: null }, caller.context);
    await serve.validateSelection({}, caller.context);
    expect(caller.settles()).toBe(0);
  });
});

describe("a view", () => {
  const LOG = "line of a log\n".repeat(2000);

  async function kept(gateway: object = {}, content: object = { type: "text", text: LOG }) {
    const made = run(gateway, {}, { answer: () => ok({ content: [content] }) });
    const envelope = envelopeOf(await made.call(deleteCall));
    made.caller.told.length = 0;
    const handle = String(memberOf(listOf(envelope, "artifacts")[0], "handle"));
    const view = async (args: object) => {
      await made.call({ handle, ...args }, "tool_view");
      const entry = onlyEntry(made.caller.told.splice(0));
      expectWhole(entry);
      return entry.event;
    };
    return { view, ...made };
  }

  it("is told with its tool, how much it showed and whether there is more", async () => {
    const { view } = await kept();
    expect(await view({ selector: { type: "lines", start: 0, end: 2 } })).toMatchObject({
      event: "view.completed",
      success: true,
      tool_id: fakeId(DELETE),
      namespace: "github",
      attributes: { selector_type: "lines", shown_bytes: 28, total_bytes: 28_000, continues: true },
    });
    expect(await view({ selector: { type: "bytes", offset: 27_999, length: 5 } })).toMatchObject({
      attributes: { selector_type: "bytes", shown_bytes: 1, continues: false },
    });
    expect((await view({ selector: { type: "head", chars: 4 } })).attributes).toMatchObject({
      selector_type: "head",
      shown_bytes: 4,
    });
  });

  it.each([1, 2, 3, 4])("of %d bytes that are no text counts them, not their characters", async (length) => {
    const data = btoa("\0".repeat(300_000));
    const { view } = await kept({}, { type: "image", data, mimeType: "image/png" });
    expect((await view({ selector: { type: "bytes", offset: 0, length } })).attributes).toMatchObject({
      selector_type: "bytes",
      shown_bytes: length,
      total_bytes: 300_000,
    });
    expect(await view({ selector: { type: "lines" } })).toMatchObject({
      event: "view.failed",
      tool_id: fakeId(DELETE),
      attributes: { error_code: "VIEW_FAILED", selector_type: "lines" },
    });
  });

  it.each([
    [{}, { error_code: "ARGS_INVALID" }],
    [{ handle: "of my own making", selector: { type: "head" } }, { error_code: "VIEW_FAILED" }],
  ])("that finds nothing names no tool: %j", async (args, attributes) => {
    expect(await tell(run({}), args, "tool_view")).toMatchObject({
      event: "view.failed",
      tool_id: null,
      attributes,
    });
  });

  it("that a rule denies is told with the tool whose artifact it is", async () => {
    const policy = [{ match: { meta_tool: "tool_view" }, action: "deny" }];
    const { view } = await kept({ policy });
    expect(await view({ selector: { type: "head" } })).toMatchObject({
      event: "view.failed",
      tool_id: fakeId(DELETE),
      attributes: { error_code: "POLICY_DENIED", selector_type: "head" },
    });
  });

  it("while the store does not answer", async () => {
    const { view, artifacts } = await kept();
    artifacts.broken = true;
    expect(await view({ selector: { type: "head" } })).toMatchObject({
      event: "view.failed",
      attributes: { error_code: "UPSTREAM_UNAVAILABLE", retryable: true },
    });
  });

  it("whose bearer is revoked between its two questions is not told", async () => {
    const policy = [{ match: { meta_tool: "tool_view" }, action: "require_approval" }];
    const gateway = { policy };
    let revoked = false;
    const caller = fakeCaller({
      answer: ({ approval }) =>
        revoked && approval
          ? { version: 1, admitted: false, reason: "token_revoked", rowsWritten: 0 }
          : undefined,
    });
    const made = run(gateway, {}, { answer: () => ok({ content: [{ type: "text", text: LOG }] }) }, caller);
    const envelope = envelopeOf(await made.call(deleteCall));
    const handle = memberOf(listOf(envelope, "artifacts")[0], "handle");
    revoked = true;
    const settles = caller.settles();
    await made.call({ handle, selector: { type: "head" } }, "tool_view");
    expect([caller.asks.length, caller.settles()]).toEqual([3, settles]);
  });
});

it("a name that is no meta-tool is no call", async () => {
  const { call, caller } = run({});
  await call({}, "tool_destroy");
  expect([caller.asks.length, caller.settles()]).toEqual([1, 0]);
});
