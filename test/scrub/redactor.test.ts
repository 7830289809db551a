import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/exact-json/exact-number.ts";
import { LargePayload } from "../../src/large-result.ts";
import { SCRUB_MAX_DEPTH } from "../../src/limits.ts";
import { type Redactor, redactorFor } from "../../src/scrub/redactor.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";
import { code, jsonWithSecrets, MARK, PLANTED } from "./planted-secrets.ts";

function switchedOn(): Redactor {
  const redactor = redactorFor(true, undefined);
  if (redactor === undefined) throw new Error("redaction is on");
  return redactor;
}

const redactor = switchedOn();
const text = (of: string): string => redactor.text(of).text;
const inJson = (of: unknown): unknown => JSON.parse(text(JSON.stringify(of)));
const inValue = (of: unknown): unknown => redactor.value(of).value;

describe("where redaction is on", () => {
  it("the server decides, and the gateway where it says nothing", () => {
    expect(redactorFor(false, undefined)).toBeUndefined();
    expect(redactorFor(true, false)).toBeUndefined();
    expect(redactorFor(false, true)).toBeDefined();
    expect(redactorFor(true, undefined)).toBeDefined();
  });
});

/** What goes in and what comes out, as a JSON text and as a value. */
const CASES: readonly (readonly [string, unknown, unknown])[] = [
  ["a string", { password: "hunter22" }, { password: MARK }],
  ["a short string", { password: "x" }, { password: MARK }],
  ["a number", { api_key: 123_456 }, { api_key: MARK }],
  [
    "yes, no, nothing and nothing written",
    { token: null, secret: true, password: "" },
    { token: null, secret: true, password: "" },
  ],
  ["a list", { secrets: ["a", 1, null, ["b"]] }, { secrets: [MARK, MARK, null, [MARK]] }],
  [
    "an object, of which stays what tells of it",
    {
      credentials: { user: "ada", host: "db", port: 5432, expires_at: "2030", keys: { one: "abc", id: "k" } },
    },
    {
      credentials: { user: "ada", host: "db", port: 5432, expires_at: "2030", keys: { one: MARK, id: MARK } },
    },
  ],
  [
    "a schema of one",
    {
      properties: { password: { type: "string", description: "Yours.", minLength: 8, default: "hunter22" } },
    },
    { properties: { password: { type: "string", description: "Yours.", minLength: 8, default: MARK } } },
  ],
  [
    "a list of names of secrets",
    { secrets: [{ name: "CI", created_at: "2024", value: "abc" }] },
    { secrets: [{ name: "CI", created_at: "2024", value: MARK }] },
  ],
  [
    "a scheme",
    { Authorization: "Basic YWRhOng=", auth: "basic" },
    { Authorization: `Basic ${MARK}`, auth: "basic" },
  ],
  [
    "headers by name, in either order",
    [
      { name: "X-Api-Key", value: "abc" },
      { value: "abc", key: "Cookie" },
      { name: "Accept", value: "text/html" },
    ],
    [
      { name: "X-Api-Key", value: MARK },
      { value: MARK, key: "Cookie" },
      { name: "Accept", value: "text/html" },
    ],
  ],
  [
    "a manifest of a secret, in either order",
    [
      { kind: "Secret", data: { username: "YWRh" }, stringData: { value: "x", "a.conf": "y" } },
      { apiVersion: "v1", data: { url: "cG9z", b: null }, kind: "Secret", metadata: { name: "z" } },
      { data: { url: "cG9z" }, kind: "ConfigMap" },
      { kind: "Config", data: { url: "cG9z" } },
    ],
    [
      { kind: "Secret", data: { username: MARK }, stringData: { value: MARK, "a.conf": MARK } },
      { apiVersion: "v1", data: { url: MARK, b: null }, kind: "Secret", metadata: { name: "z" } },
      { data: { url: "cG9z" }, kind: "ConfigMap" },
      { kind: "Config", data: { url: "cG9z" } },
    ],
  ],
  ["a variable's number", { value: 42, name: "PIN" }, { value: MARK, name: "PIN" }],
  [
    "a file that is called so",
    { path: "src/token.ts", content: "let a" },
    { path: "src/token.ts", content: "let a" },
  ],
  [
    "pairs",
    [
      ["Authorization", "Basic x"],
      ["Accept", "y"],
    ],
    [
      ["Authorization", `Basic ${MARK}`],
      ["Accept", "y"],
    ],
  ],
  ["names in a list", { required: ["password", "username"] }, { required: ["password", "username"] }],
  ["more than a pair", [["password", "username", "x"]], [["password", "username", "x"]]],
  [
    "a command",
    ["login", "--password", "abc", "-v", "--token", true],
    ["login", "--password", MARK, "-v", "--token", true],
  ],
  ["a command's user", ["curl", "-u", "ada:abc", "-u", "1:2"], ["curl", "-u", `ada:${MARK}`, "-u", "1:2"]],
  [
    "what turns pages",
    { nextPageToken: "eyJabcdefgh.a.b", cursor: "sk-ant-not", items: [] },
    { nextPageToken: "eyJabcdefgh.a.b", cursor: "sk-ant-not", items: [] },
  ],
  [
    "numbers of tokens",
    { max_tokens: 4096, usage: { total_tokens: 5 } },
    { max_tokens: 4096, usage: { total_tokens: 5 } },
  ],
  ["JSON in a string", { body: '{"password": "hunter22"}' }, { body: `{"password": "${MARK}"}` }],
  ["JSON in JSON in a string", { a: '{"b":"{\\"pin\\":1}"}' }, { a: `{"b":"{\\"pin\\":\\"${MARK}\\"}"}` }],
  [
    "a key with a secret in it",
    { [`sk-${code(20)}`]: 1, [`sk-${code(21)}`]: 2 },
    { [MARK]: 1, [`${MARK} (2)`]: 2 },
  ],
  [
    "a placeholder",
    { token: "${TOKEN}", password: "<your password>", secret: "********", pwd: "string" },
    { token: "${TOKEN}", password: "<your password>", secret: "********", pwd: "string" },
  ],
  [
    "foreign names",
    JSON.parse('{"__proto__": {"password": "x"}, "constructor": "y"}'),
    JSON.parse(`{"__proto__": {"password": "${MARK}"}, "constructor": "y"}`),
  ],
  [
    "a connection's address",
    { dsn: "postgres://u:pw@h/db", ado: "Server=h;Password=hunter22;X=1" },
    { dsn: `postgres://u:${MARK}@h/db`, ado: `Server=h;Password=${MARK};X=1` },
  ],
  [
    "lone halves and zeros",
    { note: "\ud83d \0 password: hunter22" },
    { note: `\ud83d \0 password: ${MARK}` },
  ],
];

