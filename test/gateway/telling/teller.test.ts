import { describe, expect, it } from "vitest";
import type { CallEvent } from "../../../src/gateway/telling/call-event.ts";
import { Teller } from "../../../src/gateway/telling/teller.ts";
import { readEntry } from "../../../src/outbox/entry.ts";

const COMPLETED: CallEvent = {
  event: "execute.completed",
  success: true,
  tool_id: "github:get_repo#00000000",
  namespace: "github",
  attributes: { attempts: 1, status: "ok", raw_bytes: 5 },
};

function rig(times: readonly number[] = [1000, 1250]) {
  const clock = [...times];
  const log: string[] = [];
  let ids = 0;
  const teller = new Teller("a session's key", {
    now: () => clock.shift() ?? 0,
    newId: () => `id-${(ids += 1)}`,
    log: (text) => {
      log.push(text);
    },
  });
  return { teller, log };
}

const read = (texts: readonly string[]) => {
  const entry = readEntry(texts[0] ?? "");
  if (!entry.ok) throw new Error(entry.reason);
  return entry.value;
};

describe("a teller", () => {
  it("tells the first ending, and no other", () => {
    const { teller } = rig();
    expect(read(teller.entries(COMPLETED)).event).toMatchObject({ timestamp: 1250, duration_ms: 250 });
    expect(teller.entries(COMPLETED)).toEqual([]);
  });

  it("measures no negative time on a clock that is stepped back", () => {
    expect(read(rig([1000, 10]).teller.entries(COMPLETED)).event).toMatchObject({
      timestamp: 10,
      duration_ms: 0,
    });
  });

  it("says of a session sixteen digits of its key's hash", () => {
    const { session_id: id } = read(rig().teller.entries(COMPLETED)).event;
    expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each<[string, CallEvent]>([
    ["a tool that a caller made up", { ...COMPLETED, tool_id: "my secret" }],
    ["a count that is none", { ...COMPLETED, attributes: { attempts: 1, status: "ok", raw_bytes: -1 } }],
    ["a namespace that is none", { ...COMPLETED, namespace: "MY SECRET" }],
  ])("tells less of an event that has %s, and logs why", (_, event) => {
    const { teller, log } = rig();
    const entry = read(teller.entries(event, { key: "k" }));
    expect(entry).toMatchObject({
      key: "k",
      event: { event: "execute.completed", tool_id: null, namespace: null },
      upstreams: [],
    });
    expect(entry.event.attributes).toEqual({ attempts: 1, status: "ok" });
    expect(log).toEqual([expect.stringContaining("execute.completed was refused")]);
    expect(log.join()).not.toContain("ecret");
  });

  it("tells of its call even where its upstream's account cannot be written", () => {
    const { teller, log } = rig();
    const upstreams = [{ server: "", generation: 1, operations: [] } as const];
    expect(read(teller.entries(COMPLETED, { upstreams })).event.event).toBe("execute.completed");
    expect(log.length).toBe(1);
  });

  it("logs an event of which nothing can be told", () => {
    const { teller, log } = rig();
    const attributes = { attempts: 100_000, status: "ok" } as const;
    expect(teller.entries({ ...COMPLETED, attributes })).toEqual([]);
    expect(log[1]).toContain("is lost");
  });
});
