import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ServerConfig } from "../../src/config.ts";
import { toolReplay } from "../../src/dispatch/tool-facts.ts";
import { compileGlob, matchGlob } from "../../src/glob.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../../src/spine/replay/contract.ts";

const READS = { annotations: { readOnlyHint: true } };
const server = (replay: ServerConfig["replay"], trusted = false) => ({ replay, trust_hints: trusted });

describe("what may run again of a tool", () => {
  it.each<[string, ServerConfig["replay"], boolean, unknown, ReplayContract]>([
    ["nothing, by default", {}, false, {}, "never_replay"],
    ["nothing by a hint that is not believed", {}, false, READS, "never_replay"],
    ["all by a hint that is", {}, true, READS, "convergent"],
    ["what the operator says, without hints", { "get_*": "convergent" }, false, {}, "convergent"],
    ["what the operator says, against hints", { "get_*": "never_replay" }, true, READS, "never_replay"],
    [
      "what the first glob says",
      { get_me: "probe_required", "*": "convergent" },
      true,
      READS,
      "probe_required",
    ],
    ["what hints say, if no glob names it", { "set_*": "convergent" }, true, READS, "convergent"],
    ["nothing by a glob over its id", { "github:get_*": "convergent" }, false, {}, "never_replay"],
    ["nothing by a glob in another case", { "GET_*": "convergent" }, false, {}, "never_replay"],
    ["nothing if a text is no glob", { ["*".repeat(300)]: "convergent" }, true, READS, "never_replay"],
    ["nothing by a definition that is none", {}, true, "readOnlyHint", "never_replay"],
  ])("is %s", (_, replay, trusted, definition, contract) => {
    expect(toolReplay(server(replay, trusted), "get_me", definition)).toBe(contract);
  });

  it("is never more for a name of digits than the file says, though its key comes first in the object", () => {
    const replay = { "*": "never_replay", "7": "convergent" } as const;
    expect(Object.keys(replay)).toEqual(["7", "*"]);
    expect(toolReplay(server(replay), "7", {})).toBe("never_replay");
    expect(toolReplay(server({ "7": "convergent" }), "7", {})).toBe("convergent");
    expect(toolReplay(server({ "7": "never_replay", "*": "convergent" }), "7", {})).toBe("never_replay");
  });

  it("is what the first match in the file's order says, or stricter for a name of digits", () => {
    const globs = fc.constantFrom("*", "7", "1*", "*7", "17", "get_*", "get_me", "__proto", "constructor");
    const names = fc.constantFrom("7", "17", "1", "get_me", "constructor", "__proto__", "\ud800");
    const written = fc.uniqueArray(fc.tuple(globs, fc.constantFrom(...REPLAY_CONTRACTS)), {
      selector: ([glob]) => glob,
    });
    fc.assert(
      fc.property(written, names, (entries, name) => {
        const first = entries.find(([source]) => {
          const glob = compileGlob(source);
          return glob.ok && matchGlob(glob.value, name);
        });
        const expected = first?.[1] ?? "never_replay";
        const contract = toolReplay(server(Object.fromEntries(entries)), name, {});
        const isDigits = /^[0-9]+$/.test(name);
        const stricter = REPLAY_CONTRACTS.slice(REPLAY_CONTRACTS.indexOf(expected));
        expect(isDigits ? stricter : [expected]).toContain(contract);
      }),
    );
  });
});
