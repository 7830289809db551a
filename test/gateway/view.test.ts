import { describe, expect, it } from "vitest";
import { gatewaySurface } from "../../src/gateway/surface.ts";
import { isRecord, memberOf } from "../../src/json.ts";
import { VIEW_SCAN_MAX_BYTES } from "../../src/limits.ts";
import { ok } from "../../src/result.ts";
import { type BufferBudget, createBufferBudget } from "../../src/upstream/buffer-budget.ts";
import { fakeCatalog, fakeId } from "../support/fake-catalog.ts";
import {
  envelopeOf,
  fakeCaller,
  fakeGateway,
  jsonOf,
  listOf,
  recordOf,
  textOf,
} from "../support/fake-gateway.ts";

const TOOL = { namespace: "files", name: "read_file" };
const ID = fakeId(TOOL);
const LINES = Array.from({ length: 900 }, (_, index) => `line ${index} of a kept text 漢\n`);
const TEXT = LINES.join("");
const IMAGE = Buffer.alloc(300_000, 9);
const WEEK_MS = 7 * 86_400_000;

/** A caller that has executed once, and the handles it was given. */
async function executed(caller = fakeCaller()) {
  const gateway = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    answer: () =>
      ok({
        content: [
          { type: "text", text: TEXT },
          { type: "image", data: IMAGE.toString("base64"), mimeType: "image/png" },
        ],
      }),
  });
  const answer = await gateway.surface.call("tool_execute", { tool_id: ID }, caller.context);
  const artifacts = memberOf(envelopeOf(answer), "artifacts");
  const handles = (Array.isArray(artifacts) ? artifacts : []).map((each) => String(memberOf(each, "handle")));
  gateway.artifacts.calls.length = 0;
  caller.asks.length = 0;
  const view = (handle: string, selector: unknown, context = caller.context, render = "porcelain") =>
    gateway.surface.call("tool_view", { handle, selector, render }, context);
  return { ...gateway, caller, text: handles[0] ?? "", image: handles[1] ?? "", view };
}

describe("tool_view", () => {
  it("reads with one admit and one range read, whatever the selector", async () => {
    const { view, text, image, artifacts, caller } = await executed();
    const looks: [string, object][] = [
      [text, { type: "head" }],
      [text, { type: "lines", start: -5 }],
      [text, { type: "lines", start: 700, end: 720 }],
      [text, { type: "bytes", offset: 5000 }],
      [text, { type: "grep", pattern: "^line 5\\d\\d " }],
      [image, { type: "bytes" }],
      [image, { type: "content" }],
    ];
    for (const [handle, selector] of looks) expect((await view(handle, selector))?.isError).toBeUndefined();
    expect(artifacts.calls).toEqual(looks.map(() => "read"));
    expect(caller.asks).toEqual(looks.map(([handle]) => ({ artifacts: [handle] })));
  });

  it("shows the text exactly, and how to go on", async () => {
    const { view, text } = await executed();
    const answer = await view(text, { type: "lines", start: 10, end: 12 });
    expect(answer?.content).toEqual([
      { type: "text", text: LINES.slice(10, 12).join("") },
      { type: "text", text: 'next: {"type":"lines","start":12,"end":14}' },
    ]);
    expect(answer?.structuredContent).toBeUndefined();
    expect((await view(text, { type: "lines", start: -1 }))?.content).toEqual([
      { type: "text", text: LINES.at(-1) },
    ]);
  });

  it("gives the object in JSON, its keys in the contract's order, and in _meta", async () => {
    const { view, text, caller } = await executed();
    const answer = await view(text, { type: "head", chars: 6 }, caller.context, "json");
    const bytes = new TextEncoder().encode(TEXT).length;
    expect(textOf(answer)).toBe(
      `{"text":"line 0","media_type":"text/plain","selector":{"type":"head","chars":6},` +
        `"next":{"type":"bytes","offset":6,"length":4096},"total":{"bytes":${bytes},"lines":900}}`,
    );
    expect(answer?.structuredContent).toEqual(jsonOf(answer));
    expect(envelopeOf(await view(text, { type: "head", chars: 6 }))).toEqual(jsonOf(answer));
  });

  it("gives binary content as base64, whole by following next", async () => {
    const { view, image, caller } = await executed();
    const porcelain = await view(image, { type: "bytes", offset: 0, length: 9 });
    expect(textOf(porcelain)).toBe(IMAGE.subarray(0, 9).toString("base64"));
    const chunks: Buffer[] = [];
    let selector: unknown = { type: "bytes", offset: 0, length: 16_384 };
    while (selector !== undefined) {
      const shown = jsonOf(await view(image, selector, caller.context, "json"));
      chunks.push(Buffer.from(String(shown["blob"]), "base64"));
      selector = shown["next"];
    }
    expect(Buffer.concat(chunks).equals(IMAGE)).toBe(true);
  });

  it("gives a text whole by following next from the line that execute proposes", async () => {
    const { view, text } = await executed();
    let all = "";
    let selector: unknown = { type: "lines", start: 0, end: 100 };
    while (selector !== undefined) {
      const answer = await view(text, selector);
      all += textOf(answer);
      expect(new TextEncoder().encode(textOf(answer)).length).toBeLessThanOrEqual(16_384);
      selector =
        answer?.content.length === 2 ? JSON.parse(textOf(answer, 1).replace(/^next: /, "")) : undefined;
    }
    expect(all).toBe(TEXT);
  });

  it("says which selector reads binary content", async () => {
    const { view, image } = await executed();
    expect(jsonOf(await view(image, { type: "head" }))).toMatchObject({
      error: "VIEW_FAILED",
      path: image,
      retryable: false,
      details: { problem: "head reads text, and the artifact is binary", try: ["bytes", "content"] },
    });
  });
});

