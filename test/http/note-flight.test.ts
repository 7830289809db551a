import { describe, expect, it } from "vitest";
import { noteFlight } from "../../src/http/note-flight.ts";
import { FLIGHT_NOTE_RETRY_DELAYS_MS } from "../../src/limits.ts";
import { fail, ok } from "../../src/result.ts";

const SESSION = { sessionId: "s", protocolVersion: "2025-11-25" };

/** Notes a call where the object fails so often, and says what was asked and waited for. */
async function noted(failures: number, session?: typeof SESSION) {
  const waits: number[] = [];
  const lines: string[] = [];
  let asked = 0;
  const cancelled = await noteFlight(
    { version: 1, attempt: "a", ...(session === undefined ? {} : { session }) },
    {
      noteFlight: async () =>
        (asked += 1) <= failures
          ? fail({ detail: `failed ${asked}` })
          : ok({ version: 1, cancelled: true, rowsWritten: 0 }),
      sleep: async (delayMs) => {
        waits.push(delayMs);
      },
      log: (text) => {
        lines.push(text);
      },
    },
  );
  return { cancelled, asked, waits, lines };
}

describe("a note of where a call is", () => {
  it("is made once where its object answers, whatever it is of", async () => {
    const once = { cancelled: true, asked: 1, waits: [], lines: [] };
    expect(await noted(0)).toEqual(once);
    expect(await noted(0, SESSION)).toEqual(once);
  });

  it("of another try is made twice at most, and keeps the try waiting for nothing", async () => {
    expect(await noted(1)).toEqual({ cancelled: true, asked: 2, waits: [], lines: [] });
    expect(await noted(9)).toEqual({ cancelled: false, asked: 2, waits: [], lines: ["failed 2"] });
  });

  it("of a session waits for an object that is being moved, for a while", async () => {
    const [first] = FLIGHT_NOTE_RETRY_DELAYS_MS;
    expect(await noted(2, SESSION)).toEqual({ cancelled: true, asked: 3, waits: [first], lines: [] });
    const all = 2 + FLIGHT_NOTE_RETRY_DELAYS_MS.length;
    expect(await noted(99, SESSION)).toEqual({
      cancelled: false,
      asked: all,
      waits: [...FLIGHT_NOTE_RETRY_DELAYS_MS],
      lines: [`failed ${all}`],
    });
  });
});