describe("JSON", () => {
  it.each(CASES)("%s", (_name, before, after) => {
    expect(inJson(before)).toEqual(after);
    expect(inValue(before)).toEqual(after);
    expect(redactor.value(before).count > 0).toBe(JSON.stringify(before) !== JSON.stringify(after));
    expect(redactor.value(after)).toEqual({ value: after, count: 0 });
    expect(redactor.value(after).value).toBe(after);
    expect(redactor.text(JSON.stringify(after))).toEqual({ text: JSON.stringify(after), count: 0 });
  });

  it("keeps its layout, its escapes and its numbers", () => {
    const before =
      '{ "a\\u0062" : 1.0e5,\n\t"password":\t"hunter22" , "n": 12345678901234567890, "u": "\\u00e9\\/" }\n';
    expect(text(before)).toBe(before.replace("hunter22", MARK));
  });

  it("is judged line by line where each line is JSON, and as a plain text from where one is none", () => {
    expect(text('{"pin":1}\n{"pin":2}\n')).toBe(`{"pin":"${MARK}"}\n{"pin":"${MARK}"}\n`);
    expect(text('{"pin":[1]}\n{"pin":[2]\n')).toBe(`{"pin":["${MARK}"]}\n{"pin":["${MARK}"]\n`);
    for (const broken of [
      '{"token":"abcdef"',
      '{"token":"abcdef",}',
      '["token: abcdef" 1]',
      '{"a":01,"token":"abcdef"}',
    ])
      expect(text(broken)).toBe(redactSecrets(broken).text);
    expect(text("[2024-01-01] password: hunter22")).toBe(`[2024-01-01] password: ${MARK}`);
  });

  it("is given back unchanged once it is redacted, wherever it breaks off", () => {
    expect(redactor.text('{"password":"')).toEqual({ text: '{"password":"', count: 0 });
    fc.assert(
      fc.property(jsonWithSecrets, fc.double({ min: 0, max: 1, noNaN: true }), (value, place) => {
        const whole = JSON.stringify(value);
        const once = text(whole.slice(0, Math.round(place * whole.length)));
        expect(redactor.text(once)).toEqual({ text: once, count: 0 });
      }),
      { numRuns: 2_000 },
    );
  });

  it("exact numbers pass but where their name says secret, and payloads pass always", () => {
    const payload = new LargePayload({
      form: "text",
      sizeBytes: 1,
      head: "",
      stored: { ok: false, reason: "no_room" },
      summary: {},
    });
    const number = new ExactNumber("1.0");
    const before = { price: number, password: payload, deep: [payload, { pin: number }] };
    const { value, count } = redactor.value(before);
    expect(count).toBe(1);
    expect(value).toEqual({ price: number, password: payload, deep: [payload, { pin: MARK }] });
    const plain = { price: number, password: payload };
    expect(redactor.value(plain).value).toBe(plain);
  });

  it("nested deeper than anything that is accepted is replaced whole", () => {
    let value: unknown = "end";
    for (let level = 0; level < SCRUB_MAX_DEPTH + 2; level += 1) value = [value];
    expect(JSON.stringify(redactor.value(value).value)).toBe(
      `${"[".repeat(SCRUB_MAX_DEPTH + 1)}"${MARK}"${"]".repeat(SCRUB_MAX_DEPTH + 1)}`,
    );
    const deep = "[".repeat(100_000);
    expect(redactor.text(deep)).toEqual({ text: deep, count: 0 });
  });

  it("is the same as a text and as a value", () => {
    fc.assert(
      fc.property(jsonWithSecrets, (value) => {
        const [asText, asValue] = [redactor.text(JSON.stringify(value)), redactor.value(value)];
        const isContainer = typeof value === "object" && value !== null;
        if (!isContainer) return;
        expect(JSON.parse(asText.text)).toEqual(asValue.value);
        expect(asText.count).toBe(asValue.count);
      }),
      { numRuns: 3_000 },
    );
  });

  it("holds no secret afterwards, and is given back unchanged", () => {
    fc.assert(
      fc.property(jsonWithSecrets, (value) => {
        const once = redactor.value(value);
        const written = JSON.stringify(once.value);
        for (const secret of PLANTED) expect(written).not.toContain(secret);
        const again = redactor.value(once.value);
        expect(again).toEqual({ value: once.value, count: 0 });
        expect(again.value).toBe(once.value);
        expect(redactor.text(written)).toEqual({ text: written, count: 0 });
      }),
      { numRuns: 3_000 },
    );
  });

  it("never throws, and stays what it was, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text: made } = redactor.text(JSON.stringify(value));
        const shape = (of: unknown): string =>
          Array.isArray(of)
            ? `[${of.map(shape).join()}]`
            : typeof of === "object" && of !== null
              ? `{${Object.values(of).map(shape).join()}}`
              : "";
        expect(shape(JSON.parse(made))).toBe(shape(value));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("any text", () => {
  it.each([
    ["api_key=sk-abcdefghijklmnopqrstuvwxyz1", `api_key=${MARK}`, 1],
    ["AKIAABCDEFGHIJKLMNOP", MARK, 1],
    ["postgres://u:p@ss@host/db", `postgres://u:${MARK}@host/db`, 1],
    ["Authorization: Bearer abcdefghijklmnop", `Authorization: Bearer ${MARK}`, 1],
    [`ghp_${"a".repeat(36)}`, MARK, 1],
    ["password: short", "password: short", 0],
    ["password: longenough", `password: ${MARK}`, 1],
    ["hello", "hello", 0],
  ])("the golden value %j, as it is and as JSON", (before, after, count) => {
    expect(redactor.text(before)).toEqual({ text: after, count });
    expect(redactor.value(before)).toEqual({ value: after, count });
    expect(redactor.text(JSON.stringify([before]))).toEqual({ text: JSON.stringify([after]), count });
  });

  it("is given back unchanged once it is redacted, and makes nothing throw", () => {
    const pieces = fc.constantFrom(
      ...'{|}|[|]|,|:|"|"password":|"a":1|\\|\\u00|\ud83d|\0|\u202e|<|endoftext|>|-u a:b |token=abcdefg|1e5|true|nul| |\n'.split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 20 }), (parts) => {
        const once = redactor.text(parts.join(""));
        expect(redactor.text(once.text)).toEqual({ text: once.text, count: 0 });
      }),
      { numRuns: 10_000 },
    );
  });

  it("is given back unchanged where the line below a name has lost another secret", () => {
    const pieces = fc.constantFrom(
      ...'password|token|: |:|=|\n|\n  |abcdefg|hunter22x|,|.|(|AKIAIOSFODNN7EXAMPLE|https://u:pw7@h|"'.split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const once = text(`password:\n  ${parts.join("")}`);
        expect(redactor.text(once)).toEqual({ text: once, count: 0 });
      }),
      { numRuns: 5_000 },
    );
  });

  // At a quadratic cost each of these would take hours, which the ring does not wait for.
  it.each([
    '["a",',
    '[{"value":"a",',
    '[[["a","b"],',
    '["{\\"a\\":',
    '["[\\"[',
    '{"password":[',
    '["',
    '["\\',
    "[1",
    "[1,",
    "{} ",
    '{"value":1}\n',
    '["-u","a:b",',
    '{"name":"password","value":"x","value":"y",',
  ])("a million characters of %j are read", (unit) => {
    const { text: made } = redactor.text(unit.repeat(Math.ceil(1_000_000 / unit.length)));
    expect(made.length).toBeGreaterThan(900_000);
    const filter = redactor.stream();
    let length = 0;
    for (let sent = 0; sent < 1_000_000; sent += 7 * unit.length)
      length += filter.push(unit.repeat(7)).length;
    expect(length + filter.end().length).toBeGreaterThan(900_000);
  });
});
