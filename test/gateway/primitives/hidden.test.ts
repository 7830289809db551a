import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { MARK } from "../../scrub/planted-secrets.ts";
import {
  artifactsOf,
  both,
  codeOf,
  config,
  envelopeOf,
  fakeCaller,
  jsonOf,
  LARGE,
  LOGO_ID,
  message,
  README,
  README_ID,
  run,
  shownOf,
  text,
  textOf,
} from "./kit.ts";

describe("a bearer's scopes", () => {
  it("decide over all kinds by one glob, and over one kind by its own", async () => {
    const sees = (glob: RegExp) => ({
      caller: fakeCaller({ sees: (id) => glob.test(id) }),
      ...both("hello"),
    });
    const some = run(sees(/^resource::fs:/));
    expect(textOf(await some.read())).toBe("hello");
    expect(codeOf(await some.read(LOGO_ID))).toBe("RESOURCE_NOT_FOUND");
    const hidden = jsonOf(await some.get());
    expect(hidden).toMatchObject({ error: "PROMPT_NOT_FOUND", details: { did_you_mean: [] } });
    expect(textOf(await some.call("prompt_browse", { path: "/" }))).toBe("note: the catalog has no prompts");
    expect(textOf(await some.call("resource_browse", { path: "/" }))).toBe("/fs — 3 resources");
    expect(some.requests().length).toBe(1);
  });

  it("hide what a hidden resource brought, and its URI", async () => {
    const first = run({ ...both(LARGE) });
    const [kept] = artifactsOf(await first.read());
    const blind = fakeCaller({ sees: (id) => !id.startsWith("resource::") });
    const later = run({ ...both(LARGE), caller: blind });
    for (const [key, value] of first.artifacts.objects) later.artifacts.objects.set(key, value);
    expect(codeOf(await later.view(kept?.handle, { type: "head" }))).toBe("VIEW_FAILED");
    expect(codeOf(await later.read(README.uri))).toBe("RESOURCE_NOT_FOUND");
  });
});

describe("a secret", () => {
  const KEY = "sk-ant-api03-Qm9vZ2llV29vZ2llQm9vZ2llV29vZ2llQm9vZ2ll";

  it("that is configured leaves nothing, wherever a read has it", async () => {
    const secret = "hunter22-hunter22";
    const result = {
      contents: [
        { uri: `a:${secret}`, mimeType: "text/plain", text: `x ${secret}`, _meta: { secret } },
        { uri: "a:b", mimeType: "text/plain", blob: Buffer.from(`y ${secret}`).toString("base64") },
      ],
      messages: [message("user", text(secret), { note: secret }), message("assistant", text("b"))],
      description: secret,
      _meta: { secret },
    };
    const made = run({ result, secrets: [secret] });
    for (const render of ["porcelain", "json"]) {
      const answers = [await made.read(README_ID, { render }), await made.get({ repo: "r" }, { render })];
      for (const answer of answers) {
        expect(answer?.isError).toBeUndefined();
        expect(JSON.stringify(answer)).not.toContain(secret);
      }
    }
  });

  it("that looks like one is taken out where the server's block asks for it, and counted", async () => {
    const redacting = config({}, { redact: true });
    const made = run({ ...both(`The key is ${KEY}.`), ...redacting });
    for (const answer of [await made.read(), await made.get()]) {
      expect(shownOf(answer)).toEqual([`The key is ${MARK}.`]);
      expect(memberOf(envelopeOf(answer)["provenance"], "redactions")).toBe(1);
    }
    expect(textOf(await run({ ...both(KEY) }).read())).toBe(KEY);
  });

  it("is in nothing that is kept, and in no view of what was kept before", async () => {
    const result = both(`${LARGE}\npassword: hunter22, ${KEY}`);
    const redacting = config({}, { redact: true });
    const made = run({ ...result, ...redacting });
    await made.read();
    await made.get();
    for (const { bytes } of made.artifacts.objects.values()) {
      expect(new TextDecoder().decode(bytes)).not.toMatch(/hunter22|sk-ant/);
    }
    const before = run(result);
    const [kept] = artifactsOf(await before.read());
    const later = run({ caller: before.caller, ...redacting });
    for (const [key, value] of before.artifacts.objects) later.artifacts.objects.set(key, value);
    const shown = await later.view(kept?.handle, { type: "lines", start: -1, end: 1_000_000 });
    expect(textOf(shown)).toContain(MARK);
    expect(textOf(shown)).not.toContain("sk-ant");
  });
});
