import { describe, expect, it } from "vitest";
import { scrubbedEntry } from "../../src/http/scrubbed-entry.ts";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { SCRUBBED } from "../../src/scrub/secret-places.ts";

const SECRET = "s3cret-token-of-the-server";
const scrubber = createScrubber([SECRET]);

describe("an entry of a listing that says a configured secret", () => {
  it("loses it in every text and key, under any escape, before anything is made of it", () => {
    const entry = scrubbedEntry(
      { name: "open", description: `Use ${SECRET}.`, inputSchema: { [SECRET]: [encodeURI(SECRET)] } },
      scrubber,
    );
    expect(entry).toBe(
      JSON.stringify({
        name: "open",
        description: `Use ${SECRET}.`.replace(SECRET, SCRUBBED),
        inputSchema: { [SCRUBBED]: [SCRUBBED] },
      }),
    );
  });

  it("in its name keeps its place alone", () => {
    expect(scrubbedEntry({ name: `run_${SECRET}`, description: "Runs." }, scrubber)).toBe("{}");
  });

  it.each([[null], [7], ["text"], [[1, "two"]], [{ name: 5 }]])("%j is what it was", (entry) => {
    expect(scrubbedEntry(entry, scrubber)).toBe(JSON.stringify(entry));
  });
});

describe("an entry of a listing with redaction", () => {
  const redactor = redactorFor(true, undefined);
  const KEY = `sk-ant-${"aB3dE5gH7j".repeat(3)}`;

  it("loses what looks like a secret too, and its schema takes what it took", () => {
    const entry = scrubbedEntry(
      {
        name: "open",
        description: `Use ${SECRET} or ${KEY}; password: hunter22 works.`,
        inputSchema: {
          properties: { mode: { enum: ["a", KEY] }, password: { type: "string", default: "x" } },
        },
      },
      scrubber,
      redactor,
    );
    expect(entry).toBe(
      JSON.stringify({
        name: "open",
        description: `Use ${SCRUBBED} or ${SCRUBBED}; password: ${SCRUBBED} works.`,
        inputSchema: { properties: { mode: {}, password: { type: "string" } } },
      }),
    );
  });

  it("in whose name one stands keeps its place alone", () => {
    expect(scrubbedEntry({ name: KEY, description: "Runs." }, scrubber, redactor)).toBe("{}");
    expect(scrubbedEntry({ name: KEY }, scrubber)).toBe(JSON.stringify({ name: KEY }));
  });

  it.each([
    [null],
    [7],
    ["text"],
    [[1, "two"]],
    [{ name: 5 }],
    [{ name: "reset_password", inputSchema: true }],
  ])("%j is what it was", (entry) => {
    expect(scrubbedEntry(entry, scrubber, redactor)).toBe(JSON.stringify(entry));
  });

  it("judges a resource by its address, a template by its text and a prompt by its name", () => {
    const secret = `docs://${SECRET}/x`;
    expect(scrubbedEntry({ uri: secret, name: "x" }, scrubber, undefined, "resource")).toBe("{}");
    expect(scrubbedEntry({ uriTemplate: `${secret}{y}` }, scrubber, undefined, "template")).toBe("{}");
    expect(scrubbedEntry({ name: SECRET }, scrubber, undefined, "prompt")).toBe("{}");
    const named = scrubbedEntry({ uri: "docs://x", name: `of ${SECRET}` }, scrubber, undefined, "resource");
    expect(named).not.toContain(SECRET);
    expect(named).toContain("docs://x");
  });
});
