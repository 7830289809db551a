import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseConnector,
  type ConnectorCandidate,
  type Evidence,
} from "../../../src/records/ingest/choose-connector.ts";

const connector = (
  connectorKey: string,
  fields: readonly string[] | undefined = ["id", "body"],
  connectionCount = 0,
): ConnectorCandidate => ({ connectorKey, fields: fields && new Set(fields), connectionCount });
const without = (connectorKey: string): ConnectorCandidate => ({
  ...connector(connectorKey),
  fields: undefined,
});
const evidence = (keys: readonly string[] = ["1"], members: readonly string[] = ["id"]): Evidence => ({
  keys,
  members: new Set(members),
});

describe("whose a new connection is", () => {
  const mails = [connector("mail"), connector("mail-pro"), without("chat")];

  it("is told by name, then by the id's beginning, then by the stream alone", () => {
    expect(chooseConnector("x", "mail", mails, evidence())).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail", undefined, mails, evidence())).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail:ann", undefined, mails, evidence())).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail-pro-2", undefined, mails, evidence())).toEqual({
      ok: true,
      value: "mail-pro",
    });
    expect(chooseConnector("x", undefined, [without("chat"), connector("mail")], evidence())).toEqual({
      ok: true,
      value: "mail",
    });
  });

  it("is refused where what was named, or nobody, has the stream", () => {
    expect(chooseConnector("chat-1", undefined, mails, evidence())).toEqual({
      ok: false,
      reason: "unknown_stream",
    });
    expect(chooseConnector("x", "chat", mails, evidence())).toEqual({ ok: false, reason: "unknown_stream" });
    expect(chooseConnector("x", "gone", mails, evidence())).toEqual({
      ok: false,
      reason: "unknown_connector",
    });
    expect(chooseConnector("x", undefined, [], evidence())).toEqual({ ok: false, reason: "unknown_stream" });
  });

  it("of several with the stream goes by what the lines have, then their keys, then who has no connection", () => {
    const chosen = (candidates: readonly ConnectorCandidate[], lines: Evidence) =>
      chooseConnector("work", undefined, candidates, lines);
    const fitting = [connector("a", ["id"]), connector("b", ["id", "body"]), connector("c", ["id", "body"])];
    expect(chosen(fitting, evidence(["a-1"], ["id", "body"]))).toEqual({ ok: true, value: "b" });
    expect(chosen(fitting, evidence(["c-1", "c-2"], ["id", "body"]))).toEqual({ ok: true, value: "c" });
    const used = [connector("a", ["id"], 2), connector("b", ["id"], 0)];
    expect(chosen(used, evidence())).toEqual({ ok: true, value: "b" });
    expect(chosen(used, evidence(["a-1"]))).toEqual({ ok: true, value: "a" });
    expect(chosen([connector("z"), connector("a")], evidence([]))).toEqual({ ok: true, value: "z" });
  });

  it("is always one that has the stream", () => {
    const candidates = fc.array(
      fc.record({
        connectorKey: fc.string(),
        fields: fc.option(
          fc.array(fc.string()).map((names) => new Set(names)),
          { nil: undefined },
        ),
        connectionCount: fc.nat(3),
      }),
    );
    fc.assert(
      fc.property(
        fc.string(),
        candidates,
        fc.array(fc.string()),
        fc.array(fc.string()),
        (id, all, keys, members) => {
          const chosen = chooseConnector(id, undefined, all, evidence(keys, members));
          const having = all.filter(({ fields }) => fields !== undefined);
          const isOne = chosen.ok && having.some(({ connectorKey }) => connectorKey === chosen.value);
          expect(isOne || (!chosen.ok && chosen.reason === "unknown_stream")).toBe(true);
        },
      ),
    );
  });
});
