import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mintBearer } from "../../src/access/bearer.ts";
import { identifyCaller } from "../../src/access/caller.ts";
import { isOperator } from "../../src/access/operator.ts";
import { NOW_MS, RANDOM, ringsOf, SECRET_A } from "./support.ts";

const ring = (await ringsOf(SECRET_A)).bearer;
const minted = await mintBearer(ring, { kind: "package", principal: "ci" }, RANDOM, NOW_MS);
if (!minted.ok) throw new Error(minted.reason);
const { bearer, claims } = minted.value;

const identify = (header: string | null, operatorToken: string | undefined = "operator-secret") =>
  identifyCaller(header, ring, operatorToken, NOW_MS);

describe("the caller of a request", () => {
  it.each(["Bearer ", "bearer ", "BEARER   "])("is read after %j", async (scheme) => {
    expect(await identify(scheme + bearer)).toEqual({ kind: "bearer", claims });
    expect(await identify(`${scheme}operator-secret`)).toEqual({ kind: "operator" });
  });

  it.each([
    [null, "absent"],
    ["", "absent"],
    [bearer, "malformed"],
    [`Basic ${bearer}`, "malformed"],
    [`Bearer${bearer}`, "malformed"],
    [`Bearer ${bearer}, Bearer ${bearer}`, "malformed"],
    ["Bearer ", "malformed"],
    [`Bearer ${"x".repeat(10_000)}`, "malformed"],
    ["Bearer operator-secre", "malformed"],
    ["Bearer operator-secrets", "malformed"],
    [`Bearer lg_operator_${"A".repeat(60)}_${"A".repeat(43)}`, "unknown_kind"],
  ])("is nobody for %j", async (header, reason) => {
    const caller = await identify(header);
    expect(caller).toEqual({ kind: "none", reason });
  });

  it("is nobody when no operator secret is set, whatever is presented", async () => {
    for (const secret of [undefined, "", "  "]) {
      for (const presented of ["", " ", "undefined", "null", secret ?? "x"]) {
        expect(await isOperator(presented, secret)).toBe(false);
      }
    }
  });

  it("is the operator for the secret alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.string(), async (secret, presented) => {
        const expected = secret.trim() !== "" && presented === secret;
        expect(await isOperator(presented, secret)).toBe(expected);
        expect(await isOperator(secret, secret)).toBe(secret.trim() !== "");
      }),
    );
  });
});
