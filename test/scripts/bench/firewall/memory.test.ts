import { describe, expect, it, vi } from "vitest";
import { FRAMINGS } from "../../../../scripts/bench/firewall/memory/large-upstream.ts";
import { measureMemory } from "../../../../scripts/bench/firewall/memory/memory.ts";
import { takeAnswer } from "../../../../scripts/bench/firewall/memory/ways.ts";
import { UPSTREAM_ANSWER_MAX_BYTES, UPSTREAM_BUFFERS_MAX_BYTES } from "../../../../src/limits.ts";

// Processes of their own, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

const BODY_BYTES = UPSTREAM_ANSWER_MAX_BYTES + 123_457;
/** The most that is around the text in a message. */
const FRAME_MAX_BYTES = 200;

describe("an answer that is too large to hold", () => {
  it.each(FRAMINGS)("is the same text whoever takes it, in chunks that are told (%s)", async (framing) => {
    let chunks = 0;
    const count = (): void => {
      chunks += 1;
    };
    const own = await takeAnswer("loomgate", framing, BODY_BYTES, count);
    const ownChunks = chunks;
    const other = await takeAnswer("sdk", framing, BODY_BYTES, count);
    expect(chunks - ownChunks).toBe(ownChunks);
    expect(ownChunks).toBe(Math.ceil(BODY_BYTES / 65_536) + 1);
    for (const { textBytes } of [own, other]) {
      expect(textBytes).toBeLessThan(BODY_BYTES);
      expect(textBytes).toBeGreaterThan(BODY_BYTES - BODY_BYTES / 64 - FRAME_MAX_BYTES);
    }
    expect(other.countedBytes).toBe(null);
    expect(own.countedBytes).toBeGreaterThan(UPSTREAM_ANSWER_MAX_BYTES);
    expect(own.countedBytes).toBeLessThanOrEqual(UPSTREAM_BUFFERS_MAX_BYTES);
  });

  it("is measured each way in a process of its own", async () => {
    const told: string[] = [];
    const figures = await measureMemory(1_048_576, (line) => told.push(line));
    expect(told).toHaveLength(4);
    expect(figures.map(({ way, framing, body_bytes }) => [way, framing, body_bytes])).toEqual([
      ["loomgate", "json", 1_048_576],
      ["sdk", "json", 1_048_576],
      ["loomgate", "event", 1_048_576],
      ["sdk", "event", 1_048_576],
    ]);
    for (const { way, text_bytes, counted_bytes } of figures) {
      expect(text_bytes).toBeGreaterThan(1_048_576 - 1_048_576 / 64 - FRAME_MAX_BYTES);
      expect(counted_bytes === null).toBe(way === "sdk");
    }
  });
});