describe("the content of an artifact", () => {
  /** A caller that was given one artifact of these bytes. */
  async function kept(mimeType: string, part: (data: string) => object) {
    const data = Buffer.alloc(600_000, 7).toString("base64");
    const gateway = fakeGateway({
      catalog: fakeCatalog([TOOL]),
      answer: () => ok({ content: [part(data)] }),
    });
    const caller = fakeCaller();
    const executed = await gateway.surface.call("tool_execute", { tool_id: ID }, caller.context);
    const handle = String(memberOf(listOf(envelopeOf(executed), "artifacts")[0], "handle"));
    const view = (render: string) =>
      gateway.surface.call("tool_view", { handle, selector: { type: "content" }, render }, caller.context);
    return { data, handle, view, mimeType };
  }

  it.each([
    ["image/png", "image"],
    ["audio/mpeg", "audio"],
  ])("of %s is a part of its own kind", async (mimeType, type) => {
    const { view, data } = await kept(mimeType, (data) => ({ type, data, mimeType }));
    const porcelain = await view("porcelain");
    expect(porcelain?.content).toEqual([{ type, data, mimeType }]);
    const object = {
      text: "the content itself, 600000 bytes",
      media_type: mimeType,
      selector: { type: "content" },
      total: { bytes: 600_000 },
    };
    expect(envelopeOf(porcelain)).toEqual(object);
    const json = await view("json");
    expect(json?.content).toEqual([
      { type: "text", text: JSON.stringify(object) },
      { type, data, mimeType },
    ]);
    expect(json?.structuredContent).toEqual(object);
  });

  it("that is neither seen nor heard is an embedded resource", async () => {
    const mimeType = "application/pdf";
    const { view, data, handle } = await kept(mimeType, (blob) => ({
      type: "resource",
      resource: { uri: "file:///a.pdf", mimeType, blob },
    }));
    const uri = `loomgate://artifact/${handle}`;
    expect((await view("porcelain"))?.content).toEqual([
      { type: "resource", resource: { uri, mimeType, blob: data } },
    ]);
  });
});

describe("a selector that an artifact does not bear", () => {
  it("is told with what would work, and what would work does", async () => {
    const { view, text } = await executed();
    const error = jsonOf(await view(text, { type: "rows" }));
    expect(error).toMatchObject({ error: "VIEW_FAILED", path: text, retryable: false });
    expect(Object.keys(recordOf(error["details"]))).toEqual(["problem", "try"]);
    const broken = jsonOf(await view(text, { type: "grep", pattern: "line (5" }));
    const [literal] = listOf(broken["details"], "try");
    expect(literal).toEqual({ type: "grep", pattern: "line \\(5", context: 0, ignore_case: false });
    expect((await view(text, literal))?.isError).toBeUndefined();
  });
});

