import { describe, expect, it } from "vitest";
import { flightKey } from "../../src/dispatch/flight.ts";
import type { Admission } from "../../src/gateway/request-context.ts";
import { UPSTREAM_CANCEL_REASON_MAX_CHARS } from "../../src/limits.ts";
import type { FoundFlight } from "../../src/principal/admit-contract.ts";
import { fakeCaller, fakeGateway, type FakeGatewayOptions } from "../support/fake-gateway.ts";
import { CATALOG, server } from "./controlled.ts";

const SESSION = { sessionId: "up-1", protocolVersion: "2025-06-18" };
const FLIGHT: FoundFlight = {
  upstream: "key of github",
  server: "github",
  target: "configured",
  requestId: "attempt-1",
  session: SESSION,
};

const admitted = (cancelled?: FoundFlight | null): Admission => ({
  version: 1,
  admitted: true,
  newestGeneration: null,
  stale: false,
  arrangement: null,
  upstreamSessions: [],
  ...(cancelled === undefined ? {} : { cancelled }),
  rowsWritten: 0,
});

/** A cancellation that the principal's object answers like this. */
async function cancel(
  answer: Admission,
  reason?: string,
  options: FakeGatewayOptions = {},
  key = '"call-1"',
) {
  const caller = fakeCaller({ answer: () => answer });
  const made = fakeGateway({ catalog: CATALOG, config: { mcpServers: server() }, ...options });
  await made.surface.cancel?.(key, reason, caller.context);
  return { ...made, caller };
}

describe("a caller that takes a call back", () => {
  it("is asked about by the hash of the call's id, in one visit, and nothing is told of it", async () => {
    const { caller } = await cancel(admitted(null));
    expect(caller.asks).toEqual([{ cancel: { requestKey: flightKey('"call-1"') } }]);
    expect([caller.settles(), caller.told]).toEqual([0, []]);
  });

  it("has it cancelled at its upstream, by the id and the session that it has there", async () => {
    const { cancels, calls } = await cancel(admitted(FLIGHT), "no longer needed");
    expect(cancels).toEqual([
      { server: "github", requestId: "attempt-1", reason: "no longer needed", session: SESSION },
    ]);
    expect(calls).toEqual([]);
  });

  it.each([
    ["runs no such call", admitted(null), {}],
    ["has an object that knows no flights", admitted(), {}],
    ["is turned away", { admitted: false, reason: "unreachable" } as const, {}],
    ["has a call whose session nobody knows yet", admitted({ ...FLIGHT, session: null }), {}],
    ["has a call with another credential than now", admitted({ ...FLIGHT, upstream: "key of then" }), {}],
    ["has a call at a target that this version does not know", admitted({ ...FLIGHT, target: "moon" }), {}],
    ["has a call at a server that cannot be addressed any more", admitted(FLIGHT), { noServer: true }],
  ])("cancels nothing where it %s", async (_, answer, options) => {
    expect((await cancel(answer, undefined, options)).cancels).toEqual([]);
  });

  it.each([
    ["passed on", FLIGHT],
    ["nowhere to be passed on to yet", { ...FLIGHT, session: null }],
    ["meant for another credential than now", { ...FLIGHT, upstream: "key of then" }],
  ])("is heard by the call itself behind that, if it runs in this isolate: %s", async (_, flight) => {
    const { surface, ports, cancels } = fakeGateway({ catalog: CATALOG, config: { mcpServers: server() } });
    const passedOn = ports.running.begin("attempt-1").then(() => cancels.length);
    const { context } = fakeCaller({ answer: () => admitted({ ...flight, attempt: "attempt-1" }) });
    await surface.cancel?.("1", undefined, context);
    expect(await passedOn).toBe(flight === FLIGHT ? 1 : 0);
  });

  it("meets no error where the object throws: it is for the log", async () => {
    const { surface, log } = fakeGateway({ catalog: CATALOG });
    const { context } = fakeCaller({
      answer: () => {
        throw new Error("gone");
      },
    });
    await surface.cancel?.("1", undefined, context);
    expect(log).toEqual(["a call could not be cancelled: Error: gone"]);
  });

  it("gives a reason that is one bounded line without secrets, or none", async () => {
    const secrets = ["hunter2-hunter2"];
    const sent = async (reason: string) =>
      (await cancel(admitted(FLIGHT), reason, { secrets })).cancels[0]?.reason;
    expect(await sent("a\r\nb\u0000\u202Ec")).toBe("a b c");
    expect(await sent("it said hunter2-hunter2")).not.toContain("hunter2");
    expect(await sent(" \u200B\n")).toBeUndefined();
    const long = await sent("\u{1F600}".repeat(5000));
    expect(Array.from(long ?? "").length).toBe(UPSTREAM_CANCEL_REASON_MAX_CHARS);
    expect(long).not.toMatch(/\p{Surrogate}/u);
  });
});
