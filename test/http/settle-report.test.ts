import { describe, expect, it } from "vitest";
import { settleReport } from "../../src/http/settle-report.ts";
import { writeEntry } from "../../src/outbox/entry.ts";
import { fail, ok } from "../../src/result.ts";
import { eventLine, type GatewayEvent } from "../../src/spine/telemetry/events.ts";

const EVENT: GatewayEvent = {
  version: 1,
  event: "execute.denied",
  timestamp: 5,
  success: false,
  duration_ms: 2,
  session_id: null,
  tool_id: null,
  namespace: null,
  attributes: { error_code: "POLICY_DENIED", action: "deny" },
};
const written = writeEntry({ key: "k", event: EVENT, upstreams: [] });
if (!written.ok) throw new Error(written.reason);
const REPORT = { version: 1, told: [written.value, "garbage"] } as const;

const EVICTED = [
  { handle: "1".repeat(27), toolId: "t", sizeBytes: 5, storedAs: "d7/x1", expiresAtMs: 9 },
  { handle: "2".repeat(27), toolId: "t", sizeBytes: 5, storedAs: "d7/x2", expiresAtMs: 9 },
];

/** Answers in turn; the object does not answer where there is `null`. */
async function play(answers: readonly (boolean | null)[], report = REPORT, evicted?: typeof EVICTED) {
  const left = [...answers];
  const waits: number[] = [];
  const log: string[] = [];
  const reports: unknown[] = [];
  const removed: unknown[] = [];
  await settleReport(
    { ...report, told: [...report.told] },
    {
      settle: async (sent) => {
        reports.push(sent);
        const accepted = left.shift() ?? null;
        return accepted === null
          ? fail({ detail: "the object is being moved" })
          : ok({ version: 1, accepted, ...(evicted === undefined ? {} : { evicted }), rowsWritten: 0 });
      },
      removeArtifacts: async (artifacts) => {
        removed.push(artifacts);
        return artifacts.slice(1).map(({ handle, expiresAtMs }) => ({ handle, expiresAtMs }));
      },
      sleep: async (delayMs) => {
        waits.push(delayMs);
      },
      log: (text) => {
        log.push(text);
      },
    },
  );
  return { waits, log, reports, removed };
}

describe("a report to the principal's object", () => {
  it("is sent once where the object answers", async () => {
    expect(await play([true])).toMatchObject({ waits: [], log: [], reports: [REPORT] });
  });

  it("deletes what gave way, once, tells what is deleted, and nothing where nothing did", async () => {
    const { removed, reports } = await play([null, true, true], REPORT, EVICTED);
    expect(removed).toEqual([EVICTED]);
    expect(reports.slice(2)).toEqual([{ version: 1, removed: [{ handle: "2".repeat(27), expiresAtMs: 9 }] }]);
    expect(await play([true])).toMatchObject({ removed: [], reports: [REPORT] });
  });

  it("is sent again, the same, after a second and after five more", async () => {
    expect(await play([null, true])).toMatchObject({ waits: [1000], log: [], reports: [REPORT, REPORT] });
    expect(await play([null, null, true])).toMatchObject({ waits: [1000, 5000], log: [] });
  });

  it("that never arrives leaves its event in the log", async () => {
    const { log, reports } = await play([null, null, null]);
    const line = eventLine(EVENT);
    expect(reports.length).toBe(3);
    expect(log).toEqual([
      "settle: the object is being moved",
      `not told: ${line.ok ? line.value : ""}`,
      "not told: an entry that cannot be read",
    ]);
  });

  it("that the object does not take is not sent again, and leaves its event in the log", async () => {
    const { log, reports } = await play([false]);
    expect([reports.length, log.length]).toEqual([1, 3]);
  });
});
