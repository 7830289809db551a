import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import {
  artifactsOf,
  envelopeOf,
  jsonOf,
  LARGE,
  message,
  run,
  shownOf,
  SUMMARY,
  SUMMARY_ID,
  text,
  textOf,
} from "./kit.ts";

const IMAGE = {
  type: "image",
  data: Buffer.from("a small picture").toString("base64"),
  mimeType: "image/png",
};
const EMBEDDED = { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", text: "embedded" } };
const LINK = { type: "resource_link", uri: "a:c", name: "c" };

describe("a prompt", () => {
  it("of one message is its text, asked for by its own name with its arguments", async () => {
    const { get, requests } = run({ result: { messages: [message("user", text("Summarise r."))] } });
    const answer = await get({ repo: "r", style: "short" });
    expect(answer?.content).toEqual([text("Summarise r.")]);
    expect(requests()).toEqual([
      {
        server: "fs",
        method: "prompts/get",
        params: { name: SUMMARY.name, arguments: { repo: "r", style: "short" } },
      },
    ]);
  });

  it("of several by one role has a part for each, in order, and no line of ours", async () => {
    const messages = [message("assistant", text("a")), message("assistant", text("b"))];
    expect((await run({ result: { messages } }).get())?.content).toEqual([text("a"), text("b")]);
  });

  it("of several roles tells the role wherever it changes, and keeps pictures, resources and links", async () => {
    const messages = [
      message("user", text("Look:")),
      message("user", EMBEDDED),
      message("assistant", IMAGE),
      message("assistant", LINK),
      message("user", text("Well?")),
    ];
    const answer = await run({ result: { messages } }).get();
    expect(shownOf(answer)).toEqual([
      "user:",
      "Look:",
      EMBEDDED,
      "assistant:",
      IMAGE,
      LINK,
      "user:",
      "Well?",
    ]);
  });

  it("in JSON has itself as structured content, as MCP has it, where it fits", async () => {
    const messages = [
      message("user", text("a"), { _meta: { n: 1 } }),
      message("assistant", [text("b"), IMAGE]),
    ];
    const result = { description: "What it is", messages };
    const answer = await run({ result }).get({ repo: "r" }, { render: "json" });
    expect(memberOf(answer?.structuredContent, "structured_content")).toEqual(result);
    expect(envelopeOf(answer)["summary"]).toBe("user:\na\nassistant:\nb");
    const large = await run({ result: { messages: [message("user", text(LARGE))] } }).get(
      { repo: "r" },
      { render: "json" },
    );
    expect(envelopeOf(large)).not.toHaveProperty("structured_content");
  });

  it("that is large is summarised and kept with its roles, under its name", async () => {
    const messages = [
      message("user", text(LARGE)),
      message("assistant", text("Yes.")),
      message("user", IMAGE),
    ];
    const { get, artifacts, caller } = run({ result: { messages } });
    const answer = await get();
    const [kept, ...others] = artifactsOf(answer);
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ type: "text/plain", label: `prompt ${SUMMARY.name}` });
    const [stored] = [...artifacts.objects.values()];
    const bytes = new TextDecoder().decode(stored?.bytes);
    expect(bytes).toBe(`user:\n${LARGE}\nassistant:\nYes.\nuser:`);
    expect(caller.rows.get(String(kept?.handle))?.toolId).toBe(SUMMARY_ID);
    expect(answer?.content.at(-1)).toEqual(IMAGE);
  });

  it("that is large is said to be so many messages of which roles, whatever its beginning looks like", async () => {
    const paragraph = "Please look at the numbers below.";
    const turns = Array.from({ length: 40 }, (_, at) =>
      message(at % 2 === 0 ? "user" : "assistant", text(`${paragraph}\n\n${"more of it ".repeat(40)}`)),
    );
    const answer = await run({ result: { messages: turns } }).get();
    expect(textOf(answer)).toBe(`40 messages: 20 user, 20 assistant\n\nuser:\n${paragraph}`);
    const one = [message("user", text(`a: 1\n${LARGE}`)), message("user", text("b"))];
    expect(textOf(await run({ result: { messages: one } }).get())).toMatch(/^2 messages: 2 user\n\na: 1/);
    const odd = Array.from({ length: 9 }, (_, at) => message(`r${at}\n`, text(LARGE)));
    expect(textOf(await run({ result: { messages: odd } }).get())).toMatch(
      /^9 messages: 1 r0, 1 r1, 1 r2, 1 r3 and 5 roles more\n/,
    );
  });

  it("of one message is summarised as what its text is", async () => {
    const rows = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: `n${id}` })));
    const answer = await run({ result: { messages: [message("user", text(rows))] } }).get();
    expect(textOf(answer)).toMatch(/^JSON.*2,000/);
  });

  it("of no messages says so in one line", async () => {
    const answer = await run({ result: { messages: [] } }).get();
    expect(shownOf(answer)).toEqual(["the prompt is empty: its server answered with no messages"]);
    expect(answer).not.toHaveProperty("isError");
  });

  it("with roles that are somebody's own words tells them in one bounded line", async () => {
    const messages = [message("a\nkept\u202e", text("x")), message("b".repeat(10_000), text("y"))];
    const [first, , second] = shownOf(await run({ result: { messages } }).get());
    expect(first).toBe("a kept:");
    expect(String(second).length).toBeLessThan(100);
  });

  it("is never an envelope or structured content by its server's word", async () => {
    const result = {
      messages: [message("user", text("a"))],
      isError: 1,
      structuredContent: { evil: 1 },
      _meta: { "loomgate/envelope": {}, trace: 1 },
    };
    const answer = await run({ result }).get();
    expect(answer?.content).toEqual([text("a")]);
    for (const name of ["isError", "structuredContent"]) expect(answer).not.toHaveProperty(name);
    expect(answer?.["_meta"]).toMatchObject({ trace: 1, "loomgate/result": { isError: 1 } });
    expect(envelopeOf(answer)["status"]).toBe("ok");
  });

  it.each([
    ["no messages", { description: "d" }],
    ["messages that are no list", { messages: {} }],
    ["messages that the server calls an error", { messages: [message("user", text("a"))], isError: true }],
    ["no messages but an error", { messages: [], isError: true }],
    ["a message without a role", { messages: [{ content: text("a") }] }],
    ["a message whose content is a text alone", { messages: [message("user", "a")] }],
    ["a text that is none", { messages: [message("user", { type: "text", text: 7 })] }],
    ["a content without a type", { messages: [message("user", {})] }],
    ["contents in the shape of a resource's", { contents: [{ uri: "a:b", text: "a" }] }],
  ])("is UPSTREAM_ERROR for %s", async (_, result) => {
    const { get, caller } = run({ result });
    const answer = await get();
    expect(answer?.isError).toBe(true);
    expect(jsonOf(answer)).toMatchObject({ error: "UPSTREAM_ERROR", path: SUMMARY_ID });
    expect(caller.told[0]?.event.event).toBe("prompt.failed");
  });

  it("is told as what it is, with the count of its arguments alone", async () => {
    const { get, caller } = run({ result: { messages: [message("user", text("a"))] } });
    await get({ repo: "hunter22" });
    expect(caller.told[0]?.event).toMatchObject({
      event: "prompt.completed",
      tool_id: SUMMARY_ID,
      attributes: { arg_count: 1, attempts: 1 },
    });
    const written = JSON.stringify(caller.told);
    expect(written).toContain('"method":"prompts/get"');
    expect(written).not.toContain("hunter22");
  });
});

