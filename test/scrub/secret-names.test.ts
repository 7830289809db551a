import { describe, expect, it } from "vitest";
import { namesCursor } from "../../src/scrub/harmless-names.ts";
import { isPlainUnder, namesSecret } from "../../src/scrub/secret-names.ts";

const SECRET = [
  "password",
  "Password",
  "db.password",
  "user_password_hash",
  "new-password",
  "passwd",
  "pwd",
  "passphrase",
  "db_pass",
  "dbPass",
  "secret",
  "clientSecret",
  "client_secret",
  "SECRET_VALUE",
  "secretKey",
  "webhook-secret",
  "secrets",
  "token",
  "tokens",
  "access_token",
  "accessToken",
  "refreshToken",
  "id_token",
  "botToken",
  "sessionToken",
  "x-csrf-token",
  "client_token",
  "new_token",
  "GITHUB_TOKEN",
  "tokenSecret",
  "nextPageToken_secret",
  "token_exchange_token",
  "api_key",
  "apikey",
  "apiKey",
  "APIKey",
  "x-api-key",
  "ａｐｉ＿ｋｅｙ",
  "access_key",
  "AccessKeyId",
  "aws_secret_access_key",
  "private_key",
  "privateKeyPem",
  "AccountKey",
  "client-key-data",
  "SharedAccessKey",
  "signing_key",
  "encryptionKey",
  "master-key",
  "Ocp-Apim-Subscription-Key",
  "authorization",
  "Proxy-Authorization",
  "httpAuth",
  "basic-auth",
  "cookie",
  "Set-Cookie",
  "cookies",
  "credentials",
  "bearer",
  "X-Session-Id",
  "connect.sid",
  "PHPSESSID",
  "JSESSIONID",
  "user_jwt",
  "otp",
  "login.otp",
  "wifi_psk",
  "mnemonic",
  "seedPhrase",
  "recovery_codes",
  "password_reset_url",
  "secret_id",
  "_token",
  "__secret__",
];

const PLAIN = [
  // Without it there is no second page.
  "nextPageToken",
  "next_page_token",
  "NEXT-PAGE-TOKEN",
  "nextpagetoken",
  "pageToken",
  "page_token",
  "prevPageToken",
  "NextToken",
  "nextToken",
  "continuationToken",
  "NextContinuationToken",
  "nextSyncToken",
  "newStartPageToken",
  "startPageToken",
  "paginationToken",
  "resume_token",
  "delta_token",
  "$skiptoken",
  "scroll_token",
  "changeToken",
  "progressToken",
  "cursor",
  // What is told of a secret, or of a thing that is called so.
  "token_type",
  "tokenType",
  "token_url",
  "token_endpoint",
  "token_endpoint_auth_methods_supported",
  "token_expires_at",
  "token_expires_in",
  "tokenId",
  "api_key_id",
  "api_key_name",
  "password_policy",
  "password_min_length",
  "passwordChangedAt",
  "password_last_changed",
  "password_required",
  "POSTGRES_PASSWORD_FILE",
  "secret_name",
  "secretName",
  "secretKeyRef",
  "secret_arn",
  "secret_scanning",
  "secret_scanning_push_protection",
  "private_key_path",
  "authorization_endpoint",
  "authorization_url",
  "cookie_policy",
  "cookie-consent",
  "credential_type",
  "tokenAddress",
  "token_symbol",
  "token_decimals",
  "design_tokens",
  "designTokens",
  "eos_token",
  "special_tokens",
  // Other words.
  "author",
  "authors",
  "authority",
  "authenticated",
  "secretary",
  "secretariat",
  "tokenizer",
  "tokenized",
  "tokenomics",
  "passwordless",
  "passport",
  "compass",
  "bypass",
  "option",
  "pinned",
  "spinning",
  "public_key",
  "publicKey",
  "primary_key",
  "foreign_key",
  "key",
  "keys",
  "keyboard",
  "sidecar",
  "inside",
  "session",
  "sessionId",
  "session_id",
  "description",
  "",
  "__proto__",
  "constructor",
];

describe("names", () => {
  it.each(SECRET)("%j says secret", (name) => {
    expect(namesSecret(name)).toBe(true);
    expect(namesCursor(name)).toBe(false);
  });

  it.each(PLAIN)("%j says none", (name) => {
    expect(namesSecret(name)).toBe(false);
  });

  it.each([
    "nextCursor",
    "endCursor",
    "page_cursor",
    "cursor",
    "NextMarker",
    "scroll_id",
    "_scroll_id",
    "pageToken",
    "nextPageToken",
    "NextContinuationToken",
  ])("what stands under %j is given back as it came", (name) => {
    expect(namesCursor(name)).toBe(true);
  });

  it.each(["precursor", "cursory", "bookmarker", "access_token", "token", "tokens", "marker_color"])(
    "%j turns no page",
    (name) => {
      expect(namesCursor(name)).toBe(false);
    },
  );

  it("a number of tokens and of tests, and a working directory, are none", () => {
    for (const name of ["max_tokens", "tokens_used", "totalTokens", "token_count", "prompt_tokens", "tokens"])
      expect(isPlainUnder(name, "4096")).toBe(true);
    expect(isPlainUnder("max_tokens", "abc")).toBe(false);
    expect(isPlainUnder("secret_max_tokens", "4096")).toBe(false);
    expect(isPlainUnder("token", "4096")).toBe(false);
    expect(isPlainUnder("pass", "12")).toBe(true);
    expect(isPlainUnder("password", "12")).toBe(false);
    expect(isPlainUnder("PWD", "/home/ada")).toBe(true);
    expect(isPlainUnder("pwd", "hunter22")).toBe(false);
  });

  it("are judged in time that grows with their length only", () => {
    for (const unit of ["token", "next ", "Ab", "type ", "token type ", "tokenfilename", "_", "ａ"])
      expect(typeof namesSecret(unit.repeat(200_000))).toBe("boolean");
    for (const unit of ["typetype", "filename", "next", "token type"])
      expect(typeof namesSecret(`token${unit.repeat(30)}!`)).toBe("boolean");
  });
});
