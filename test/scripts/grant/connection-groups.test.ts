import { describe, expect, it } from "vitest";
import { connectionsOf } from "../../../scripts/grant/connection-groups.ts";

/** `connection A`, `stream x:f,g`, … */
function wordsOf(text: string) {
  return text.split(/ (?=connection|stream|resource)/).map((word) => {
    const [name = "", value = ""] = word.split(" ");
    return { name, value };
  });
}

describe("the words of a grant", () => {
  it.each([
    ["connection a stream x", [["a", [{ name: "x" }]]]],
    ["connection a stream *", [["a", [{ name: "*" }]]]],
    [
      "connection a connection b stream x:f,g",
      [
        ["a", [{ name: "x", fields: ["f", "g"] }]],
        ["b", [{ name: "x", fields: ["f", "g"] }]],
      ],
    ],
    [
      "connection a stream x connection b stream y stream z",
      [
        ["a", [{ name: "x" }]],
        ["b", [{ name: "y" }, { name: "z" }]],
      ],
    ],
    [
      "connection a stream x connection b",
      [
        ["a", [{ name: "x" }]],
        ["b", [{ name: "x" }]],
      ],
    ],
    [
      "stream x connection a connection b stream y",
      [
        ["a", [{ name: "y" }]],
        ["b", [{ name: "y" }]],
      ],
    ],
    ["stream x connection a", [["a", [{ name: "x" }]]]],
    [
      "stream x resource x:1:2 connection a connection b",
      [
        ["a", [{ name: "x", resources: ["1:2"] }]],
        ["b", [{ name: "x", resources: ["1:2"] }]],
      ],
    ],
    [
      "connection a stream x resource x:1 resource x:2 connection b stream x",
      [
        ["a", [{ name: "x", resources: ["1", "2"] }]],
        ["b", [{ name: "x" }]],
      ],
    ],
  ])("in their order: %s", (text, expected) => {
    expect(
      connectionsOf(wordsOf(text)).map(({ connection_id, streams }) => [connection_id, streams]),
    ).toEqual(expected);
  });

  it.each([
    ["connection a", "--connection a has no --stream"],
    ["connection a stream x connection b stream y connection c", "--connection c has no --stream"],
    ["connection a stream x resource y:1", "name its stream with --stream first"],
    ["connection a stream x resource x", "--resource takes STREAM:KEY"],
    ["connection a stream x:", "--stream takes S or S:field,field"],
  ])("that cannot be meant are told: %s", (text, problem) => {
    expect(() => connectionsOf(wordsOf(text))).toThrow(problem);
  });
});
