import { describe, expect, it } from "vitest";
import { scrubbedEntry } from "../../src/http/scrubbed-entry.ts";
import { createScrubber, SCRUBBED } from "../../src/scrub/scrub.ts";

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
