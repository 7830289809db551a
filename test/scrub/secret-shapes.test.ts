import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SECRET_BEARER_MIN_CHARS, SECRET_PEM_MAX_CHARS, SECRET_VALUE_MIN_CHARS } from "../../src/limits.ts";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";

const MARK = "[REDACTED-SECRET]";
const redacted = (text: string): string => redactSecrets(text).text;

/** Put together here, so that nothing that scans this file takes it for a leak. */
const code = (length: number): string => "aB3dE5gH7j".repeat(Math.ceil(length / 10)).slice(0, length);
const capitals = (length: number): string => code(length).toUpperCase();
const hex = (length: number): string => "0a1b2c3d4e5f".repeat(Math.ceil(length / 12)).slice(0, length);
const webToken = `eyJ${code(17)}.eyJ${code(30)}.${code(43)}`;

const TOKENS: readonly (readonly [string, string])[] = [
  ["AWS", `AKIA${capitals(16)}`],
  ["AWS, for a session", `ASIA${capitals(16)}`],
  ["Google", `AIza${code(35)}`],
  ["Google OAuth", `ya29.${code(60)}`],
  ["GitHub", `ghp_${code(36)}`],
  ["GitHub Actions", `ghs_${code(40)}`],
  ["GitHub, fine-grained", `github_pat_${code(22)}_${code(59)}`],
  ["GitLab", `glpat-${code(20)}`],
  ["Slack", `xoxb-${"1".repeat(12)}-${code(24)}`],
  ["Slack, for an app", `xapp-1-${code(20)}`],
  ["Anthropic", `sk-ant-api03-${code(80)}`],
  ["OpenAI", `sk-${code(48)}`],
  ["OpenAI, for a project", `sk-proj-${code(20)}_${code(20)}-${code(8)}`],
  ["Stripe", `sk_live_${code(24)}`],
  ["Stripe, restricted", `rk_live_${code(24)}`],
  ["SendGrid", `SG.${code(22)}.${code(43)}`],
  ["npm", `npm_${code(36)}`],
  ["Hugging Face", `hf_${code(34)}`],
  ["DigitalOcean", `dop_v1_${hex(64)}`],
  ["a web token", webToken],
  ["an encrypted web token", `eyJ${code(30)}..${code(16)}.${code(40)}.${code(22)}`],
  ["our own bearer", `lg_client_${code(120)}_${code(43)}`],
];

const pem = (label: string): string =>
  `-----BEGIN ${label}-----\nMII${code(61)}\n${code(20)}==\n-----END ${label}-----`;

