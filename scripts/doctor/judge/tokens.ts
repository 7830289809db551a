import { isJsonArray, memberOf } from "../../../src/json.ts";
import { TOKEN_EXPIRY_WARNING_DAYS } from "../bounds.ts";
import { failed, type Finding, orPassed, warned } from "../finding.ts";
import { counted, shown } from "../shown.ts";

const DAY_SECONDS = 86_400;
const RENEW = "`npm run token -- create` makes a new one; revoke the old one when its client has it";

/** `/admin/tokens`: whether any client can connect, and who soon cannot. Revoked tokens are as they should be. */
export function judgeTokens(listed: unknown, nowMs: number): readonly Finding[] {
  const tokens = memberOf(listed, "tokens");
  if (!isJsonArray(tokens)) {
    return [
      failed("operator.tokens", {
        subject: "/admin/tokens",
        what: "answers without a list of tokens",
        mend: "deploy this checkout, or use the doctor of the version that runs there",
      }),
    ];
  }
  const nowSeconds = Math.floor(nowMs / 1000);
  const standing = tokens.filter((token) => (memberOf(token, "revoked_at_s") ?? null) === null);
  const found = standing.flatMap((token) => judgeExpiry(token, nowSeconds));
  const usable = standing.filter(
    (token) => memberOf(token, "kind") === "client" && expiryOf(token) > nowSeconds,
  ).length;
  if (usable === 0) {
    const mend = "`npm run token -- create --name N` makes one";
    found.push(
      warned("operator.tokens", { what: "no client has a token that is good: none can connect", mend }),
    );
  }
  return orPassed(found, "operator.tokens", `clients have ${counted(usable, "token")}`);
}

/** Seconds since 1970; a time that cannot be read has passed. */
function expiryOf(token: unknown): number {
  const expiry = memberOf(token, "expires_at_s");
  return typeof expiry === "number" && Number.isFinite(expiry) ? expiry : 0;
}

function judgeExpiry(token: unknown, nowSeconds: number): readonly Finding[] {
  const subject = `token ${shown(memberOf(token, "name"))}`;
  const left = expiryOf(token) - nowSeconds;
  if (left > TOKEN_EXPIRY_WARNING_DAYS * DAY_SECONDS) return [];
  const what = left > 0 ? `expires in ${daysWords(left)}` : `expired ${daysWords(-left)} ago`;
  return [warned("operator.tokens", { subject, what, mend: RENEW })];
}

function daysWords(seconds: number): string {
  return seconds < DAY_SECONDS ? "less than a day" : counted(Math.floor(seconds / DAY_SECONDS), "day");
}
