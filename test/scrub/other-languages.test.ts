import { describe, expect, it } from "vitest";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { code, MARK } from "./planted-secrets.ts";

const redactor = redactorFor(true, undefined);
const HEX = "0a1b".repeat(8);

describe("a text loses what stands under a name", () => {
  it.each([
    "Passwort: ",
    "Kennwort=",
    "WLAN-Passwort: ",
    "mot de passe : ",
    "Mot de passe\u00a0: ",
    "contraseña: ",
    "CONTRASEÑA=",
    "contrasena: ",
    "senha: ",
    "Senha = ",
    "palavra-passe: ",
    "wachtwoord: ",
    "пароль: ",
    "Пароль=",
    "密码：",
    "您的密码是：",
    "密碼:",
    "口令：",
    "パスワード：\u3000",
    "初期パスワード: ",
    "비밀번호: ",
    "API key: ",
    "access key = ",
    "Authorization: Negotiate ",
    "Authorization: GenieKey ",
    "Authorization: Api-Key ",
  ])("%j", (name) => {
    const [text, clean] = [`a ${name}hunter22 b`, `a ${name}${MARK} b`];
    expect(redactor?.text(text)).toEqual({ text: clean, count: 1 });
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
    const stream = redactor?.stream();
    expect(`${Array.from(text, (unit) => stream?.push(unit)).join("")}${stream?.end()}`).toBe(clean);
  });

  it.each([
    ["密码：hunter22，请保密", `密码：${MARK}，请保密`],
    [`https://a.example/?key=${code(24)}&b=1`, `https://a.example/?key=${MARK}&b=1`],
    [`https://a.example/?a=1&code=${code(30)}`, `https://a.example/?a=1&code=${MARK}`],
    [`https://a.example/#access_token=${code(30)}&a=1`, `https://a.example/#access_token=${MARK}&a=1`],
    [
      `Authorization: Digest username="ada", realm="r", response="${HEX}", uri="/"`,
      `Authorization: Digest username="ada", realm="r", response="${MARK}", uri="/"`,
    ],
    [
      `Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${HEX}${HEX}`,
      `Authorization: AWS4-HMAC-SHA256 ${MARK}, SignedHeaders=host, Signature=${MARK}`,
    ],
  ])("%j", (text, clean) => {
    expect(redactor?.text(text).text).toBe(clean);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
  });

  it.each([
    "Passwort vergessen?",
    "Passwort: vergessen?",
    "Passwortlänge: mindestens-acht",
    "Mot de passe oublié ?",
    "resenha: maravilhosa",
    "desenhar: 123456789",
    "密码：不能少于八个字符",
    "密码学：abcdefgh",
    "パスワード：忘れた場合はこちら",
    "пароль: обязательно",
    "https://a.example/?key=how-to-bake-two-cakes-today",
    "https://a.example/?key=1234567890123456789012345",
    "https://a.example/?code=200",
    'WWW-Authenticate: Digest realm="r", nonce="abc"',
  ])("nothing: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });
});

describe("a member", () => {
  it.each([
    "Passwort",
    "mot_de_passe",
    "motDePasse",
    "contraseña",
    "novaSenha",
    "senha",
    "密码",
    "パスワード",
    "user_пароль",
  ])("called %j holds a secret", (name) => {
    expect(redactor?.value({ [name]: "x1" })).toEqual({ value: { [name]: MARK }, count: 1 });
    expect(redactor?.text(JSON.stringify({ [name]: 12 })).text).toBe(JSON.stringify({ [name]: MARK }));
  });

  it.each([{ 密码: "请输入密码" }, { resenha: "boa" }, { Passwortrichtlinie: "streng" }])(
    "stays: %j",
    (value) => {
      expect(redactor?.value(value)).toEqual({ value, count: 0 });
    },
  );
});

it("a name in any script is read in time that grows with its length", () => {
  for (const unit of ["密码", "密码：", "пароль ", "mot de passe ", "senha", "?key=a1", " response="]) {
    const text = unit.repeat(Math.ceil(300_000 / unit.length));
    const once = redactor?.text(text).text ?? "";
    expect(redactor?.text(once)).toEqual({ text: once, count: 0 });
  }
});
