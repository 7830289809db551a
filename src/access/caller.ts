import { BEARER_MAX_CHARS } from "../limits.ts";
import type { KeyRing } from "../mac.ts";
import { verifyBearer } from "./bearer.ts";
import type { BearerClaims, BearerReason } from "./bearer.ts";
import { isOperator } from "./operator.ts";

/** Who a request comes from. `none` has a reason for the operator's log; the wire does not tell absent from bad. */
export type Caller =
  | { readonly kind: "bearer"; readonly claims: BearerClaims }
  | { readonly kind: "operator" }
  | { readonly kind: "none"; readonly reason: "absent" | BearerReason };

const SCHEME = /^bearer +/i;

/** Reads an `Authorization` header (RFC 6750 §2.1; the scheme in any case). No IO. */
export async function identifyCaller(
  authorization: string | null | undefined,
  ring: KeyRing,
  operatorToken: string | undefined,
  nowMs: number,
): Promise<Caller> {
  const header = authorization ?? "";
  if (header.length > BEARER_MAX_CHARS + "bearer ".length) return { kind: "none", reason: "malformed" };
  const scheme = SCHEME.exec(header)?.[0];
  if (scheme === undefined) return { kind: "none", reason: header === "" ? "absent" : "malformed" };
  const token = header.slice(scheme.length).trimEnd();
  const claims = await verifyBearer(ring, token, nowMs);
  if (claims.ok) return { kind: "bearer", claims: claims.value };
  if (await isOperator(token, operatorToken)) return { kind: "operator" };
  return { kind: "none", reason: claims.reason };
}
