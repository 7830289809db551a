import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/json.ts";
import { SCRUB_MAX_DEPTH, SCRUB_SECRET_MIN_CHARS } from "../../src/limits.ts";
import { ok } from "../../src/result.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { SCRUBBED } from "../../src/scrub/secret-places.ts";
import { fakeCatalog, fakeId } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway, textOf } from "../support/fake-gateway.ts";

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

const hex = (unit: string, digits: number) => unit.charCodeAt(0).toString(16).padStart(digits, "0");

/** Ways in which one character of the printable ASCII is written, by the name of who writes so. */
const SPELLINGS: Readonly<Record<string, (unit: string) => string>> = {
  itself: (unit) => unit,
  backslash: (unit) => (/[a-z0-9]/i.test(unit) ? unit : `\\${unit}`),
  "\\u lower": (unit) => `\\u${hex(unit, 4)}`,
  "\\u upper": (unit) => `\\u${hex(unit, 4).toUpperCase()}`,
  "percent lower": (unit) => `%${hex(unit, 2)}`,
  "percent upper": (unit) => `%${hex(unit, 2).toUpperCase()}`,
  named: (unit) =>
    new Map([
      ["&", "&amp;"],
      ["<", "&lt;"],
      [">", "&gt;"],
      ['"', "&quot;"],
      ["'", "&#39;"],
    ]).get(unit) ?? unit,
  decimal: (unit) => `&#${unit.charCodeAt(0)};`,
  hexadecimal: (unit) => `&#x${hex(unit, 2)};`,
};

const secretText = fc
  .string({ unit: "grapheme-ascii", minLength: SCRUB_SECRET_MIN_CHARS, maxLength: 40 })
  .filter((text) => text.trim() === text && /[a-z0-9]{3}/i.test(text));

describe("a secret in other people's escapes", () => {
  it.each([
    ["PHP's JSON", "ab/cd+efgh", "ab\\/cd+efgh"],
    ["Go's JSON", "key<&>value", "key\\u003c\\u0026\\u003evalue"],
    [".NET's JSON", "ab+cd/efgh", "ab\\u002Bcd/efgh"],
    ["lower-case percent-encoding", "ab/cd+efgh", "ab%2fcd%2befgh"],
    ["a form", "pass word/1", "pass+word%2F1"],
    ["HTML", `a&b<c>"d'ef`, "a&amp;b&lt;c&gt;&quot;d&#x27;ef"],
    ["a URL in JSON", `a"b/cdef`, "a%22b\\/cdef"],
    [
      "what looks like an escape itself",
      "100%41\\u0042&amp;",
      JSON.stringify("100%41\\u0042&amp;").slice(1, -1),
    ],
  ])("is found: %s", (_, secret, written) => {
    expect(createScrubber([secret]).text(`«${written}»`)).toBe(`«${SCRUBBED}»`);
  });

  it("is found whichever way each of its characters is written", () => {
    const spelling = fc.constantFrom(...Object.keys(SPELLINGS));
    fc.assert(
      fc.property(secretText, fc.array(spelling, { minLength: 40, maxLength: 40 }), (secret, names) => {
        fc.pre(!/[\\%&]/.test(secret));
        const written = secret
          .split("")
          .map((unit, at) => SPELLINGS[names[at] ?? "itself"]?.(unit))
          .join("");
        const clean = createScrubber([secret]).text(`«${written}»`);
        expect(clean).toBe(`«${SCRUBBED}»`);
      }),
    );
  });

  it("is found quoted in JSON once and twice, whatever it is made of", () => {
    fc.assert(
      fc.property(secretText, (secret) => {
        const once = JSON.stringify({ v: `«${secret}»` });
        const twice = JSON.stringify({ v: once });
        const { text } = createScrubber([secret]);
        expect(text(once)).toBe(JSON.stringify({ v: `«${SCRUBBED}»` }));
        expect(text(twice)).toBe(JSON.stringify({ v: JSON.stringify({ v: `«${SCRUBBED}»` }) }));
      }),
    );
  });

  it("is found in the base64 of bytes that hold it, and the blob still decodes, as long as it was", () => {
    const bytes = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(bytes, bytes, fc.boolean(), (before, after, url) => {
        const secret = "s3cr~t?>key";
        const plain = Buffer.concat([before, Buffer.from(secret), after]);
        const blob = plain.toString(url ? "base64url" : "base64");
        const clean = createScrubber([secret]).text(blob);
        const decoded = Buffer.from(clean, url ? "base64url" : "base64");
        expect(clean).toHaveLength(blob.length);
        expect(decoded).toHaveLength(plain.length);
        expect(decoded.toString("latin1")).not.toContain(secret.slice(1, -1));
        expect(decoded.subarray(0, before.length)).toEqual(Buffer.from(before));
      }),
    );
  });

  it("changes nothing else", () => {
    const { text } = createScrubber(["never-there-1"]);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."\\%&;u0041#xamp\ud83d\ude00nevr-".split("")) }),
        (any) => {
          expect(text(any)).toBe(any);
        },
      ),
    );
  });
});

