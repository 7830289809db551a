import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { isRecord } from "../../src/json.ts";
import { REDACTED_ARGUMENTS_MAX_BYTES } from "../../src/limits.ts";
import { redactArguments } from "../../src/scrub/redact-arguments.ts";

const MARK = "[REDACTED-SECRET]";
const bytes = (text: string): number => new TextEncoder().encode(text).length;
const members = (args: unknown): Record<string, unknown> => {
  const shown: unknown = JSON.parse(redactArguments(args));
  return isRecord(shown) ? shown : {};
};
const nested = (depth: number): unknown => {
  let value: unknown = "end";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
};

describe("a call's arguments as an operator sees them", () => {
  it("are the arguments, where there is nothing to hide", () => {
    const args = {
      owner: "ada",
      repo: "größe 😀",
      labels: ["a", "b"],
      draft: false,
      n: -1.5,
      none: null,
      "": {},
    };
    expect(redactArguments(args)).toBe(JSON.stringify(args));
    expect(redactArguments({})).toBe("{}");
    expect(redactArguments([])).toBe("[]");
  });

  it.each([
    ["api_key", "apiKey", "API-KEY", "x.api key", "ａｐｉ＿ｋｅｙ"],
    ["secret", "clientSecret", "SECRET_VALUE", "aws_secret_access_key", "sEcReT"],
    ["token", "accessToken", "refresh-token", "bot_token", "idToken"],
    ["password", "passwd", "pwd", "db.password", "Passphrase"],
    ["access_key", "AccessKeyId", "authorization", "Proxy-Authorization", "bearer"],
    ["credential", "credentials", "cookie", "Set-Cookie", "private_key"],
  ])("hide what %s, %s, %s, %s and %s hold, of any kind", (...names) => {
    for (const name of names) {
      for (const value of ["x", 7, new ExactNumber("1.0"), { a: 1 }, ["x"]]) {
        expect(JSON.parse(redactArguments({ [name]: value, other: "x" }))).toEqual({
          [name]: MARK,
          other: "x",
        });
      }
      expect(redactArguments({ [name]: null })).not.toContain(MARK);
    }
  });

  it.each(["max_tokens", "maxTokens", "token_count", "totalTokens"])("show how much %s is", (name) => {
    expect(redactArguments({ [name]: 4096 })).toBe(`{"${name}":4096}`);
    expect(redactArguments({ [name]: "abcdef" })).toBe(`{"${name}":"${MARK}"}`);
    expect(redactArguments({ [`secret_${name}`]: 4096 })).toBe(`{"secret_${name}":"${MARK}"}`);
  });

  it("hide secrets inside of strings and names, and values that another member names", () => {
    const args = {
      command: "curl -H 'Authorization: Bearer abcdefghijkl' https://u:pw@h/",
      [`sk-${"a".repeat(20)}`]: 1,
      body: JSON.stringify({ user: "ada", password: "abcdef" }),
      headers: [
        { name: "X-Api-Key", value: "abc" },
        { name: "Accept", value: "text/html" },
      ],
      argv: ["login", "--password", "abc", "-v", "--token", true],
    };
    expect(JSON.parse(redactArguments(args))).toEqual({
      command: `curl -H 'Authorization: Bearer ${MARK}' https://u:${MARK}@h/`,
      [MARK]: 1,
      body: `{"user":"ada","password":"${MARK}"}`,
      headers: [
        { name: "X-Api-Key", value: MARK },
        { name: "Accept", value: "text/html" },
      ],
      argv: ["login", "--password", MARK, "-v", "--token", true],
    });
  });

  it.each([
    "user_pass",
    "dbPass",
    "DB_PASS",
    "basic-auth",
    "httpAuth",
    "signing_key",
    "ENCRYPTION_KEY",
    "login.otp",
  ])("hide what %s holds, and nothing of words that only end so", (name) => {
    const plain = { compass: "N", bypass: 1, trespass: 1, Author: "ada", byPasses: 1 };
    expect(JSON.parse(redactArguments({ [name]: "abc", ...plain }))).toEqual({ [name]: MARK, ...plain });
  });

  it("hide what is filled into a field that says secret, however the field is named", () => {
    const shown = members({
      selector: { selector: "#password", value: "a" },
      element: { element: "Password field", ref: "e5", text: "a" },
      patch: [{ op: "replace", path: "/spec/password", value: "a" }],
      ids: [
        { id: "password", value: "a" },
        { label: "API key", value: "a" },
        { variable: "DB_TOKEN", value: "a" },
        { type: "password", content: "a" },
        { id: "title", value: "a" },
      ],
    });
    expect(shown).toEqual({
      selector: { selector: "#password", value: MARK },
      element: { element: "Password field", ref: "e5", text: MARK },
      patch: [{ op: "replace", path: "/spec/password", value: MARK }],
      ids: [
        { id: "password", value: MARK },
        { label: "API key", value: MARK },
        { variable: "DB_TOKEN", value: MARK },
        { type: "password", content: MARK },
        { id: "title", value: "a" },
      ],
    });
  });

  it("hide what stands behind a name in a list, of any kind", () => {
    const shown = members({
      numbers: ["--password", 12_345_678, "--pin", 1234, "-v"],
      pairs: [["token", 12_345]],
      lists: ["--token", ["x"]],
      objects: ["Authorization", { value: "Basic x" }],
      headers: ["curl", "--header", "X-Api-Key", "abc"],
      flags: ["--token", "--verbose", "--password", true],
    });
    expect(shown).toEqual({
      numbers: ["--password", MARK, "--pin", MARK, "-v"],
      pairs: [["token", MARK]],
      lists: ["--token", MARK],
      objects: ["Authorization", MARK],
      headers: ["curl", "--header", "X-Api-Key", MARK],
      flags: ["--token", "--verbose", "--password", true],
    });
  });

  it.each(["pass", "Auth", "OTP", "pin", "jwt", "creds", "session_id"])("hide what %s holds", (name) => {
    expect(JSON.parse(redactArguments({ [name]: "abc", compass: "N", author: "ada", option: 1 }))).toEqual({
      [name]: MARK,
      compass: "N",
      author: "ada",
      option: 1,
    });
  });

  it("hide the values of pairs, in whatever form a list of headers has", () => {
    const shown = members({
      pairs: [
        ["Authorization", "Basic YWRhOnB3"],
        ["Accept", "text/html"],
      ],
      flat: ["Host", "example.com", "X-Api-Key", "abc"],
      named: [
        { Name: "Set-Cookie", Value: "abc" },
        { Name: "Accept", Value: "text/html" },
        { KEY: "password", values: ["abc"] },
      ],
      words: ["token", "name", "title"],
    });
    expect(shown).toEqual({
      pairs: [
        ["Authorization", MARK],
        ["Accept", "text/html"],
      ],
      flat: ["Host", "example.com", "X-Api-Key", MARK],
      named: [
        { Name: "Set-Cookie", Value: MARK },
        { Name: "Accept", Value: "text/html" },
        { KEY: "password", values: MARK },
      ],
      words: ["token", "name", "title"],
    });
  });

  it("hide the password of a command's user, and no user's number", () => {
    const shown = members({
      text: "curl -s -u ada:pw https://h --proxy-user='bob:p w' -uada:x",
      list: ["curl", "-u", "ada:p:w", "-u", "1000:1000", "--user", "ada"],
      docker: "docker run -u 1000:1000 image -u user",
    });
    expect(shown).toEqual({
      text: `curl -s -u ada:${MARK} https://h --proxy-user='bob:${MARK}' -uada:${MARK}`,
      list: ["curl", "-u", `ada:${MARK}`, "-u", "1000:1000", "--user", "ada"],
      docker: "docker run -u 1000:1000 image -u user",
    });
  });

  it("show numbers as they came", () => {
    const args = {
      id: new ExactNumber("12345678901234567890"),
      price: new ExactNumber("1.10"),
      big: 10n ** 20n,
    };
    expect(redactArguments(args)).toBe(`{"id":12345678901234567890,"price":1.10,"big":1${"0".repeat(20)}}`);
    const long = redactArguments({ id: new ExactNumber(`1${"0".repeat(5_000)}`) });
    expect(JSON.parse(long)).toEqual({ id: `1${"0".repeat(2_047)}…(+2953 characters)` });
  });

  it("say how much is left out, where it was", () => {
    expect(JSON.parse(redactArguments({ text: "😀".repeat(3_000) }))).toEqual({
      text: `${"😀".repeat(512)}…(+2488 characters)`,
    });
    expect(JSON.parse(redactArguments([...Array(100).keys()]))).toEqual([
      ...Array(64).keys(),
      "…(+36 items)",
    ]);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, index]));
    const shown = members(many);
    expect(Object.keys(shown)).toHaveLength(65);
    expect(shown["…"]).toBe("+36 members");
    expect(redactArguments(nested(9))).toBe(
      '[{"inner":[{"inner":[{"inner":[{"inner":"…(array of 1 items)"}]}]}]}]',
    );
    expect(redactArguments({ ["n".repeat(10_240)]: 1 })).toBe(`{"${"n".repeat(64)}…(+10176 characters)":1}`);
  });

  it("lose no member to another that looks the same once it is cut or redacted", () => {
    const args = {
      [`sk-${"a".repeat(20)}`]: 1,
      [`sk-${"b".repeat(20)}`]: 2,
      [`${"n".repeat(100)}1`]: 3,
      [`${"n".repeat(100)}2`]: 4,
      ...Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 0])),
    };
    const shown = members(args);
    expect(Object.values(shown).slice(0, 4)).toEqual([1, 2, 3, 4]);
    const sly = members({ "…": "rm -rf /", ...args });
    expect(Object.values(sly)).toEqual(expect.arrayContaining(["rm -rf /", "+41 members"]));
  });

  it("hide and turn no characters around", () => {
    const text = redactArguments({
      "\u202ea": "b\u200bc\u001b[2J\u0085\ud800\n\u2028",
      ["__proto__"]: "\u0000",
    });
    expect(text).toMatch(/^[ -~]*$/);
    expect(JSON.parse(text)).toEqual({
      "\u202ea": "b\u200bc\u001b[2J\u0085\ud800\n\u2028",
      ["__proto__"]: "\u0000",
    });
  });

  it.each([
    ["control characters", { text: "\u0001".repeat(100_000) }],
    [
      "wide names",
      Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [`${"\u202e".repeat(100)}${i}`, "\u202e".repeat(100)]),
      ),
    ],
    ["deep arrays", nested(100_000)],
    [
      "wide and deep",
      Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => ["x".repeat(3_000)])),
    ],
    ["one long secret", { text: `token="${"x".repeat(1_000_000)}"` }],
    ["many digits", Array.from({ length: 64 }, () => new ExactNumber("9".repeat(2_000)))],
  ])("stay within their bound for %s", (_name, args) => {
    const text = redactArguments(args);
    expect(bytes(text)).toBeLessThanOrEqual(REDACTED_ARGUMENTS_MAX_BYTES);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(text.length).toBeGreaterThan(10);
  });

  it("are one line of JSON within their bound, the same each time, for any value", () => {
    const value = fc.anything({
      maxDepth: 5,
      key: fc.oneof(
        fc.string({ unit: "binary", maxLength: 100 }),
        fc.constantFrom("password", "…", "__proto__"),
      ),
      values: [
        fc.string({ unit: "binary", maxLength: 3_000 }),
        fc.double(),
        fc.constant(new ExactNumber("1e999")),
        fc.boolean(),
        fc.constant(undefined),
        fc.bigInt(),
      ],
    });
    fc.assert(
      fc.property(value, (args) => {
        const text = redactArguments(args);
        expect(bytes(text)).toBeLessThanOrEqual(REDACTED_ARGUMENTS_MAX_BYTES);
        expect(text).not.toMatch(/[\p{Cc}\p{Surrogate}\u202e]/u);
        expect(() => JSON.parse(text) as unknown).not.toThrow();
        expect(redactArguments(args)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
