import { describe, expect, it } from "vitest";
import type { Environment } from "../../../scripts/doctor/config/environment.ts";
import { judgeConfig } from "../../../scripts/doctor/config/judge-config.ts";
import { referencedVariables } from "../../../scripts/start/configuration.ts";

const SECRET = "a-secret-that-nobody-prints";
const SOURCE = { kind: "http", name: "personal", url: "https://rs.example", token_env: "PDPP_TOKEN" };

function asks(
  source: object,
  standing: Partial<Environment> & { readonly token?: string },
  allowLoopback = false,
): readonly string[] {
  const { token, elsewhere = () => "unset" } = standing;
  const lookup = (name: string) => (name === "PDPP_TOKEN" ? token : undefined);
  const text = JSON.stringify({ records: { sources: [{ ...SOURCE, ...source }] } });
  const { findings } = judgeConfig(text, { lookup, elsewhere }, { allowLoopback });
  expect(JSON.stringify(findings)).not.toContain(SECRET);
  return findings
    .filter(({ level }) => level !== "pass")
    .map(({ level, check, subject }) => `${level} ${check} ${subject ?? ""}`.trimEnd());
}

describe("sources of records", () => {
  it.each<[string, object, Parameters<typeof asks>[1], readonly string[]]>([
    ["nothing where all is there", {}, { token: SECRET }, []],
    ["a bearer that is not set", {}, {}, ["fail config.variables records.sources.personal"]],
    ["a bearer that only the Worker has", {}, { elsewhere: () => "unseen" }, ["skip config.variables"]],
    [
      "a bearer that is none",
      {},
      { token: `${SECRET} and more` },
      ["fail config.addresses records.sources.personal.token_env"],
    ],
    [
      "an owner's bearer of our own",
      {},
      { token: `lg_owner_${SECRET}` },
      ["fail config.addresses records.sources.personal.token_env"],
    ],
    [
      "the operator's token, whose value only the Worker has",
      { token_env: "OPERATOR_TOKEN" },
      { elsewhere: () => "unseen" },
      ["skip config.variables", "fail config.addresses records.sources.personal.token_env"],
    ],
    [
      "an address without TLS",
      { url: "http://rs.example" },
      { token: SECRET },
      ["fail config.addresses records.sources.personal.url"],
    ],
    [
      "an address in a private network",
      { url: "https://10.0.0.1" },
      { token: SECRET },
      ["fail config.addresses records.sources.personal.url"],
    ],
    [
      "loopback, in a deployment",
      { url: "http://127.0.0.1:8080" },
      { token: SECRET },
      ["fail config.addresses records.sources.personal.url"],
    ],
  ])("give the doctor %s to tell", (_what, source, standing, expected) => {
    expect(asks(source, standing)).toEqual(expected);
  });

  it("may be on loopback on a development machine", () => {
    expect(asks({ url: "http://127.0.0.1:8080" }, { token: SECRET }, true)).toEqual([]);
  });

  it("have their bearers handed to the Worker that npm start runs, and no other variable", () => {
    const text = JSON.stringify({
      records: { sources: [SOURCE, { ...SOURCE, name: "b", token_env: "UNSET" }] },
    });
    const lookup = (name: string) => (name === "UNSET" ? undefined : `${SECRET} of ${name}`);
    expect(referencedVariables(text, lookup)).toEqual({ PDPP_TOKEN: `${SECRET} of PDPP_TOKEN` });
  });
});
