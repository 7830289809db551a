import { describe, expect, it } from "vitest";
import { flightAsk, flightKey } from "../../src/dispatch/flight.ts";
import { CONFIG_SERVER_NAME_MAX_CHARS, JOURNAL_LEASE_GRACE_MS } from "../../src/limits.ts";
import { admitRequestSchema } from "../../src/principal/admit-contract.ts";

const SENDING = {
  attempt: "attempt-1",
  origin: { requestKey: '"call-1"', idempotencyKey: null },
  timeoutMs: 1000,
  dryRun: false,
  sessionKey: "upstream-1",
};
const BANK = { server: "bank", target: "candidate" } as const;

describe("what is noted of a call that is about to be sent", () => {
  it("is where it goes, under the hash of its caller's id, for as long as it may take", () => {
    expect(flightAsk(BANK, SENDING)).toEqual({
      requestKey: flightKey('"call-1"'),
      upstream: "upstream-1",
      server: "bank",
      target: "candidate",
      requestId: "attempt-1",
      leaseMs: 1000 + JOURNAL_LEASE_GRACE_MS,
    });
  });

  it("is nothing of a dry run, or of a call that nobody can name", () => {
    expect(flightAsk(BANK, { ...SENDING, dryRun: true })).toBeNull();
    expect(flightAsk(BANK, { ...SENDING, isAnswered: true })).toBeNull();
    const origin = { requestKey: null, idempotencyKey: "k" };
    expect(flightAsk(BANK, { ...SENDING, origin })).toBeNull();
  });

  it("fits what an object takes, however long the caller's id is, and with the longest name of a server that there is", () => {
    const origin = { requestKey: "x".repeat(1_000_000), idempotencyKey: null };
    const server = "s".repeat(CONFIG_SERVER_NAME_MAX_CHARS);
    const flight = flightAsk({ ...BANK, server }, { ...SENDING, origin });
    const request = { version: 1, tokenId: "t", attempt: SENDING.attempt, flight };
    expect(admitRequestSchema.safeParse(request).success).toBe(true);
    expect(flight).toMatchObject({ server });
  });
});
