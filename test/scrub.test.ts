import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber, SCRUBBED } from "../src/scrub.ts";
import { ok } from "../src/result.ts";
import { fakeCatalog, fakeId } from "./support/fake-catalog.ts";
import { fakeCaller, fakeGateway } from "./support/fake-gateway.ts";

const SECRET = 'p"ss\\wörd/1';

describe("a scrubber", () => {
  const scrubber = createScrubber([SECRET, undefined, "", "hunter22", "hunter22-longer"]);

  it("takes a secret out wherever it stands, in each form that text wraps it in", () => {
    const escaped = JSON.stringify({ a: SECRET });
    for (const text of [
      `before ${SECRET} after ${SECRET}`,
      escaped,
      JSON.stringify({ quoted: escaped }),
      `https://example.com/?key=${encodeURIComponent(SECRET)}`,
    ]) {
      const clean = scrubber.text(text);
      expect(clean).toContain(SCRUBBED);
      expect(clean).not.toContain("wörd");
      expect(clean).not.toContain("w%C3%B6rd");
    }
  });

  it("takes the longer of two secrets out whole", () => {
    expect(scrubber.text("hunter22-longer hunter22")).toBe(`${SCRUBBED} ${SCRUBBED}`);
  });

  it("leaves what is too short to be a secret", () => {
    expect(createScrubber(["8090", " "]).text("port 8090")).toBe("port 8090");
  });

  it("takes a replacement pattern for what it is", () => {
    expect(createScrubber(["$&$1$$secret"]).text("a $&$1$$secret b")).toBe(`a ${SCRUBBED} b`);
  });

  it("cleans keys and values at any depth, and hands on what has nothing as it is", () => {
    const value: unknown = JSON.parse('{"a":[{"hunter22":"x hunter22"}],"__proto__":"hunter22"}');
    expect(JSON.stringify(scrubber.value(value))).toBe(
      `{"a":[{"${SCRUBBED}":"x ${SCRUBBED}"}],"__proto__":"${SCRUBBED}"}`,
    );
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(scrubber.value(json)).toBe(json);
      }),
    );
  });
});

describe("what leaves the gateway", () => {
  const TOOL = { namespace: "files", name: "read_file", description: "Reads hunter22-file." };
  const large = `${"word ".repeat(1500)} hunter22 end`;

  it("has no configured secret in it: answers, envelopes, errors, cards and artifacts", async () => {
    const results = [
      { content: [{ type: "text", text: "the key is hunter22" }] },
      {
        content: [{ type: "image", data: "aGVsbG8=", mimeType: "hunter22" }],
        _meta: { hunter22: "hunter22" },
      },
      { structuredContent: { hunter22: ["hunter22", { deep: "xhunter22x" }] } },
      { content: [{ type: "text", text: JSON.stringify({ key: 'a"hunter22"' }) }], isError: true },
      { content: [{ type: "text", text: large }] },
      { content: [{ type: "resource", resource: { uri: "hunter22:", text: `${large}!` } }] },
    ];
    const { surface, artifacts, log } = fakeGateway({
      catalog: fakeCatalog([TOOL]),
      secrets: ["hunter22"],
      answer: () => ok(results.shift() ?? {}),
    });
    const answers: unknown[] = [];
    for (const render of ["porcelain", "json", "porcelain", "json", "json", "porcelain"]) {
      const ask = { tool_id: fakeId(TOOL), render };
      answers.push(await surface.call("tool_execute", ask, fakeCaller().context));
    }
    for (const ask of [
      { query: "read file" },
      { path: "/files" },
      { path: "/hunter22" },
      { path: "hunter22" },
    ]) {
      answers.push(await surface.call("tool_browse", ask, fakeCaller().context));
    }
    answers.push(await surface.call("tool_execute", { tool_id: "hunter22:x" }, fakeCaller().context));
    expect(artifacts.objects.size).toBe(2);
    const stored = [...artifacts.objects.values()].map(({ bytes }) => new TextDecoder().decode(bytes));
    expect(stored.join("")).toContain(SCRUBBED);
    expect(JSON.stringify([answers, stored, log])).not.toContain("hunter22");
  });
});
