import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, hangs, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { textIn, workerRig } from "./worker-rig.ts";
import { freshStorage } from "./fresh-storage.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };

const answers: Deed = (id) => result(id, text("paid"));
const DEEDS = {
  refuses: () => new Response(null, { status: 429 }),
  breaks: () => new Response(null, { status: 503 }),
  hangs,
} satisfies Readonly<Record<string, Deed>>;

beforeEach(async () => {
  await freshStorage();
});

/** Makes one call through the whole Worker to an upstream that does these things, one for each try, and then answers. */
async function callThrough(
  deeds: readonly (keyof typeof DEEDS)[],
  { replay = "never_replay", timeoutMs = 30_000, tries = 4 },
) {
  const { fetch, bodies } = bankUpstream((id, call, signal) => {
    const deed = deeds[call - 1];
    return (deed === undefined ? answers : DEEDS[deed])(id, call, signal);
  });
  const { openSession } = workerRig({
    tools: [PAY],
    fetch,
    server: { timeout_ms: timeoutMs, replay: { "*": replay } },
    gateway: {
      retry: {
        max_attempts: tries,
        base_delay_ms: 1,
        retryable_codes: ["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE", "RATE_LIMITED"],
      },
    },
  });
  const ada = await openSession(await bearerFor());
  const answer = await ada.call("tool_execute", { tool_id: fakeId(PAY), args: {} });
  const envelope = memberOf(memberOf(answer, "_meta"), "loomgate/envelope");
  return {
    calls: bodies.length,
    text: textIn(answer),
    attempts: memberOf(memberOf(envelope, "provenance"), "attempts"),
  };
}

describe("retry, over the real way to an upstream", () => {
  it("tries a convergent call until it is answered", async () => {
    const told = await callThrough(["breaks", "refuses", "breaks"], { replay: "convergent" });
    expect(told).toEqual({ calls: 4, text: "paid", attempts: 4 });
  });

  it("tries a call that may not run twice only while it was turned away unread", async () => {
    expect(await callThrough(["refuses"], {})).toEqual({ calls: 2, text: "paid", attempts: 2 });
    const lost = await callThrough(["refuses", "breaks"], {});
    expect(lost.calls).toBe(2);
    expect(JSON.parse(lost.text)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      retryable: false,
      details: { outcome: "unknown", replay: "never_replay" },
    });
  });

  it("ends at its one deadline, with each try inside of its share", async () => {
    const told = await callThrough(["breaks", "hangs", "hangs", "hangs"], {
      replay: "convergent",
      timeoutMs: 1000,
    });
    expect(told.calls).toBe(4);
    expect(JSON.parse(told.text)).toMatchObject({
      error: "UPSTREAM_TIMEOUT",
      details: { outcome: "unknown" },
    });
  });

  it("says that the outcome is unknown where a try after a lost one was turned away", async () => {
    const told = await callThrough(["breaks", "refuses"], { replay: "convergent", tries: 2 });
    expect(told.calls).toBe(2);
    expect(JSON.parse(told.text)).toMatchObject({ error: "RATE_LIMITED", retryable: true });
  });
});
