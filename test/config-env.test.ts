import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envNames, expandEnv } from "../src/config-env.ts";

const KEY = "mcpServers.github.headers.Authorization";

function expand(text: string, env: Readonly<Record<string, string>> = {}) {
  return expandEnv(KEY, text, (name) => (Object.hasOwn(env, name) ? env[name] : undefined));
}

describe("expandEnv", () => {
  it("replaces every reference", () => {
    expect(expand("Bearer ${env:A}-${env:B_2}", { A: "x", B_2: "y" })).toEqual({
      ok: true,
      value: "Bearer x-y",
    });
  });

  it.each([{}, { TOKEN: "" }])("names the key of a variable that is not set: %j", (env) => {
    expect(expand("Bearer ${env:TOKEN}", env)).toEqual({
      ok: false,
      reason: [{ key: KEY, message: "the environment variable TOKEN is not set" }],
    });
  });

  it.each(["${env:}", "${env:a b}", "${env:1A}", "${env:A:-default}", "${TOKEN}", "${env.TOKEN}", "${"])(
    "refuses %s instead of sending it",
    (text) => {
      const expanded = expand(text, { A: "x", TOKEN: "t" });
      expect(expanded.ok).toBe(false);
    },
  );

  it("never looks inside what it put in", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (secret) => {
        expect(expand("<${env:A}>", { A: secret })).toEqual({ ok: true, value: `<${secret}>` });
      }),
      { examples: [["${env:A}"], ["$&"], ["${"]] },
    );
  });

  it("leaves a text without a reference as it is", () => {
    const plain = fc.string().filter((text) => !text.includes("${"));
    fc.assert(
      fc.property(plain, (text) => {
        expect(expand(text)).toEqual({ ok: true, value: text });
      }),
    );
  });
});

describe("envNames", () => {
  it("lists the names a text refers to", () => {
    expect(envNames("a ${env:A} b ${env:B} ${C}")).toEqual(["A", "B"]);
  });
});
