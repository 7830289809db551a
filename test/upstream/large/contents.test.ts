import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { LargePayload } from "../../../src/large-result.ts";
import { callUpstream } from "../../../src/upstream/connection.ts";
import { event, openStream, sendJson } from "../../support/hostile-upstream/server.ts";
import { io, KEPT, withUpstream } from "../rig.ts";
import { memorySinks, type MemorySinks } from "./memory-sinks.ts";
import { base64, long, resultOf, shown, TIGHT } from "./reading.ts";

const BOUNDS = { ...TIGHT, restBytes: 1_000_000 };

async function read(
  result: unknown,
  options: { readonly cuts?: readonly number[]; readonly bounds?: typeof TIGHT } = {},
) {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const { tree, sinks, budget } = await resultOf(text, { bounds: BOUNDS, main: "contents", ...options });
  return { tree: shown(tree, sinks), sinks, budget, raw: tree };
}

/** A content with its payload as it came, wherever that is. */
const whole = (content: unknown): unknown =>
  isRecord(content) &&
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      name === "text" || name === "blob" ? wholeAgain(value) : value,
    ]),
  );

/** A payload as it is shown: as it was where it is here, or what its store holds. */
function wholeAgain(value: unknown): unknown {
  const text = memberOf(value, "text");
  const bytes = memberOf(value, "bytes");
  return typeof value === "string" ? value : (text ?? bytes);
}

function firstIn(result: unknown): unknown {
  const contents = memberOf(result, "contents");
  return isJsonArray(contents) ? contents[0] : undefined;
}

