import { PRINCIPAL_MAX_BYTES } from "../limits.ts";
import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";

const encoder = new TextEncoder();
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * A principal: the user or service that a bearer speaks for, 1–256 bytes of UTF-8 in any script. Control characters and
 * lone surrogates are refused: the first could forge lines of a listing, and two of the second have the same UTF-8 form.
 */
export function checkPrincipal(name: string): Result<string, "principal_invalid"> {
  if (name === "" || name.length > PRINCIPAL_MAX_BYTES || UNPRINTABLE.test(name))
    return fail("principal_invalid");
  return encoder.encode(name).length > PRINCIPAL_MAX_BYTES ? fail("principal_invalid") : ok(name);
}
