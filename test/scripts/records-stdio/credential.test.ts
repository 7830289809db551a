import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mintBearer } from "../../../src/access/bearer.ts";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { readCredential } from "../../../scripts/records-stdio/credential.ts";

const CLIENT = "lg_client_eyJ2IjoxfQ_x";

function exitCodeOf(environment: Record<string, string>): number {
  const read = readCredential(environment);
  return read.ok ? 0 : read.reason.exitCode;
}

describe("the environment's bearer", () => {
  it.each([
    [0, { LOOMGATE_RECORDS_TOKEN: CLIENT }],
    [0, { LOOMGATE_RECORDS_TOKEN: "lg_package_eyJ2IjoxfQ_x" }],
    [0, { LOOMGATE_RECORDS_TOKEN: ` ${CLIENT}\n`, PDPP_OWNER_TOKEN: " " }],
    // Of no form that is known here: the server judges it.
    [0, { LOOMGATE_RECORDS_TOKEN: "0123456789abcdef" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "lg_owner_eyJ2IjoxfQ_x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "lg_operator_eyJ2IjoxfQ_x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "lg_CLIENT_eyJ2IjoxfQ_x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "lg_constructor_eyJ2IjoxfQ_x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "lg_" }],
    [77, { LOOMGATE_RECORDS_TOKEN: CLIENT, PDPP_OWNER_TOKEN: "x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: CLIENT, PDPP_OWNER_SESSION_COOKIE: "x" }],
    [77, { PDPP_OWNER_TOKEN: "x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: CLIENT, WHATEVER: "Bearer lg_owner_eyJ2IjoxfQ_x" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "the operator's", OPERATOR_TOKEN: "the operator's" }],
    [77, { LOOMGATE_RECORDS_TOKEN: "operators-own", OPERATOR_TOKEN: "operators-own" }],
    [78, {}],
    [78, { LOOMGATE_RECORDS_TOKEN: "  " }],
    [78, { LOOMGATE_RECORDS_TOKEN: "two words" }],
    [78, { LOOMGATE_RECORDS_TOKEN: "x\r\nX-Injected: 1" }],
    [78, { LOOMGATE_RECORDS_TOKEN: "\uD800" }],
  ])("ends with %i: %j", (code, environment) => {
    expect(exitCodeOf(environment)).toBe(code);
  });

  it("has a bound", () => {
    expect(exitCodeOf({ LOOMGATE_RECORDS_TOKEN: "a".repeat(8_192) })).toBe(0);
    expect(exitCodeOf({ LOOMGATE_RECORDS_TOKEN: "a".repeat(8_193) })).toBe(78);
  });

  it("is in no message, whatever it is and whichever variable has it", () => {
    const name = fc.constantFrom("LOOMGATE_RECORDS_TOKEN", "PDPP_OWNER_TOKEN", "OPERATOR_TOKEN", "OTHER");
    const value = fc
      .tuple(fc.constantFrom("", "lg_owner_", "lg_x_", "lg_client_", "Bearer lg_owner_"), fc.uuid())
      .map(([start, rest]) => `${start}${rest}`);
    fc.assert(
      fc.property(fc.dictionary(name, value), (environment) => {
        const read = readCredential(environment);
        if (read.ok) return;
        for (const secret of Object.values(environment)) expect(read.reason.message).not.toContain(secret);
      }),
    );
  });

  it("tells when it expires, if it is one of ours", async () => {
    const keys = await deriveKeyRings({ LOOMGATE_KEY: "k".repeat(32) });
    if (!keys.ok) throw new Error("no keys");
    const request = { kind: "package", principal: "ann", lifetimeSeconds: 60 } as const;
    for (let byte = 0; byte < 256; byte += 1) {
      const minted = await mintBearer(keys.value.bearer, request, new Uint8Array(16).fill(byte), 1_000_000);
      const bearer = minted.ok ? minted.value.bearer : "";
      const read = readCredential({ LOOMGATE_RECORDS_TOKEN: bearer });
      expect(read).toEqual({ ok: true, value: { bearer, isReader: true, expiresAtSeconds: 1_060 } });
    }
  });
});
