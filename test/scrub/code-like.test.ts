import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { looksLikeCode } from "../../src/scrub/code-like.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";
import { readBothWays } from "./read-both-ways.ts";

const redactor = redactorFor(true, undefined);
const SECRET = "hunter2Zwei9";

describe("a value that looks like a code", () => {
  it.each([SECRET, "qwe123x", "aGVsbG8xMjM=", "s3cr3t!"])("%s", (value) => {
    expect(looksLikeCode(value)).toBe(true);
  });

  it.each([
    ..."required 12345678 oauth2 utf8mb4 sha256 v1.2.3 2024-01-01T00:00:00Z https://a.example/1 ./a1b2c3 200ms abc12 S-1-5-21-10".split(
      " ",
    ),
    "two w0rds",
  ])("not %s", (value) => {
    expect(looksLikeCode(value)).toBe(false);
  });
});

describe("a text loses what looks like a code", () => {
  it.each([
    "Пароль - X",
    "Passwort – X",
    "Password — X",
    "API key -> X",
    "The password is X",
    "Your password is now: X",
    "**Password:** X",
    "**Password**: X",
    "clave: X",
    '"clave": "X"',
    "pass: X",
    "DB_PASS=X",
    "STRIPE_KEY=X",
    "session_key: X",
    "a?b=1&pass=X",
    "define('DB_PASSWORD', 'X');",
    'user.setPassword("X")',
    "ALTER USER a WITH PASSWORD 'X'",
    "CREATE USER a IDENTIFIED BY 'X'",
    "ENV API_TOKEN X\n",
    "Password:\nX\nmore",
    "requirepass X",
    "curl -uada:X https://a.example",
    "mongosh -u ada -p X",
    "sqlcmd -S a -U sa -P X",
    "openssl rsa -passin pass:X",
    '<password type="plain">X</password>',
    "<password><![CDATA[X]]></password>",
    "<name>password</name><value>X</value>",
    "<key>password</key>\n\t<string>X</string>",
    '<input type="password" value="X">',
    "password=&quot;X&quot;",
    "%22password%22%3A%22X%22",
  ])("%j", (form) => {
    const [text, clean] = [form.replace("X", SECRET), form.replace("X", MARK)];
    expect(readBothWays(text)).toEqual([clean, clean]);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
  });

  it.each([
    "Password - Wikipedia",
    "password - the word you type",
    "Password - 8 characters minimum",
    "Пароль - обязательное поле",
    "The password is required",
    "token - OAuth2",
    "palabra clave: fundamentos",
    "clave primaria: identificador",
    "PASS: TestFoo (0.00s)",
    "pass: 12, fail: 3",
    "auth: oauth2",
    "auth=none",
    "https://a.example/?key=PROJ-1234",
    "https://a.example/?key=title2&sort=asc",
    "public_key: MFkwEwYHKoZIzj0CAQ12",
    "cache_key: abcdefgh12345",
    "fields = ['password', 'username']",
    "password: z.string().min(8)",
    "if (password === confirmPassword) {",
    "password = hash(password)",
    "token = tokens[0]",
    "password: Optional[str] = None",
    "let token: TokenKind::Ident",
    "password = var.db_password",
    "password: !secret db_password",
    "password: changeme",
    "api_key: your_api_key_here",
    "Bearer authentication is used here",
    "prompt tokens: 1,234,567",
  ])("but not %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });

  it("in a word with a year in brackets, not in what a function is called with", () => {
    expect(redactor?.text("password: Passw(2024)")).toEqual({ text: `password: ${MARK})`, count: 1 });
    for (const value of ["getpass()", "token_hex(16)", "randomBytes(1024)", "argv[2]", "Token(32)"])
      expect(redactor?.text(`password: ${value}`)).toEqual({ text: `password: ${value}`, count: 0 });
  });

  it("in words that are joined and end like a secret's name, not in a member's name with capitals", () => {
    const words = fc.array(fc.constantFrom("my", "super", "root", "admin", "postgres", "x"), {
      minLength: 1,
      maxLength: 2,
    });
    const last = fc.constantFrom("password", "token", "secret");
    fc.assert(
      fc.property(words, last, (before, end) => {
        const named = before.join("") + end.charAt(0).toUpperCase() + end.slice(1);
        for (const write of [
          (value: string) => JSON.stringify({ password: value }),
          (value: string) => `POSTGRES_PASSWORD=${value}`,
          (value: string) => `user,password\nada,${value}\n`,
        ]) {
          for (const joined of [before.join("") + end, `${before.join("_")}_${end}`])
            expect(redactor?.text(write(joined))).toEqual({ text: write(MARK), count: 1 });
          expect(redactor?.text(write(named))).toEqual({ text: write(named), count: 0 });
        }
      }),
    );
  });

  it.each([
    [
      { sensitive: true, value: "x y" },
      { sensitive: true, value: MARK },
    ],
    [
      { value: "x y", isSecret: true },
      { value: MARK, isSecret: true },
    ],
    [
      { Name: "/a/b", Type: "SecureString", Value: "x" },
      { Name: "/a/b", Type: "SecureString", Value: MARK },
    ],
    [
      { ParameterKey: "DbPassword", ParameterValue: "x" },
      { ParameterKey: "DbPassword", ParameterValue: MARK },
    ],
    [{ session_key: SECRET }, { session_key: MARK }],
  ])("in JSON: %j", (given, clean) => {
    expect(redactor?.value(given)).toEqual({ value: clean, count: 1 });
    expect(redactor?.text(JSON.stringify(given))).toEqual({ text: JSON.stringify(clean), count: 1 });
  });

  it.each([
    { sensitive: false, value: "x y" },
    { secret: { secretName: "db-1a2b3c", defaultMode: 420, optional: true } },
    { session_key: "users" },
    { storage_key: "a/b" },
  ])("but not in JSON: %j", (given) => {
    expect(redactor?.value(given)).toEqual({ value: given, count: 0 });
  });
});