describe("a resource's contents that are too large to hold", () => {
  it("have their payloads in the store, and everything else where it was", async () => {
    const contents = [
      { uri: "file:///a.txt", mimeType: "text/plain", text: long(1), _meta: { a: 1 } },
      { uri: "file:///b.png", mimeType: "image/png", blob: base64(300) },
      { uri: "file:///c", text: "short" },
      { text: long(2), type: "text", uri: "file:///d" },
    ];
    const { tree, sinks } = await read({ contents, _meta: { b: 2 }, content: [{ type: "text", text: "x" }] });
    expect(tree).toEqual({
      contents: [
        { ...contents[0], text: { text: long(1) } },
        { ...contents[1], blob: { bytes: base64(300) } },
        contents[2],
        { ...contents[3], text: { text: long(2) } },
      ],
      _meta: { b: 2 },
      content: [{ type: "text", text: "x" }],
    });
    expect(sinks.opened.map(({ form }) => form)).toEqual(["text", "bytes", "text"]);
  });

  it("are the same whatever they say and wherever the answer is cut", async () => {
    const payload = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.nat(60).map((times) =>
        long()
          .repeat(3)
          .slice(0, times * 20),
      ),
    );
    const meta = fc.record(
      {
        mimeType: fc.string({ maxLength: 5 }),
        type: fc.constantFrom("text", "image", "resource"),
        resource: fc.constantFrom([], { a: 1 }, "x", { text: "t", blob: "YQ==" }),
        payload: fc.string({ maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    const content = fc.oneof(
      fc.tuple(meta, fc.record({ uri: fc.webUrl(), text: payload })),
      fc.tuple(meta, fc.record({ uri: fc.webUrl(), blob: fc.nat(900).map((bytes) => base64(bytes)) })),
    );
    const shuffled = content.chain(([said, carried]) => {
      const members = Object.entries({ ...said, ...carried });
      return fc
        .shuffledSubarray(members, { minLength: members.length })
        .map((all) => Object.fromEntries(all));
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(shuffled, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (contents, cuts) => {
          const { tree, sinks } = await read(
            { contents },
            { cuts, bounds: { ...BOUNDS, payloadBytes: 500 } },
          );
          const came = memberOf(tree, "contents");
          const again = isJsonArray(came) ? came.map((each) => whole(each)) : [];
          expect(again).toEqual(JSON.parse(JSON.stringify(contents)));
          expect(sinks.misuses).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("that are too many, or too large beside their payload, are contents with no address: nothing is lost", async () => {
    const contents = Array.from({ length: 40 }, (_, nth) => ({ uri: `a:${nth}`, text: long(nth) }));
    const many = await read({ contents });
    const all = JSON.stringify(many.tree);
    for (const { uri } of contents) expect(all).toContain(uri);
    const said = [...all.matchAll(/(\d+): all work/g)].map(([, nth]) => Number(nth));
    expect([...new Set(said)].toSorted((a, b) => a - b)).toEqual(contents.map((_, nth) => nth));
    const wide = { uri: "a:b", mimeType: "text/x", text: "small", _meta: { long: long() } };
    const { raw, tree } = await read({ contents: [wide] });
    const only = firstIn(raw);
    expect(memberOf(only, "text")).toBeInstanceOf(LargePayload);
    expect(tree).toMatchObject({ contents: [{ mimeType: "application/json" }] });
    expect(JSON.stringify(tree)).toContain("all work and no play");
  });

  it.each([
    ["nothing", '{"contents":null}', { contents: null }],
    ["an empty list", '{"contents":[]}', { contents: [] }],
    ["what are no contents", '{"contents":["a",1,null,[]]}', { contents: ["", Number.NaN, Number.NaN, []] }],
    [
      "the last of two",
      '{"contents":[{"uri":"a","text":"1"}],"contents":[{"uri":"b","text":"2"}]}',
      { contents: [{ uri: "b", text: "2" }] },
    ],
    [
      "the last of two payloads",
      `{"contents":[{"uri":"a","text":"${long(1)}","text":"${long(2)}"}]}`,
      { contents: [{ uri: "a", text: { text: long(2) } }] },
    ],
    [
      "a name like any other",
      '{"contents":[{"uri":"a","text":"1","__proto__":{"x":1}}]}',
      JSON.parse('{"contents":[{"uri":"a","text":"1","__proto__":{"x":1}}]}') as unknown,
    ],
  ])("may be %s", async (_, json, expected) => {
    const { tree, sinks } = await read(json);
    expect(tree).toEqual(expected);
    expect(sinks.misuses).toEqual([]);
  });
});

describe("reading a resource of 8 MB", () => {
  const MEGABYTES = 8;
  const line = `${"0123456789abcdef".repeat(64)}\\n`;
  const answer = (id: unknown) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"contents":[{"uri":"a:log","mimeType":"text/plain","text":"${line.repeat(MEGABYTES * 1_000)}"}]}}`;

  const readBig = async (framing: "json" | "event", sinks: MemorySinks | undefined) => {
    let report: Awaited<ReturnType<typeof callUpstream>> | undefined;
    await withUpstream(
      ({ rpcMethod, id }, response) => {
        if (rpcMethod !== "resources/read") return false;
        if (framing === "json") return sendJson(response, answer(id));
        openStream(response);
        response.end(event("SPLIT").replace('"SPLIT"', () => answer(id)));
        return true;
      },
      async (_, target) => {
        const call = { method: "resources/read", params: { uri: "a:log" } } as const;
        report = await callUpstream(target, KEPT, { ...call, ...(sinks && { sinks }) }, io());
      },
    );
    return report?.answer;
  };

  it.each(["json", "event"] as const)(
    "has its text in the store, however it is framed: %s",
    async (framing) => {
      const sinks = memorySinks();
      const got = await readBig(framing, sinks);
      if (got?.ok !== true) throw new Error(got?.reason.detail);
      expect(shown({ ...got.value, contents: [] }, sinks)).toEqual({ contents: [] });
      const only = firstIn(got.value);
      const payload = memberOf(only, "text");
      expect(payload).toBeInstanceOf(LargePayload);
      expect(payload).toMatchObject({ sizeBytes: (line.length - 1) * MEGABYTES * 1_000, form: "text" });
      expect({ uri: memberOf(only, "uri"), mimeType: memberOf(only, "mimeType") }).toEqual({
        uri: "a:log",
        mimeType: "text/plain",
      });
    },
  );

  it("is too large where there is no store for it", async () => {
    expect(await readBig("json", undefined)).toMatchObject({
      reason: { reason: "too_large", outcome: "completed" },
    });
  });
});