describe("the room for what views hold", () => {
  it("is taken before the read and given back after it, however it ends", async () => {
    const { ports, caller, text, artifacts } = await executed();
    const taken: number[] = [];
    const budget = createBufferBudget(VIEW_SCAN_MAX_BYTES, () => 0);
    const buffers: BufferBudget = {
      held: () => budget.held(),
      open: (lifetimeMs) => {
        const account = budget.open(lifetimeMs);
        return {
          ...account,
          hold: (bytes) => {
            taken.push(bytes);
            return account.hold(bytes);
          },
        };
      },
    };
    const surface = gatewaySurface({ ...ports, buffers });
    const view = (selector: object) => surface.call("tool_view", { handle: text, selector }, caller.context);
    await view({ type: "lines", start: 0, end: 3 });
    await view({ type: "lines", start: 3, end: 3 });
    await view({ type: "json_path", path: "$" });
    artifacts.broken = true;
    await view({ type: "head" });
    expect(taken).toEqual([expect.any(Number), new TextEncoder().encode(TEXT).length, expect.any(Number)]);
    expect(budget.held()).toBe(0);
  });

  it("where there is none now is worth another try, and nothing is read", async () => {
    const { ports, caller, text, artifacts, log } = await executed();
    const surface = gatewaySurface({ ...ports, buffers: createBufferBudget(100, () => 0) });
    const answer = await surface.call(
      "tool_view",
      { handle: text, selector: { type: "head" } },
      caller.context,
    );
    expect(jsonOf(answer)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(artifacts.calls).toEqual([]);
    expect(log.join("\n")).toContain("no room to read 2000 bytes");
  });
});

describe("a view right after an execute", () => {
  it("works before the ledger knows of the artifact, and when it never hears of it", async () => {
    const { view, text, artifacts } = await executed(fakeCaller({ losesSettle: true }));
    expect(textOf(await view(text, { type: "lines", start: 3, end: 4 }))).toBe(LINES[3]);
    expect(artifacts.calls).toEqual(["find", "read"]);
  });
});

describe("a handle", () => {
  it("is worth nothing to another principal, and a miss tells nothing", async () => {
    const { view, text, clock, artifacts } = await executed();
    const unknown = "123456789012345678901234567";
    const miss = async (handle: string, context = fakeCaller().context) => {
      const error = jsonOf(await view(handle, { type: "head" }, context));
      expect(error).toMatchObject({ error: "VIEW_FAILED", path: handle, retryable: false });
      return JSON.stringify({ ...error, path: "" });
    };
    const plain = await miss(unknown);
    expect(await miss(text, fakeCaller({ principal: "eve" }).context)).toBe(plain);
    expect(await miss("x'; DROP TABLE artifacts; --")).toBe(plain);
    expect(await miss("")).toBe(plain);
    expect(artifacts.calls).not.toContain("read");
    clock.nowMs += WEEK_MS;
    expect(await miss(text)).toBe(plain);
  });

  it("of a tool that the bearer's scopes hide is as unknown as any", async () => {
    const { view, text, caller, artifacts } = await executed();
    const { rows } = caller;
    const hidden = fakeCaller({ sees: () => false });
    for (const [handle, row] of rows) hidden.rows.set(handle, row);
    const withRow = jsonOf(await view(text, { type: "head" }, hidden.context));
    const without = jsonOf(await view(text, { type: "head" }, fakeCaller({ sees: () => false }).context));
    expect([withRow["error"], without["error"]]).toEqual(["VIEW_FAILED", "VIEW_FAILED"]);
    expect(artifacts.calls).not.toContain("read");
  });

  it("whose bytes are gone though its row is not is as unknown as any", async () => {
    const { view, text, artifacts } = await executed();
    artifacts.objects.clear();
    expect(jsonOf(await view(text, { type: "head" }))).toMatchObject({ error: "VIEW_FAILED" });
  });

  it("in a store that does not answer may be tried again, and no backend's word shows", async () => {
    const { view, text, artifacts, log } = await executed();
    artifacts.broken = true;
    const answer = await view(text, { type: "head" });
    expect(jsonOf(answer)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(textOf(answer)).not.toContain("r2 said");
    expect(log.join("\n")).toContain("r2 said");
    expect(isRecord(answer?.["_meta"])).toBe(false);
  });
});
