import { describe, expect, it } from "vitest";
import { REDACT_STREAM_REACH_CHARS } from "../../src/limits.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { code, MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);
const value = (given: unknown) => redactor?.value(given);
const GITHUB = `ghp_${code(36)}`;
const WEB = `eyJ${code(20)}.${code(20)}.${code(20)}`;

describe("a value to read on with", () => {
  it.each([
    ["a token", { cursor: GITHUB }, { cursor: MARK }],
    ["lists of them", { pageToken: [[GITHUB]] }, { pageToken: [[MARK]] }],
    [
      "a text",
      { marker: `contact; api_key=${GITHUB}; password=hunter2222` },
      { marker: `contact; api_key=${MARK}; password=${MARK}` },
    ],
    [
      "a header",
      { log_cursor: `Authorization: Bearer ${code(20)}` },
      { log_cursor: `Authorization: Bearer ${MARK}` },
    ],
    [
      "a key",
      { scroll_id: `-----BEGIN PRIVATE KEY-----\n${code(64)}\n-----END PRIVATE KEY-----` },
      { scroll_id: MARK },
    ],
    ["what another marker marks", { log_marker: WEB }, { log_marker: MARK }],
  ])("loses a secret that nobody can doubt: %s", (_, given, clean) => {
    expect(value(given)?.value).toEqual(clean);
    expect(JSON.parse(redactor?.text(JSON.stringify(given)).text ?? "")).toEqual(clean);
  });

  it.each([
    { nextPageToken: WEB },
    { next: WEB },
    { next: `https://api.example.com/x?page_token=${code(12)}&token=${code(12)}` },
    { cursor: `EAAC${code(100)}` },
    { NextKeyMarker: `SK${"0a".repeat(16)}`, marker: WEB, next_marker: [WEB] },
  ])("keeps what may be any code", (given) => {
    expect(value(given)).toEqual({ value: given, count: 0 });
    const text = JSON.stringify(given);
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });

  it("is looked at in pieces too, where it is too long to hold", () => {
    const filler = "ab ".repeat(REDACT_STREAM_REACH_CHARS);
    const stream = redactor?.stream();
    const given = JSON.stringify({ cursor: `${filler}${GITHUB} ${WEB}`, b: 1 });
    expect(`${stream?.push(given)}${stream?.end()}`).toBe(given.replace(GITHUB, MARK));
  });
});

/** Bytes that look random, the same each time (xorshift). */
function noise(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  let state = 0x9e3779b9;
  for (let at = 0; at < count; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state >>> 11;
  }
  return bytes;
}

describe("what begins like a token inside of a long code", () => {
  const bytes = noise(1_500_000);

  it.each(["base64", "base64url", "hex"] as const)("is none: %s", (encoding) => {
    const text = Buffer.from(bytes).toString(encoding);
    expect(redactor?.text(text).count).toBe(0);
  });

  it.each(["AIza", "ghp_", "npm_", "xoxb-", "glrt-", "-sk-", "_hf_", "-r8_", "/AIza", "+EAAC", "/SK"])(
    "is none: %s",
    (prefix) => {
      const before = Buffer.from(bytes.subarray(0, 60)).toString("base64url");
      for (const behind of [code(100), "0a".repeat(60)]) {
        const shot = `${before}${prefix}${behind}`;
        expect(value({ shot })?.count).toBe(0);
        expect(redactor?.text(`data:image/png;base64,${shot}`).count).toBe(0);
      }
    },
  );

  it("is one where it stands apart, or behind a name or an address", () => {
    const google = `AIza${code(35)}`;
    for (const before of ["", "key=", '"', "https://x.example/?key=", "a\\n", "%3D", "key:"])
      expect(redactor?.text(before + google).text).toBe(before + MARK);
    for (const before of [
      "https://api.example.com/v1/Projects/a1b2c3/Keys/d4e5f6/",
      "the_name_of_the_variable_that_holds_the_token_",
    ])
      expect(redactor?.text(before + GITHUB).text).toBe(before + MARK);
    expect(redactor?.text(`${google}${GITHUB}`).text).toBe(MARK);
  });

  it("is none in a picture whose base64 holds such a run early", () => {
    const shot = `iVBORw0KGgoAAAANSUhEUgAAAIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0AAAABJRU5ErkJggg==`;
    expect(value({ shot })).toEqual({ value: { shot }, count: 0 });
  });
});

describe("a stream that is the value of a member", () => {
  function streamed(name: string, text: string, size = 1_000): string {
    const stream = redactor?.stream(name);
    let given = "";
    for (let at = 0; at < text.length; at += size) given += stream?.push(text.slice(at, at + size)) ?? "";
    return given + (stream?.end() ?? "");
  }

  it("is hidden whole under a name that says secret, as `value` hides it", () => {
    const long = "two words ".repeat(30_000);
    expect(streamed("password", long)).toBe(MARK);
    expect(streamed("password", JSON.stringify(long))).toBe(`"${MARK}"`);
    expect(streamed("pin", "1234")).toBe(`"${MARK}"`);
    expect(streamed("password", "unknown")).toBe("unknown");
    for (const plain of ["true", "null", '"unknown"', ""]) expect(streamed("password", plain)).toBe(plain);
    const given = { a: [long, 1, true], type: "x", b: { c: "d" } };
    expect(JSON.parse(streamed("credentials", JSON.stringify(given)))).toEqual(
      Object.values(value({ credentials: given })?.value ?? {})[0],
    );
    // What only begins like JSON.
    expect(streamed("password", `{ ${long}`)).toBe(MARK);
    expect(streamed("password", `["a", ${long}`)).not.toContain("words");
  });

  it("keeps a code to read on with, and is any text under any other name", () => {
    expect(streamed("nextPageToken", WEB)).toBe(WEB);
    expect(streamed("cursor", GITHUB)).toBe(MARK);
    const text = `{"note": "${GITHUB}", "password": "abc"}`;
    expect(streamed("result", text)).toBe(`{"note": "${MARK}", "password": "${MARK}"}`);
    expect(streamed("__proto__", "plain")).toBe("plain");
  });

  it("counts one for a hidden text", () => {
    const stream = redactor?.stream("token");
    stream?.push("a b".repeat(1_000_000));
    stream?.end();
    expect(stream?.count()).toBe(1);
  });
});
