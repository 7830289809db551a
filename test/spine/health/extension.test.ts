import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HEALTH_EXTENSION_DEPTH_MAX_COUNT,
  HEALTH_EXTENSION_MAX_COUNT,
  HEALTH_EXTENSION_VALUES_MAX_COUNT,
} from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { extendHealth, extensionOf } from "../../../src/spine/health/extension.ts";
import {
  HEALTH_MEMBERS,
  type HealthSnapshot,
  readHealthSnapshot,
} from "../../../src/spine/health/snapshot.ts";
import { anythingWith, generation } from "./arbitraries.ts";

const base: HealthSnapshot = {
  state: "cold",
  worker_handshake: "absent",
  generation: generation(1),
  uptime_ms: 0,
  consecutive_failures: 0,
  restart_count: 0,
};

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

describe("a consumer's own members of health", () => {
  it("stand behind the base payload and are read back", () => {
    const own = { index_ready: false, servers: [{ name: "github", stale: null }], ratio: 0.5 };
    const extended = extendHealth(base, own);
    expect(extended).toEqual(ok({ ...base, ...own }));
    if (!extended.ok) return;
    expect(Object.keys(extended.value).slice(0, 6)).toEqual(Object.keys(base));
    expect(readHealthSnapshot(extended.value)).toEqual(ok(base));
    expect({ ...extensionOf(extended.value) }).toEqual(own);
  });

  it.each(HEALTH_MEMBERS)("cannot be called %s", (name) => {
    expect(extendHealth(base, { [name]: "ready" })).toEqual(fail("shadows_base"));
  });

  it.each(["", "State", "a-b", "__proto__", "1st", "ſtate", "a".repeat(65), "\ud800"])(
    "cannot be called %j",
    (name) => {
      const extension = Object.defineProperty({}, name, { value: 1, enumerable: true });
      expect(extendHealth(base, extension)).toEqual(fail("invalid_name"));
    },
  );

  it.each([undefined, () => 1, Symbol("s"), 1n, Number.NaN, -Infinity, new Date(0), new Map(), [undefined]])(
    "cannot hold what JSON cannot: %s",
    (value) => {
      expect(extendHealth(base, { figure: value })).toEqual(fail("not_json"));
    },
  );

  it("are bounded in number, depth and size", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
    expect(extendHealth(base, many(HEALTH_EXTENSION_MAX_COUNT)).ok).toBe(true);
    expect(extendHealth(base, many(HEALTH_EXTENSION_MAX_COUNT + 1))).toEqual(fail("too_many_members"));
    expect(extendHealth(base, { deep: nested(HEALTH_EXTENSION_DEPTH_MAX_COUNT - 1) }).ok).toBe(true);
    expect(extendHealth(base, { deep: nested(HEALTH_EXTENSION_DEPTH_MAX_COUNT) })).toEqual(fail("not_json"));
    const long = Array.from({ length: HEALTH_EXTENSION_VALUES_MAX_COUNT }, () => 0);
    expect(extendHealth(base, { long })).toEqual(fail("too_large"));
    expect(extendHealth(base, { long: long.slice(1) }).ok).toBe(true);
  });

  it("end where one value is held twice by another, level upon level", () => {
    let bomb: unknown = 1;
    for (let level = 0; level < HEALTH_EXTENSION_DEPTH_MAX_COUNT - 2; level += 1) {
      bomb = Array.from({ length: 10 }, () => bomb);
    }
    expect(extendHealth(base, { bomb })).toEqual(fail("too_large"));
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(extendHealth(base, { cycle })).toEqual(fail("not_json"));
  });

  it("are sent as they were judged", () => {
    const own = { list: [1], odd: { toJSON: "text" } };
    const extended = extendHealth(base, own);
    own.list.push(2);
    expect(extended).toEqual(ok({ ...base, list: [1], odd: { toJSON: "text" } }));
    expect(extendHealth(base, { sly: { toJSON: () => ({ state: "ready" }) } })).toEqual(fail("not_json"));
  });

  it("never change a base member, whatever is handed in", () => {
    fc.assert(
      fc.property(anythingWith(HEALTH_MEMBERS), (extension) => {
        const extended = extendHealth(base, extension);
        if (!extended.ok) return;
        expect(readHealthSnapshot(JSON.parse(JSON.stringify(extended.value)))).toEqual(ok(base));
      }),
      { numRuns: 300 },
    );
  });
});
