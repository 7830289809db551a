import { describe, expect, it } from "vitest";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { code, MARK } from "./planted-secrets.ts";
import { readBothWays } from "./read-both-ways.ts";

const redactor = redactorFor(true, undefined);
const HEX = "0a1b".repeat(8);

describe("a text loses", () => {
  it.each([
    ["an element of XML", "<password>x</password>", `<password>${MARK}</password>`],
    ["one in a namespace", "<ns:apiKey>a b\nc</ns:apiKey>", `<ns:apiKey>${MARK}</ns:apiKey>`],
    ["a setting", '<add key="api_key" value="abcd12345"/>', `<add key="api_key" value="${MARK}"/>`],
    ["a cookie that is set", "Set-Cookie: sid=abcdef12; Path=/", `Set-Cookie: ${MARK}; Path=/`],
    ["a value on the next line", "a: 1\npassword:\n  hunter22\nb: 2", `a: 1\npassword:\n  ${MARK}\nb: 2`],
    ["a named value in YAML", "- name: password\n  value: hunter4\n", `- name: password\n  value: ${MARK}\n`],
    ["a flag's value", "x --token=tttt1234 --token tttt1234", `x --token=${MARK} --token ${MARK}`],
    ["a parameter's", "https://a.example/x?a=b&token=zzz12345", `https://a.example/x?a=b&token=${MARK}`],
    ["Google's refresh token", `1//0${code(60)}`, MARK],
    ["Mailgun's key", `key-${HEX}`, MARK],
    ["Tailscale's key", `tskey-auth-${code(12)}-${code(30)}`, MARK],
    [
      "an encrypted key without an end",
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCDEF\n\n${code(64)}\n`,
      MARK,
    ],
  ])("%s", (_, text, clean) => {
    expect(readBothWays(text)).toEqual([clean, clean]);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
  });

  it.each([
    "<password></password>",
    "<password>unknown</password>",
    "<title>password</title>",
    "<token>a < b",
    '<add key="size" value="abcd12345"/>',
    "password:\n  type: string",
    "password:\n  - hunter22",
    "Enter your password:\n  it has eight letters",
    "- name: colour\n  value: hunter4\n",
    "1//0 is no number",
    `monkey-${HEX}`,
    "tskey-auth-short",
  ])("nothing: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });
});

describe("a value", () => {
  it.each([
    [
      { type: "password", value: "hunter222" },
      { type: "password", value: MARK },
    ],
    [
      { value: "hunter222", inputType: "password" },
      { value: MARK, inputType: "password" },
    ],
    [
      { name: "pw", value: "hunter222" },
      { name: "pw", value: MARK },
    ],
    [{ tokens: ["tok_1abc23", "hello"] }, { tokens: [MARK, "hello"] }],
    [{ access_tokens: ["hello"] }, { access_tokens: [MARK] }],
  ])("loses it: %j", (given, clean) => {
    expect(redactor?.value(given)).toEqual({ value: clean, count: 1 });
    expect(redactor?.text(JSON.stringify(given)).text).toBe(JSON.stringify(clean));
  });

  it.each([
    { tokens: ["hello", "world", "!", "don't"] },
    { tokens: { color: "red", text: "#fa0c12", gap: "4px" } },
    { token_text: "hello", cookie_count: 3, password_hint: "my dog" },
    { type: "token", value: "while" },
    { type: "secret santa", value: "Ada" },
  ])("stays: %j", (given) => {
    expect(redactor?.value(given)).toEqual({ value: given, count: 0 });
  });
});
