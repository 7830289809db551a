import { describe, expect, it } from "vitest";
import { feedOf, judged, refusalOf, stream } from "./query-rig.ts";

const grouped = { metric: "count", group_by: "who" };
const timed = { metric: "count", group_by_time: "at", granularity: "day" };

describe("an aggregate's parameters", () => {
  it("name a metric with what it takes", () => {
    for (const query of [
      { metric: "count" },
      { metric: "sum", field: "size" },
      { metric: "min", field: "at" },
      { metric: "max", field: "size" },
      { metric: "count_distinct", field: "who" },
      grouped,
      { ...grouped, limit: "100" },
      timed,
      { ...timed, time_zone: "Europe/Berlin", limit: "1" },
    ]) {
      expect([query, judged(query)]).toEqual([query, "ok"]);
    }
  });

  it("are refused where they do not go together", () => {
    for (const query of [
      {},
      { metric: "median", field: "size" },
      { metric: "__proto__" },
      { metric: "count", field: "size" },
      { metric: "sum" },
      { metric: "sum", field: "size", group_by: "who" },
      { metric: "count_distinct", field: "who", group_by_time: "at", granularity: "day" },
      { metric: "count", limit: "5" },
      { metric: "count", granularity: "day" },
      { metric: "count", time_zone: "UTC" },
      { ...grouped, granularity: "day" },
      { ...grouped, time_zone: "UTC" },
      { ...timed, group_by: "who" },
      { metric: "count", group_by_time: "at" },
      { ...timed, granularity: "fortnight" },
      ...["0", "101", "-1", "1.5", "ten", "1e1", " 5", "05", "99999999999999999999"].map((limit) =>
        Object.assign({ limit }, grouped),
      ),
      ...["+05:30", "-08:00", "Mars/Olympus", "Europe/Berlin; DROP", "a".repeat(9_000)].map((time_zone) =>
        Object.assign({ time_zone }, timed),
      ),
    ]) {
      expect([query, judged(query)]).toEqual([query, "invalid_request"]);
    }
  });

  it("take only fields that are declared for it, granted and of a kind that it can work with", () => {
    expect(judged({ metric: "sum", field: "nope" })).toBe("unknown_field");
    expect(judged({ metric: "count", group_by: "constructor" })).toBe("unknown_field");
    expect(judged({ metric: "sum", field: "who" })).toBe("invalid_request");
    expect(judged({ metric: "max", field: "who" })).toBe("invalid_request");
    expect(judged({ metric: "count", group_by: "size" })).toBe("invalid_request");
    // A manifest may declare what no field of that kind can do.
    expect(judged({ metric: "count", group_by: "tags" })).toBe("invalid_request");
    expect(judged({ ...timed, group_by_time: "who" })).toBe("invalid_request");
    const narrow = feedOf({ fields: new Set(["who"]) });
    expect(judged({ metric: "sum", field: "size" }, narrow)).toBe("field_not_granted");
    expect(judged(timed, narrow)).toBe("field_not_granted");
    expect(judged(grouped, narrow)).toBe("ok");
  });

  it("are refused with the granted fields that it is declared for, and no other", () => {
    const asked = { metric: "min", field: "who" };
    expect(refusalOf(asked)?.message).toBe("min is not declared for who: it is for size, at.");
    const granted = (...fields: readonly string[]) => feedOf({ fields: new Set(fields) });
    expect(refusalOf(asked, granted("who", "at"))?.message).toBe(
      "min is not declared for who: it is for at.",
    );
    expect(refusalOf(asked, granted("who"))?.message).toBe(
      "min is not declared for who: it is for no field that can be read.",
    );
  });

  it("are refused for a stream that declares no such thing", () => {
    expect(judged({ metric: "count" }, feedOf({ stream: { ...stream, aggregations: null } }))).toBe(
      "invalid_request",
    );
    const uncounted = stream.aggregations === null ? null : { ...stream.aggregations, count: false };
    expect(judged(grouped, feedOf({ stream: { ...stream, aggregations: uncounted } }))).toBe(
      "invalid_request",
    );
  });
});