describe("what has a secret's shape", () => {
  it.each([
    ["api_key=sk-abcdefghijklmnopqrstuvwxyz1", `api_key=${MARK}`, 1],
    ["AKIAABCDEFGHIJKLMNOP", MARK, 1],
    ["postgres://u:p@ss@host/db", `postgres://u:${MARK}@host/db`, 1],
    ["Authorization: Bearer abcdefghijklmnop", `Authorization: Bearer ${MARK}`, 1],
    [`ghp_${"a".repeat(36)}`, MARK, 1],
    ["password: short", "password: short", 0],
    ["password: longenough", `password: ${MARK}`, 1],
    ["hello", "hello", 0],
  ])("the golden value %j", (text, expected, count) => {
    expect(redactSecrets(text)).toEqual({ text: expected, count });
  });

  it.each(TOKENS)("a token of %s goes, wherever it stands", (_name, token) => {
    const places = ["", "see ", "«", '{"a":"', "line\\n", "x=%20", "/", "(", "a:", "\\u0022"];
    for (const before of places) {
      for (const after of ["", " ok", '"}', ",", "\n", "'", "\\n"]) {
        expect(redactSecrets(before + token + after)).toEqual({ text: before + MARK + after, count: 1 });
      }
    }
  });

  it.each(["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])(
    "a %s goes from its begin to its end",
    (label) => {
      expect(redacted(`a ${pem(label)} b`)).toBe(`a ${MARK} b`);
      expect(redacted(JSON.stringify({ key: pem(label), next: 1 }))).toBe(
        JSON.stringify({ key: MARK, next: 1 }),
      );
    },
  );

  it("a private key goes as far as it was cut", () => {
    const cut = pem("PRIVATE KEY").slice(0, 80);
    expect(redacted(`${cut}, and more`)).toBe(`${MARK}, and more`);
    // What is too far from its end, or ended by another's begin, is a cut one.
    const far = `${cut}. ${"x ".repeat(SECRET_PEM_MAX_CHARS / 2)}${pem("PRIVATE KEY").slice(-25)}`;
    expect(redacted(far)).toContain(`${MARK}. x x`);
    expect(redacted(`${cut}. ${pem("CERTIFICATE")} ${pem("PRIVATE KEY")}`)).toBe(
      `${MARK}. ${pem("CERTIFICATE")} ${MARK}`,
    );
    expect(redactSecrets(pem("PUBLIC KEY")).count).toBe(0);
  });

  it.each([
    ["https://user:secret@example.com/x", `https://user:${MARK}@example.com/x`],
    ["redis://:pw@h", `redis://:${MARK}@h`],
    [String.raw`amqp:\/\/u:pw@h\/v`, String.raw`amqp:\/\/u:${MARK}@h\/v`],
    ["mongodb://u:p#ss@h1:27017,h2:27017/db", `mongodb://u:${MARK}@h1:27017,h2:27017/db`],
    [`https://ghp_${code(36)}:x@github.com/a/b`, `https://${MARK}:${MARK}@github.com/a/b`],
  ])("a URL's password goes from %s", (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    "https://example.com:8080/a@b",
    "https://example.com:80?mail=a@b.example",
    "https://user@example.com/x:y@z",
    "http://[::1]:8080/",
  ])("%s has no password", (url) => {
    expect(redactSecrets(url)).toEqual({ text: url, count: 0 });
  });

  it.each([
    [String.raw`{"password":"a b, \"c\" {d}","next":"e"}`, String.raw`{"password":"${MARK}","next":"e"}`],
    [
      String.raw`{\"password\":\"a b \\\"c\",\"x\":\"e\"}`,
      String.raw`{\"password\":\"${MARK}\",\"x\":\"e\"}`,
    ],
    [String.raw`{"pwd":"ends in \\\\","x":1}`, `{"pwd":"${MARK}","x":1}`],
    [`{"a":{"token":123456}}`, `{"a":{"token":"${MARK}"}}`],
    [
      String.raw`{"log":"token=abc\u0064ef\nnext \"line\""}`,
      String.raw`{"log":"token=${MARK}\nnext \"line\""}`,
    ],
    [String.raw`{"log":"token=abcdef\\"}`, `{"log":"token=${MARK}"}`],
    [`{"Authorization":"Basic ${code(12)}"}`, `{"Authorization":"Basic ${MARK}"}`],
  ])("JSON stays JSON: %s", (text, expected) => {
    expect(redacted(text)).toBe(expected);
    const outer = text.startsWith("{\\") ? `"${expected}"` : expected;
    expect(() => JSON.parse(outer) as unknown).not.toThrow();
  });

  it.each([
    ["X-Api-Key: abcdef123", `X-Api-Key: ${MARK}`],
    ["AWS_SECRET_ACCESS_KEY=abc/def+ghi", `AWS_SECRET_ACCESS_KEY=${MARK}`],
    ["export apiKey='abc def'", `export apiKey='${MARK}'`],
    ["config['password'] = \"abcdef\"", `config['password'] = "${MARK}"`],
    [":client_secret => 'abcdef'", `:client_secret => '${MARK}'`],
    ["?access_token=abcdef&x=1", `?access_token=${MARK}&x=1`],
    ["access_token%3Dabcdef", `access_token%3D${MARK}`],
    ["mysql --password hunter22 -u me", `mysql --password ${MARK} -u me`],
    ["Server=a;Password=ab,cdefg;X=1", "Server=a;Password=ab,cdefg;X=1"],
    ["Server=a;Password=abcdefg;X=1", `Server=a;Password=${MARK};X=1`],
    ["token: token abcdefg", `token: token ${MARK}`],
    [`${"token".repeat(3)}_AKIA${capitals(16)}: abcdef`, `${"token".repeat(3)}_${MARK}: ${MARK}`],
  ])("what is assigned to a name that says secret goes: %s", (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    "the token is gone",
    "Password::hash(x)",
    '"token_type": "bearer"',
    "max_tokens: 128000, total_tokens=4096000",
    "tokenizer: cl100k_base",
    "secretary: Johnson",
    "password:\nusername: someone",
    "task-management-system-for-everyone",
    `ask-${code(30).toLowerCase()}`,
    `${"A".repeat(9)}AKIA${capitals(16)}`,
    "--token --verbose",
    "skeletons, keynotes, sgml, eyJust",
  ])("%j is none", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  it("is as long as its bound says", () => {
    const key = (length: number): number => redactSecrets(`password=${"x".repeat(length)}`).count;
    expect([key(SECRET_VALUE_MIN_CHARS - 1), key(SECRET_VALUE_MIN_CHARS)]).toEqual([0, 1]);
    const bearer = (length: number): number => redactSecrets(`bearer ${"x".repeat(length)}`).count;
    expect([bearer(SECRET_BEARER_MIN_CHARS - 1), bearer(SECRET_BEARER_MIN_CHARS)]).toEqual([0, 1]);
  });
});

/** Texts of pieces that begin, join, end or hide secrets. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TOKENS.map(([, token]) => token)),
      fc.constantFrom(
        ..."password|token|api_key|--secret|Bearer |bearer%20|basic |Authorization|://|u|@|eyJ|sk-|SG.|-----BEGIN ".split(
          "|",
        ),
        ...'-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|:|=|=>| |\t|\n|"|\'|`|\\|\\\\|\\"|\\n|,|;|&|<|)|]|.|-|_'.split(
          "|",
        ),
        ..."longenough|123456|AKIA|😀|\ud83d|\ude00|\0|\u202e|<|endoftext|>|__proto__|%3D".split("|"),
        MARK,
        "[REDACTED-",
        "tokens: 123456",
        ...`-u |--user=|a:b|?sig=|${"aB3dE5gH7j".repeat(4)}|AKIAABCDEFGHIJKLMNOP|"pin":|\\"pin\\":\\"|12|1.5e3`.split(
          "|",
        ),
        ..."Cookie: |cookie:a=b|; |mysql |-p|-a |machine h |login u |password |default |密码|：|senha|mot de passe|Negotiate |&key=".split(
          "|",
        ),
        ..."next_page_|PWD=/|string|process.env.|config.|${|{{|$A_|****|<your |(|hash(|secret_|basic".split(
          "|",
        ),
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(""));

describe("redaction of any text", () => {
  it("begins a new key behind a secret that was taken out of one", () => {
    const token = `github_pat_${"aB3dE5gH7j".repeat(8)}`;
    const once = redacted(`password${token}--secret-----END PRIVATE KEY-----`);
    expect(redacted(once)).toBe(once);
  });

  it("reads what stands before a secret that was taken out as it did before", () => {
    const text = `hf_aB3dpassword 0AKIAAB3DE5ghs_${"aB3dE5gH7j".repeat(4)} de passe`;
    const once = redacted(text);
    expect(redacted(once)).toBe(once);
  });

  it("changes nothing that it has made", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = redacted(text);
        expect(redactSecrets(once)).toEqual({ text: once, count: 0 });
      }),
      { numRuns: 20_000 },
    );
  });

  it("takes out and puts in marks, and leaves all else in its order", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { text: made, count } = redactSecrets(text);
        let at = 0;
        for (const piece of made.split(MARK)) {
          // Two quotes may have come in around a number.
          const bare = piece.replace(/^\\*["'`]/, "");
          const found = [piece, bare, piece.replace(/\\*["'`]$/, ""), bare.replace(/\\*["'`]$/, "")]
            .map((form) => ({ form, index: text.indexOf(form, at) }))
            .find(({ index }) => index !== -1);
          expect(found).toBeDefined();
          at = (found?.index ?? 0) + (found?.form.length ?? 0);
        }
        expect(made.split(MARK).length - text.split(MARK).length).toBe(count);
      }),
      { numRuns: 5_000 },
    );
  });

  it("halves no character", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("token=", "\\", "bearer ", '"', "://u:")),
        ),
        (pieces) => {
          expect(redacted(pieces.join(""))).not.toMatch(/\p{Surrogate}/u);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("finds a token on a line of its own, whatever is before and behind", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...TOKENS), hostile, (before, [, token], after) => {
        expect(redacted(`${before}\n${token}\n${after}`)).not.toContain(`\n${token}\n`);
      }),
      { numRuns: 5_000 },
    );
  });

  // At a quadratic cost each of these would take hours, which the ring does not wait for.
  it.each([
    "a",
    " ",
    "\\",
    '"',
    "token",
    "token ",
    "token\\",
    'token:"',
    "token='\\\"",
    "token:token ",
    "--token ",
    "password=)",
    "bearer ",
    "bearer+",
    "eyJ",
    "-eyJ",
    "eyJaaaaaaaa.",
    "SG.",
    ".SG.aaaaaaaaaaaaaaaa",
    "sk-",
    "-sk-proj-",
    "xoxb-",
    "AKIA",
    "://",
    "://a:b",
    "://u:a@",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY----- -----END ",
    "[REDACTED-SECRET]",
    "token=[REDACTED-SECRET]",
  ])("reads two million characters of %j, of which it makes the same twice", (unit) => {
    const text = unit.repeat(Math.ceil(2_000_000 / unit.length));
    const once = redactSecrets(text);
    expect(redactSecrets(once.text)).toEqual({ text: once.text, count: 0 });
    expect(once.text.length).toBeLessThan(8 * text.length);
  });
});
