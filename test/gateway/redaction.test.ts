import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import type { LargeSinks } from "../../src/large-result.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog } from "../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, fakeGateway, listOf, textOf } from "../support/fake-gateway.ts";
import { ID, LARGE, PNG, text, TOOL } from "../support/tool-results.ts";
import { code, jsonWithSecrets, MARK, PLANTED } from "../scrub/planted-secrets.ts";

const KEY = `sk-ant-${code(40)}`;
const WHOLE_TEXT = { type: "head", chars: 1_000_000 };

interface Options {
  readonly gateway?: boolean;
  readonly server?: boolean;
  readonly render?: string;
  readonly stream?: (sinks: LargeSinks) => Promise<Record<string, unknown>>;
}

async function run(result: Record<string, unknown>, { gateway, server, render, stream }: Options) {
  const block = { url: "https://files.example.com/mcp", ...(server === undefined ? {} : { redact: server }) };
  const made = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    answer: () => ok(result),
    ...(stream === undefined ? {} : { stream }),
    config: {
      mcpServers: { [TOOL.namespace]: block },
      ...(gateway === undefined ? {} : { gateway: { redact: gateway } }),
    },
  });
  const caller = fakeCaller();
  const args = { tool_id: ID, ...(render === undefined ? {} : { render }) };
  const answer = await made.surface.call("tool_execute", args, caller.context);
  const view = async (handle: unknown) =>
    textOf(await made.surface.call("tool_view", { handle, selector: WHOLE_TEXT }, caller.context));
  return { answer, view, caller, ...made };
}

const redactionsOf = (answer: Parameters<typeof envelopeOf>[0]): unknown =>
  memberOf(memberOf(envelopeOf(answer), "provenance"), "redactions");
const handleOf = (answer: Parameters<typeof envelopeOf>[0]): unknown =>
  memberOf(listOf(envelopeOf(answer), "artifacts")[0], "handle");

const RESULT = {
  content: [
    text(`The key is ${KEY}, and the password: hunter22.`),
    PNG,
    { type: "resource_link", uri: "https://ada:pw@example.com/", name: "a" },
  ],
  structuredContent: { user: "ada", password: "pw", nextPageToken: "abc", count: 1 },
  _meta: { "example.com/session": { api_key: "abc" } },
};

describe("a result of a server with redaction", () => {
  it("loses secrets in all of its parts, and says how many", async () => {
    const { answer } = await run(RESULT, { gateway: true });
    expect(answer?.content.slice(0, 3)).toEqual([
      text(`The key is ${MARK}, and the password: ${MARK}`),
      PNG,
      { type: "resource_link", uri: `https://ada:${MARK}@example.com/`, name: "a" },
    ]);
    expect(redactionsOf(answer)).toBe(5);
    const all = JSON.stringify(answer);
    for (const secret of [KEY, "hunter22", ":pw@", '"pw"']) expect(all).not.toContain(secret);
    expect(all).toContain('"nextPageToken":"abc"');
  });

  it("is an error that loses them too", async () => {
    const { answer } = await run(
      { content: [text(`refused: token=${KEY}`)], isError: true },
      { server: true },
    );
    expect(answer).toMatchObject({ content: [text(`refused: token=${MARK}`)], isError: true });
    expect(redactionsOf(answer)).toBe(1);
  });

  it("is kept without them, and shows none in a view", async () => {
    const { answer, artifacts, view } = await run(
      { content: [text(`${LARGE}\npassword: hunter22, ${KEY}`)] },
      { gateway: true },
    );
    const seen = await view(handleOf(answer));
    expect(
      JSON.stringify([
        answer,
        seen,
        [...artifacts.objects.values()].map(({ bytes }) => new TextDecoder().decode(bytes)),
      ]),
    ).not.toMatch(/hunter22|sk-ant-a/);
    expect(redactionsOf(answer)).toBe(2);
  });

  it("counts what was taken out of it alone, not of payloads that it did not become", async () => {
    const encoder = new TextEncoder();
    const stream = async (sinks: LargeSinks) => {
      const lines = encoder.encode("An answer that nobody can hold, line by line.\n".repeat(2_000));
      const write = async (last: string) => {
        const sink = sinks.open("text", undefined);
        for (let sent = 0; sent < 50; sent += 1) await sink.write(lines);
        await sink.write(encoder.encode(last));
        return sink;
      };
      // A try that broke off, and another message of the same stream.
      await (await write("password: hunter22\n")).abort();
      await (await write("password: hunter23\n")).close();
      return { content: [{ type: "text", text: await (await write("password: hunter24\n")).close() }] };
    };
    const { answer } = await run({}, { gateway: true, stream });
    expect(redactionsOf(answer)).toBe(1);
  });

  it("is too large to hold, and loses them on its way", async () => {
    const line = "An answer that nobody can hold, line by line.\n";
    const stream = async (sinks: LargeSinks) => {
      const sink = sinks.open("text", undefined);
      const encoder = new TextEncoder();
      for (let sent = 0; sent < 5_000_000; sent += 100_000)
        await sink.write(encoder.encode(`${line.repeat(2_000)}token: ${KEY.slice(0, 10)}`));
      await sink.write(encoder.encode(`\npassword: hunter22\n`));
      return { content: [{ type: "text", text: await sink.close() }] };
    };
    const { answer, artifacts } = await run({}, { gateway: true, stream });
    expect(redactionsOf(answer)).toBe(51);
    const kept = [...artifacts.objects.values()].map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
    expect(kept).toContain(line);
    expect(kept.split(MARK).length - 1).toBe(51);
    expect(kept).not.toMatch(/hunter22|sk-ant-a/);
  });

  it.each(["porcelain", "json"])("never shows one, whatever the result, as %s", async (render) => {
    await fc.assert(
      fc.asyncProperty(jsonWithSecrets, jsonWithSecrets, async (structured, told) => {
        const result = {
          content: [text(JSON.stringify([told])), text(JSON.stringify([LARGE, told]))],
          structuredContent: { structured },
        };
        const { answer, view } = await run(result, { gateway: true, render });
        const all = JSON.stringify([answer, await view(handleOf(answer))]);
        for (const secret of PLANTED) expect(all).not.toContain(secret);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a result without redaction", () => {
  it.each([{}, { gateway: false }, { gateway: true, server: false }, { server: false }])(
    "is untouched: %j",
    async (options) => {
      const { answer } = await run(RESULT, options);
      expect(JSON.stringify(answer?.content.slice(0, 3))).toBe(JSON.stringify(RESULT.content));
      expect(memberOf(envelopeOf(answer), "structured_content")).toEqual(RESULT.structuredContent);
      expect(redactionsOf(answer)).toBeUndefined();
      expect(JSON.stringify(answer)).not.toContain(MARK);
    },
  );

  it("counts nothing where there was nothing", async () => {
    const { answer } = await run({ content: [text("hello")] }, { gateway: true });
    expect(answer?.content).toEqual([text("hello")]);
    expect(redactionsOf(answer)).toBeUndefined();
  });
});
