import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UPSTREAM_PROGRESS_MAX_COUNT, UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS } from "../../src/limits.ts";
import { ok } from "../../src/result.ts";
import type { Progress } from "../../src/surface.ts";
import { fakeCaller, type FakeCall, fakeGateway } from "../support/fake-gateway.ts";
import { CATALOG, getCall, server } from "./controlled.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const SECRET = "hunter2-hunter2";

/** What a caller hears of progress that the upstream tells while it works. */
async function heard(
  told: readonly Progress[],
  { redact = false, hear }: { readonly redact?: boolean; readonly hear?: (progress: Progress) => void } = {},
) {
  const all: Progress[] = [];
  const answer = ({ request }: FakeCall) => {
    for (const progress of told) request.onProgress?.(progress);
    return ok({ content: [{ type: "text", text: "fine" }] });
  };
  const config = { mcpServers: server({ redact }) };
  const { surface, log } = fakeGateway({ catalog: CATALOG, config, secrets: [SECRET], answer });
  const line = { onProgress: hear ?? ((progress: Progress) => all.push(progress)) };
  const { context } = fakeCaller();
  const result = await surface.call("tool_execute", getCall, context, undefined, line);
  return { all, result, log };
}

describe("an upstream's progress", () => {
  it("reaches the caller with its numbers, in order, where the caller asked", async () => {
    const told = [{ progress: 1, total: 3 }, { progress: 2, total: 3, message: "half" }, { progress: 2.5 }];
    expect((await heard(told)).all).toEqual(told);
  });

  it("only rises, whatever the upstream says, also where a call is tried again", async () => {
    await fc.assert(
      // What an upstream's progress can be: JSON knows no endless numbers.
      fc.asyncProperty(fc.array(finite, { maxLength: 20 }), async (numbers) => {
        const { all } = await heard(numbers.map((progress) => ({ progress })));
        const rising = numbers.filter((number, at) =>
          numbers.slice(0, at).every((before) => before < number),
        );
        expect(all.map(({ progress }) => progress)).toEqual(rising);
      }),
      { numRuns: 50 },
    );
  });

  it("is told so many times for one call, however often it is told to us", async () => {
    const told = Array.from({ length: 3 * UPSTREAM_PROGRESS_MAX_COUNT }, (_, progress) => ({ progress }));
    const { all } = await heard(told);
    expect(all).toEqual(told.slice(0, UPSTREAM_PROGRESS_MAX_COUNT));
  });

  it("is not asked for where the caller did not ask", async () => {
    const { surface, calls } = fakeGateway({ catalog: CATALOG, config: { mcpServers: server() } });
    await surface.call("tool_execute", getCall, fakeCaller().context, undefined, {});
    await surface.call("tool_execute", getCall, fakeCaller().context);
    expect(calls.map(({ request }) => "onProgress" in request)).toEqual([false, false]);
  });

  it("is told in one line, without secrets of ours, cut ones included", async () => {
    const cut = SECRET.slice(0, -1);
    const { all } = await heard([
      { progress: 1, message: `logged in with ${SECRET}\nnow` },
      { progress: 2, message: `logged in with ${cut}` },
      { progress: 3, message: "\u202E\u0000" },
    ]);
    expect(all[0]?.message).toMatch(/^logged in with \S+ now$/);
    expect(JSON.stringify(all)).not.toContain("hunter2");
    expect(all[2]).toEqual({ progress: 3 });
  });

  it("is redacted where its server is", async () => {
    const told = [{ progress: 1, message: "using ghp_abcdefghijklmnopqrstuvwxyz0123456789 now" }];
    expect((await heard(told)).all[0]?.message).toContain("ghp_");
    expect((await heard(told, { redact: true })).all[0]?.message).not.toContain("ghp_");
  });

  it("never ends a call: not by a caller that throws, nor by what it says", async () => {
    const thrown = await heard([{ progress: 1 }], {
      hear: () => {
        throw new Error("gone");
      },
    });
    expect(thrown.result?.isError).toBeUndefined();
    expect(thrown.log).toEqual(["progress could not be told: Error: gone"]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), fc.nat(200), async (unit, times) => {
        const { all, result } = await heard([{ progress: 1, message: unit.repeat(times) }]);
        expect(result?.isError).toBeUndefined();
        const message = all[0]?.message ?? "";
        expect(Array.from(message).length).toBeLessThanOrEqual(UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS);
        expect(message).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 50 },
    );
  });
});