describe("JSON stays JSON", () => {
  const { text, value } = createScrubber(["482913377", "nsecret1", "48291337799999999991"]);

  it("a number that holds a secret becomes a string, in values and in texts alike", () => {
    const result = { pin: 482913377, list: [1482913377.5, 7], "482913377": -482913377, long: 4.82913377e25 };
    const clean = value(result);
    expect(JSON.stringify(clean)).not.toContain("482913377");
    expect(JSON.parse(text(JSON.stringify(result)))).toEqual(clean);
    expect(JSON.parse(text(JSON.stringify(result, undefined, 2)))).toEqual(clean);
    expect(text('{ "pin" : 482913377,\n "other": 1.50 }')).toBe(`{ "pin" : "${SCRUBBED}",\n "other": 1.50 }`);
    expect(JSON.stringify(value([Number("48291337799999999991")]))).toBe(`["${SCRUBBED}"]`);
    expect(text("[48291337799999999991]")).toBe(`["${SCRUBBED}"]`);
  });

  it("whatever stands in it, and a text is scrubbed as its value is", () => {
    const leaf = fc.oneof(
      fc.constantFrom<unknown>(482913377, "x482913377", 'q"482913377\\', true, null, 5),
      fc.string(),
    );
    const json = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("node")), fc.dictionary(fc.string(), tie("node"))),
    })).node;
    fc.assert(
      fc.property(json, (any) => {
        const wrapped = { any };
        expect(JSON.parse(text(JSON.stringify(wrapped)))).toEqual(JSON.parse(JSON.stringify(value(wrapped))));
      }),
    );
  });

  it("a secret that begins or ends inside of an escape takes the whole escape with it", () => {
    expect(JSON.parse(text('["line\\nsecret1"]'))).toEqual([`line${SCRUBBED}`]);
    expect(JSON.parse(createScrubber(["abcdef\\"]).text('["abcdef\\"x"]'))).toEqual([`${SCRUBBED}x`]);
  });

  it("nested beyond any bound it neither throws nor passes a secret", () => {
    const deep = `${"[".repeat(50_000)}482913377${"]".repeat(50_000)}`;
    expect(text(deep)).not.toContain("482913377");
    const cut = JSON.stringify(value(JSON.parse(deep)));
    expect(cut).toBe(`${"[".repeat(SCRUB_MAX_DEPTH + 1)}"${SCRUBBED}"${"]".repeat(SCRUB_MAX_DEPTH + 1)}`);
  });
});

describe("a cut", () => {
  it("leaves no beginning of a secret at its edge, however the secret is written", () => {
    const secret = 'hunter<22/"longer"+secret';
    const written = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret).toLowerCase(),
      ...Object.values(SPELLINGS).map((spell) => secret.split("").map(spell).join("")),
      Buffer.from(secret).toString("base64"),
    ];
    const { cut } = createScrubber([secret]);
    for (const form of written) {
      for (let length = 0; length <= form.length; length += 1) {
        // Cut before it was scrubbed, and cut while it is.
        const clean = cut(`page: ${form.slice(0, length)}`, 1_000);
        const kept = clean.replace("page: ", "");
        const read = kept.startsWith("[") ? 0 : kept.length;
        const whole = form.length / secret.length;
        expect(read).toBeLessThan((SCRUB_SECRET_MIN_CHARS + 2) * Math.max(6, whole));
        expect(cut(`page: ${form}`, 6 + length).length).toBeLessThanOrEqual(6 + length);
      }
    }
  });

  it("leaves less than six characters of a secret that was cut before", () => {
    const { cut } = createScrubber(["correct-horse-1"]);
    for (let length = 0; length < "correct-horse-1".length; length += 1) {
      const clean = cut("correct-horse-1".slice(0, length), 1_000);
      expect(clean).toBe(length < SCRUB_SECRET_MIN_CHARS ? "correct-horse-1".slice(0, length) : "");
    }
  });

  it("drops also what then stands at the end", () => {
    expect(createScrubber(["hunter22", "password1"]).cut("x hunter2password", 50)).toBe("x ");
    expect(createScrubber(["hunter22"]).cut("x hunter22 y", 9)).toBe(`x ${SCRUBBED.slice(0, 7)}`);
    expect(createScrubber([]).cut("abc", 2)).toBe("ab");
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

  it("is JSON with a numeric secret in it: the text parses and says what the structured content says", async () => {
    const { surface } = fakeGateway({
      catalog: fakeCatalog([TOOL]),
      secrets: ["482913377"],
      answer: () =>
        ok({
          content: [{ type: "text", text: '{"pin":482913377}' }],
          structuredContent: { pin: 482913377 },
        }),
    });
    for (const render of ["json", "porcelain"]) {
      const ask = { tool_id: fakeId(TOOL), render };
      const answer = await surface.call("tool_execute", ask, fakeCaller().context);
      expect(JSON.stringify(answer)).not.toContain("482913377");
      const read: unknown = JSON.parse(textOf(answer));
      expect(isRecord(read)).toBe(true);
      expect(read).toEqual(render === "json" ? answer?.structuredContent : { pin: SCRUBBED });
    }
  });
});
