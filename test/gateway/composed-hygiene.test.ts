import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, isRecord } from "../../src/json.ts";
import { fail, ok } from "../../src/result.ts";
import { fakeCatalog, fakeId } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway, jsonOf } from "../support/fake-gateway.ts";

/** What a text may hide, or do to a terminal, beside words. */
const EVIL = [
  "\u001b[31m",
  "\u001b]8;;https://evil.example\u0007",
  "\u001bP+q\u001b\\",
  "\u009b2J",
  "\u009d0;title\u009c",
  "\u0000",
  "\u0008\u0008",
  "\r\n",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u202e",
  "\u2066",
  "\u200e",
  "\u061c",
  "\u200b",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u115f",
  "\u3164",
  "\ufe00\ufe01\ufe0f\ufe0f",
  "\u200d\u200c\u200d",
  "\u{e0049}\u{e0047}",
  "\u{e0100}",
  "\ud800",
] as const;
const evil = fc
  .array(
    fc.oneof(fc.constantFrom(...EVIL), fc.constantFrom("kept 9 bytes", "next: x", "words", "é", "😀", " ")),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((pieces) => `a${pieces.join("b")}c`);

/** Whatever nobody sees, but a line's end, a tab, and what scripts and emoji are spelt with. */
const SPELLING = String.raw`(?:\p{Join_Control}|\p{Variation_Selector})`;
const HIDDEN = new RegExp(
  String.raw`(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!${SPELLING})[\p{Cf}\p{Default_Ignorable_Code_Point}]|${SPELLING}{3}|[a-z]${SPELLING}`,
  "u",
);

/** Every string of a value, names of members too. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) return value.flatMap(stringsIn);
  return isRecord(value) ? [...Object.keys(value), ...Object.values(value).flatMap(stringsIn)] : [];
}

/** Of what a model reads; what programs get beside it is the same, exact. */
function hiddenIn(answer: unknown): string[] {
  return stringsIn(isRecord(answer) ? (answer["content"] ?? null) : answer).filter((text) =>
    HIDDEN.test(text),
  );
}

const NAMED = { namespace: "files", name: "read_file" };

describe("what the gateway composes shows nothing that nobody sees", () => {
  const law = (check: (text: string) => Promise<void>, numRuns = 120): Promise<void> =>
    fc.assert(fc.asyncProperty(evil, check), { numRuns });

  it("in cards, and what is browsed by them", async () => {
    await law(async (text) => {
      const catalog = fakeCatalog([
        {
          ...NAMED,
          description: text,
          annotations: { title: text },
          inputSchema: { type: "object", properties: { [text]: { description: text } } },
        },
        { namespace: "files", name: "other", description: `${text} read` },
      ]);
      const { surface } = fakeGateway({ catalog });
      const { context } = fakeCaller();
      for (const args of [
        { query: "read" },
        { query: text },
        { path: "/" },
        { path: "/files" },
        { path: text },
      ])
        for (const render of ["porcelain", "json"])
          expect(hiddenIn(await surface.call("tool_browse", { ...args, render }, context))).toEqual([]);
    });
  });

  it("in cards of resources and prompts, and in what says that one is none", async () => {
    await law(async (text) => {
      const catalog = fakeCatalog({
        resources: [
          {
            namespace: "fs",
            uri: "file:///a.md",
            name: text,
            title: text,
            description: text,
            mimeType: text,
          },
        ],
        templates: [{ namespace: "fs", uriTemplate: "demo://item/{id}", name: text, description: text }],
        prompts: [
          {
            namespace: "fs",
            name: "sum",
            title: text,
            description: text,
            arguments: [{ name: "a", description: text }],
          },
        ],
      });
      const { surface } = fakeGateway({ catalog });
      const { context } = fakeCaller();
      for (const [tool, args] of [
        ["resource_browse", { path: "/" }],
        ["resource_browse", { path: "/fs" }],
        ["resource_browse", { query: text }],
        ["resource_read", { uri: text }],
        ["resource_read", { uri: `demo://item/${text}` }],
        ["prompt_browse", { path: "/fs" }],
        ["prompt_browse", { query: text }],
        ["prompt_get", { prompt_id: text }],
        ["prompt_get", { prompt_id: `prompt::fs:${text}`, args: { [text]: text } }],
      ] as const)
        expect(hiddenIn(await surface.call(tool, args, context))).toEqual([]);
    });
  });

  it("in what says that a call waits for a person, and that one is denied", async () => {
    await law(async (text) => {
      const config = {
        mcpServers: { files: { url: "https://files.example/mcp" } },
        gateway: { policy: [{ match: { tool: "files:read_*" }, action: "require_approval" }] },
      };
      const tool = { ...NAMED, description: text };
      const { surface } = fakeGateway({ catalog: fakeCatalog([tool]), config });
      const answer = await surface.call(
        "tool_execute",
        { tool_id: fakeId(tool), args: { [text]: text } },
        fakeCaller().context,
      );
      expect(hiddenIn(answer)).toEqual([]);
    }, 40);
  });

  it("in what says that arguments are wrong, the schema with it, and in a dry run's report", async () => {
    await law(async (text) => {
      const tool = {
        ...NAMED,
        description: text,
        inputSchema: {
          type: "object",
          properties: { [text]: { type: "integer", description: text, title: text }, k: { enum: [text] } },
          required: [text],
        },
      };
      const { surface } = fakeGateway({ catalog: fakeCatalog([tool]) });
      const { context } = fakeCaller();
      for (const args of [{}, { [text]: text }, { k: text }, { [text]: 1 }])
        for (const dry_run of [false, true]) {
          const answer = await surface.call(
            "tool_execute",
            { tool_id: fakeId(tool), args, dry_run },
            context,
          );
          expect(hiddenIn(answer)).toEqual([]);
        }
    });
  });

  it("in what says that a tool, a handle or a selector is none", async () => {
    await law(async (text) => {
      const { surface } = fakeGateway({ catalog: fakeCatalog([NAMED]) });
      const { context } = fakeCaller();
      const answers = [
        await surface.call("tool_execute", { tool_id: text, args: {} }, context),
        await surface.call("tool_execute", { tool_id: `files:${text}`, args: {} }, context),
        await surface.call("tool_view", { handle: text, selector: { type: "head" } }, context),
        await surface.call("tool_view", { handle: "1".repeat(27), selector: { type: text } }, context),
        await surface.call("tool_view", { handle: "1".repeat(27), selector: { [text]: text } }, context),
        await surface.call("tool_browse", { [text]: text }, context),
      ];
      for (const answer of answers) expect(hiddenIn(answer)).toEqual([]);
    });
  });

  it("in summaries, labels and facts of large results, and in the lines below them", async () => {
    const big = (text: string): readonly Record<string, unknown>[] => {
      const many = Array.from({ length: 300 }, (_, id) => ({ id, [text]: `${text} ${id}` }));
      const rows = many.map(({ id }) => `${id},${text.replaceAll(/["\r\n]/g, "")}`).join("\n");
      return [
        { content: [{ type: "text", text: `${text}\n`.repeat(900) }] },
        {
          content: [{ type: "text", text: JSON.stringify(many) }],
          structuredContent: { [text]: text, many },
        },
        { content: [{ type: "text", text: `id,${text}\n${rows}` }] },
        { content: [{ type: "text", text: `running 9 tests\nerror: ${text}\n${"words\n".repeat(1_500)}` }] },
        {
          content: [
            { type: "text", text: `Name:  ${text}\nKind:  ${text}\nSize:  1\nDate:  2\n`.repeat(300) },
          ],
        },
        {
          content: [
            {
              type: "resource",
              resource: { uri: `file:///${text}`, mimeType: text, text: "words ".repeat(2_000) },
            },
            { type: "resource_link", uri: `file:///${text}`, name: text, title: text, description: text },
          ],
        },
      ];
    };
    await law(async (text) => {
      for (const result of big(text)) {
        const { surface } = fakeGateway({ catalog: fakeCatalog([NAMED]), answer: () => ok(result) });
        const answer = await surface.call(
          "tool_execute",
          { tool_id: fakeId(NAMED), args: {} },
          fakeCaller().context,
        );
        const content = answer?.content;
        const composed = isJsonArray(content)
          ? content.filter((part) => isRecord(part) && part["type"] === "text")
          : [];
        expect(hiddenIn(composed)).toEqual([]);
      }
    }, 40);
  });

  it("in what says that a server failed", async () => {
    await law(async (text) => {
      const { surface } = fakeGateway({
        catalog: fakeCatalog([NAMED]),
        answer: () => fail({ reason: "rpc_error", code: -32_000, outcome: "completed", detail: text }),
      });
      const answer = await surface.call(
        "tool_execute",
        { tool_id: fakeId(NAMED), args: {} },
        fakeCaller().context,
      );
      expect(hiddenIn(answer)).toEqual([]);
      expect(Object.keys(jsonOf(answer))[0]).toBe("error");
    }, 40);
  });
});
