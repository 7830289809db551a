import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../src/errors.ts";
import { ok } from "../../src/result.ts";
import { LISTS } from "../support/hostile-upstream/behaviours.ts";
import { STRANGE_TOOLS } from "../support/hostile-upstream/strange-tools.ts";
import { io, KEPT, listAll, listEntries, withUpstream } from "./rig.ts";

describe("listing an upstream's tools", () => {
  it("reads every page, in order, in one session, and tells the instructions of the handshake", async () => {
    await withUpstream(LISTS.threePages, async (upstream, target) => {
      const { answer, session } = await listAll(target, undefined, io());
      if (!answer.ok) throw new Error(answer.reason.detail);
      expect(answer.value.tools).toMatchObject(ok([{ name: "t0" }, { name: "t1" }, { name: "t2" }]));
      expect(answer.value.instructions).toBe("Be kind.");
      expect(session).toEqual(KEPT);
      expect(upstream.count("initialize")).toBe(1);
      expect(upstream.count("tools/list")).toBe(3);
    });
  });

  it("a null cursor ends the list", async () => {
    await withUpstream(LISTS.nullCursor, async (upstream, target) => {
      expect((await listEntries(target, KEPT, io())).answer.ok).toBe(true);
      expect(upstream.count("tools/list")).toBe(1);
    });
  });

  it("hands on definitions of every kind as they came, and compiles no schema", async () => {
    await withUpstream(LISTS.strangeTools, async (_, target) => {
      const { answer } = await listEntries(target, KEPT, io());
      expect(answer).toEqual(ok(STRANGE_TOOLS));
    });
  });

  it("begins again from the first page when the session is lost between pages", async () => {
    await withUpstream(LISTS.sessionLostOnPageTwo, async (upstream, target) => {
      const { answer } = await listEntries(target, KEPT, io());
      expect(answer).toMatchObject(ok([{ name: "a" }, { name: "a" }]));
      expect(upstream.count("initialize")).toBe(1);
      expect(upstream.count("tools/list")).toBe(4);
    });
  });

  const failing: [keyof typeof LISTS, UpstreamFailure["reason"], number][] = [
    ["repeatedCursor", "protocol", 2],
    ["endlessCursors", "too_large", 500],
    ["endlessTools", "too_large", 3],
    ["endlessBytes", "too_large", 6],
    ["numericCursor", "protocol", 1],
    ["toolsIsAnObject", "protocol", 1],
    ["noTools", "protocol", 1],
    ["methodNotFound", "rpc_error", 1],
  ];

  it.each(failing)(
    "%s ends the listing with %s after a bounded number of pages",
    async (name, reason, pages) => {
      await withUpstream(LISTS[name], async (upstream, target) => {
        const { answer } = await listEntries(target, KEPT, io());
        expect(answer).toMatchObject({ ok: false, reason: { reason } });
        expect(upstream.count("tools/list")).toBe(pages);
      });
    },
  );

  it("one deadline covers all pages", async () => {
    const behave = (seen: { rpcMethod: string }, _: unknown, nth: number) =>
      seen.rpcMethod === "tools/list" && nth === 2;
    await withUpstream(
      (seen, response, nth) => behave(seen, response, nth) || LISTS.threePages(seen, response, nth),
      async (_, target) => {
        const { answer } = await listEntries({ ...target, timeoutMs: 300 }, KEPT, io());
        expect(answer).toMatchObject({ ok: false, reason: { reason: "timeout" } });
      },
    );
  });
});
