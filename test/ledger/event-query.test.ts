import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEventQuery } from "../../src/ledger/event-query.ts";
import { EVENT_NAMES } from "../spine/telemetry/event-arbitraries.ts";

const read = (query: string) => {
  const parameters = new URLSearchParams(query);
  return readEventQuery((name) => parameters.getAll(name));
};

describe("a question for events", () => {
  it("asks for a page of everything where it says nothing", () => {
    expect(read("")).toEqual({ ok: true, value: { after: 0, sinceMs: null, names: null, limit: 100 } });
  });

  it.each([
    ["since=2026-01-31T12:00:00Z", Date.UTC(2026, 0, 31, 12)],
    ["since=2026-01-31T12:00:00.250Z", Date.UTC(2026, 0, 31, 12) + 250],
    ["since=2026-01-31T12:00%2B02:00", Date.UTC(2026, 0, 31, 10)],
    ["since=2026-01-31", Date.UTC(2026, 0, 31)],
    ["since=1960-01-01", 0],
    ["since=1769860800000", 1_769_860_800_000],
    ["since=0", 0],
  ])("reads a time: %s", (query, ms) => {
    expect(read(query)).toMatchObject({ ok: true, value: { sinceMs: ms } });
  });

  it.each([
    ["execute.failed", ["execute.failed"]],
    ["browse", ["browse.completed", "browse.failed"]],
    ["browse,execute.denied,browse", ["browse.completed", "browse.failed", "execute.denied"]],
    ["catalog.refresh", ["catalog.refresh"]],
    ["catalog", ["catalog.loaded", "catalog.refresh", "catalog.refresh.live"]],
  ])("reads kinds: %s", (kind, names) => {
    expect(read(`kind=${kind}`)).toMatchObject({ ok: true, value: { names } });
  });

  it.each([
    "since=yesterday",
    "since=",
    "since=2026-02-31",
    "since=2026-13-01",
    "since=2026-01-31T25:00:00Z",
    "since=2026-01-31T12:00:00",
    "since=2026-01-31T12:00:00+02:00",
    "since=-1",
    "since=1e3",
    "since=99999999999999999",
    "after=-1",
    "after=x",
    "after=",
    "after=9007199254740993",
    "limit=0",
    "limit=1001",
    "limit=1.5",
    "limit=٣",
    "limit=10&limit=10",
    "kind=browse&kind=view",
    "kind=",
    "kind=execute,",
    "kind=exec",
    "kind=execute.",
    "kind=__proto__",
    "kind=constructor",
  ])("refuses what it cannot read: %s", (query) => {
    expect(read(query)).toEqual({ ok: false, reason: [expect.any(String)] });
  });

  it("names what it does not know and lists what there is", () => {
    const answer = read("kind=teleport,execute,a,b,c,d,e,%00");
    if (answer.ok) throw new Error("taken");
    expect(answer.reason).toEqual([
      `kind: unknown "teleport", "a", "b", "c", "d" and 2 more; the events are ${EVENT_NAMES.join(", ")}`,
    ]);
  });

  it("tells everything that is wrong, in a bounded answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (text) => {
        const hostile = `${text}\u0000`;
        const answer = readEventQuery(() => [hostile]);
        expect(answer.ok).toBe(false);
        if (answer.ok) return;
        expect(answer.reason).toHaveLength(4);
        expect(answer.reason.join("").length).toBeLessThan(4000);
      }),
    );
  });
});
