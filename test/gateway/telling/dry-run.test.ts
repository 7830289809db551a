import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { fakeId } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { DELETE, deleteCall, run } from "../controlled.ts";
import { expectWhole, onlyEntry } from "./told.ts";

/** One call, and the only entry that it leaves. */
async function tell(made: ReturnType<typeof run>, args: Record<string, unknown>) {
  await made.call(args);
  const entry = onlyEntry(made.caller.told);
  expectWhole(entry);
  return entry;
}

describe("a dry run", () => {
  const dry = { ...deleteCall, dry_run: true };

  it("that is good", async () => {
    const { event, upstreams } = await tell(run({}), dry);
    expect(event).toMatchObject({
      event: "execute.dry_run",
      success: true,
      tool_id: fakeId(DELETE),
      attributes: { args_valid: true, arg_count: 1, replay: "never_replay" },
    });
    expect([memberOf(event.attributes, "error_code"), upstreams]).toEqual([undefined, []]);
  });

  it("of a call that a limit would turn away has a report all the same", async () => {
    const caller = fakeCaller({
      answer: () => ({
        version: 1,
        admitted: true,
        newestGeneration: 1,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        quota: { exceeded: { scope: "tool_execute/minute", retryAfterMs: 1 } },
        rowsWritten: 0,
      }),
    });
    expect((await tell(run({}, {}, {}, caller), dry)).event).toMatchObject({
      event: "execute.dry_run",
      success: true,
      attributes: { args_valid: true, error_code: "RATE_LIMITED" },
    });
  });

  it.each([
    [{ ...dry, args: {} }, "ARGS_INVALID", fakeId(DELETE)],
    [{ dry_run: true }, "ARGS_INVALID", null],
    [{ ...dry, tool_id: "of my own making" }, "HYDRATE_FAILED", null],
  ])("that fails: %j", async (args, code, toolId) => {
    expect((await tell(run({}), args)).event).toMatchObject({
      event: "execute.dry_run",
      success: false,
      tool_id: toolId,
      attributes: { args_valid: false, error_code: code },
    });
  });

  it("that a rule denies is denied", async () => {
    const policy = [{ match: {}, action: "deny" }];
    expect((await tell(run({ policy }), dry)).event).toMatchObject({
      event: "execute.denied",
      attributes: { action: "deny", dry_run: true },
    });
  });
});