describe("a prompt's arguments", () => {
  const errorsOf = async (args: object) => {
    const made = run({ result: { messages: [] } });
    const error = jsonOf(await made.get(args));
    expect(made.calls).toEqual([]);
    expect(error).toMatchObject({ error: "ARGS_INVALID", path: SUMMARY_ID });
    return error;
  };

  it("that are missing are named, with the schema, and nothing is asked", async () => {
    const error = await errorsOf({});
    expect(error["details"]).toEqual({
      errors: [{ path: "/repo", keyword: "required" }],
      schema: {
        type: "object",
        properties: { repo: { type: "string" }, style: { type: "string" } },
        required: ["repo"],
        additionalProperties: false,
      },
    });
    expect(error["message"]).toBe("the arguments do not satisfy the prompt's schema");
  });

  it("that are unknown, or no strings, are refused without their values", async () => {
    const unknown = await errorsOf({ repo: "r", hunter22: 1 });
    expect(memberOf(unknown["details"], "errors")).toEqual([
      { path: "/hunter22", keyword: "additionalProperties" },
    ]);
    const number = await errorsOf({ repo: 7.25 });
    expect(memberOf(number["details"], "errors")).toEqual([{ path: "/repo", keyword: "type" }]);
    expect(JSON.stringify(number)).not.toContain("7.25");
    await errorsOf({ repo: null });
  });

  it("that came as a text are read where arguments are repaired, and nowhere else", async () => {
    const config = { gateway: { tolerant_args: true } };
    const result = { messages: [message("user", text("a"))] };
    const ask = { prompt_id: SUMMARY_ID, args: '{"repo":"7"}' };
    const tolerant = run({ result, config });
    const answer = await tolerant.call("prompt_get", ask);
    expect(textOf(answer)).toBe("a");
    expect(tolerant.requests()[0]?.params["arguments"]).toEqual({ repo: "7" });
    expect(memberOf(envelopeOf(answer)["provenance"], "arg_repairs")).toEqual([
      { path: "$", rule: "parse_stringified_object" },
    ]);
    expect(jsonOf(await run({ result }).call("prompt_get", ask))).toMatchObject({ error: "ARGS_INVALID" });
  });

  it("of the meta-tools themselves are judged by the schemas that are listed", async () => {
    const { call, caller } = run();
    for (const [name, args, path] of [
      ["prompt_get", {}, "/prompt_id"],
      ["prompt_get", { prompt_id: 7 }, "/prompt_id"],
      ["resource_read", { uri: "a:b" }, "/resource_id"],
      ["resource_read", { resource_id: "a", dry_run: true }, "/dry_run"],
      ["resource_read", { resource_id: "a", args: null }, "/args"],
    ] as const) {
      const error = jsonOf(await call(name, args));
      expect(error).toMatchObject({ error: "ARGS_INVALID", path: "" });
      expect(JSON.stringify(error["details"])).toContain(JSON.stringify(path));
    }
    expect(new Set(caller.told.map(({ event }) => event.event))).toEqual(
      new Set(["prompt.failed", "read.failed"]),
    );
  });
});
