import { describe, expect, it } from "vitest";
import { chooseConnector } from "../../../src/records/ingest/choose-connector.ts";

const connector = (connectorKey: string, hasStream = true) => ({ connectorKey, hasStream });

describe("whose a new connection is", () => {
  const mails = [connector("mail"), connector("mail-pro"), connector("chat", false)];

  it("is told by name, then by the id's beginning, then by the stream alone", () => {
    expect(chooseConnector("x", "mail", mails)).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail", undefined, mails)).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail:ann", undefined, mails)).toEqual({ ok: true, value: "mail" });
    expect(chooseConnector("mail-pro-2", undefined, mails)).toEqual({ ok: true, value: "mail-pro" });
    expect(chooseConnector("x", undefined, [connector("mail"), connector("chat", false)])).toEqual({
      ok: true,
      value: "mail",
    });
  });

  it("is not guessed", () => {
    expect(chooseConnector("mails", undefined, mails)).toEqual({
      ok: false,
      reason: { reason: "ambiguous", candidates: ["mail", "mail-pro"] },
    });
    expect(chooseConnector("mail2", undefined, mails)).toMatchObject({ reason: { reason: "ambiguous" } });
    expect(chooseConnector("chat-1", undefined, mails)).toMatchObject({
      reason: { reason: "unknown_stream" },
    });
    expect(chooseConnector("x", "gone", mails)).toMatchObject({ reason: { reason: "unknown_connector" } });
    expect(chooseConnector("x", undefined, [])).toMatchObject({ reason: { reason: "unknown_stream" } });
  });
});
