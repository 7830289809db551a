import { describe, expect, it } from "vitest";
import { type LedgerNamespace, ledgerPort } from "../../src/ledger/ledgers-store.ts";
import { LEDGER_OBJECT_NAME } from "../../src/outbox/delivery.ts";

type Stub = ReturnType<LedgerNamespace["getByName"]>;

const PAGE = { version: 1, lines: ["{}"], cursor: 1, more: false } as const;

const failure = (marks: object): Error => Object.assign(new Error("the object is gone"), marks);

/** Whatever it answers: an object of another version may be at the other end. */
function isStub(value: object): value is Stub {
  return "deliver" in value && "read" in value && "events" in value;
}

/** A namespace whose stubs answer by turns, the last one from then on; it notes the names that it is asked for. */
function namespace(...turns: readonly (() => unknown)[]) {
  const names: string[] = [];
  const getByName = (name: string): Stub => {
    names.push(name);
    const turn = turns[Math.min(names.length, turns.length) - 1];
    const answer = async (): Promise<unknown> => turn?.();
    const stub = { deliver: answer, read: answer, events: answer };
    if (!isStub(stub)) throw new Error("no stub");
    return stub;
  };
  return { names, port: ledgerPort({ getByName }) };
}

const throws = (marks: object) => () => {
  throw failure(marks);
};
const question = { after: 0, sinceMs: null, names: null, limit: 1 };

describe("the way to the ledger", () => {
  it("asks the one object there is", async () => {
    const { port, names } = namespace(() => PAGE);
    expect(await port.events(question)).toEqual({ ok: true, value: PAGE });
    expect(names).toEqual([LEDGER_OBJECT_NAME]);
  });

  it("asks a second stub where the platform says that it may help", async () => {
    const { port, names } = namespace(throws({ retryable: true }), () => PAGE);
    expect((await port.events(question)).ok).toBe(true);
    expect(names).toHaveLength(2);
  });

  it.each([
    ["once where it may not help", {}, 1],
    ["once where the object is overloaded", { retryable: true, overloaded: true }, 1],
    ["twice and no more", { retryable: true }, 2],
  ])("asks %s, and does not throw", async (_, marks, times) => {
    const { port, names } = namespace(throws(marks));
    expect(await port.read(null)).toEqual({
      ok: false,
      reason: { reason: "ledger_unreachable", detail: "Error: the object is gone" },
    });
    expect(names).toHaveLength(times);
  });

  it.each([[{ version: 1, refused: "malformed" }], [{ version: 2, lines: [] }], [{}]])(
    "takes no answer of another version: %j",
    async (answer) => {
      const { port } = namespace(() => answer);
      expect((await port.read(null)).ok).toBe(false);
      expect((await port.events(question)).ok).toBe(false);
    },
  );
});
