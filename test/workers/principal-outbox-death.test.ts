import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { OUTBOX_SHIP_DELAY_MS } from "../../src/limits.ts";
import type { Delivery } from "../../src/outbox/delivery.ts";
import { browsed, textOf } from "../outbox/entry-kit.ts";
import { LedgerModel } from "../outbox/ledger-model.ts";
import { farAheadClock } from "./far-ahead.ts";
import { alarmOf, withDoor } from "./ledger-seam.ts";
import { evictedPrincipal, stubOf } from "./principal-client.ts";
import { recordLog } from "./recorded-log.ts";

const { at, since } = farAheadClock();
recordLog();
let ledger = new LedgerModel();

beforeEach(() => {
  ledger = new LedgerModel();
});

const told = (...keys: string[]) => ({ told: keys.map((key) => textOf(browsed(key))) });

describe("an object that dies while its alarm delivers", () => {
  it.each([
    ["a call that tells", told("b"), ["a", "b"]],
    [
      "a call that leaves something else",
      { opened: [{ key: "u", sessionId: "s", protocolVersion: "" }] },
      ["a"],
    ],
  ])("ships seconds after %s, and not with the next sweep", async (_, report, counted) => {
    await evictedPrincipal("ada").settle(told("a"));
    at(OUTBOX_SHIP_DELAY_MS);
    await abortAllDurableObjects();
    const asked: Delivery[] = [];
    await withDoor("ada", {
      deliver: (delivery) => {
        asked.push(delivery);
        return new Promise(() => {});
      },
    });
    const dies = runDurableObjectAlarm(stubOf("ada")).catch(() => false);
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await stubOf("ada").settle({ version: 1, ...report });
    expect(since(await alarmOf("ada"))).toBe(2 * OUTBOX_SHIP_DELAY_MS);
    await abortAllDurableObjects();
    await dies;
    expect(since(await alarmOf("ada"))).toBe(2 * OUTBOX_SHIP_DELAY_MS);
    at(2 * OUTBOX_SHIP_DELAY_MS);
    await withDoor("ada", ledger);
    await runDurableObjectAlarm(stubOf("ada"));
    expect(ledger.counted).toEqual(counted);
  });
});
