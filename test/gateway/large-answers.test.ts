import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import type { LargeForm, LargePayload, LargeSinks } from "../../src/large-result.ts";
import { ok } from "../../src/result.ts";
import { fakeCatalog } from "../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, fakeGateway, textOf } from "../support/fake-gateway.ts";
import { ID, keptOf, TOOL } from "../support/tool-results.ts";

const MIB = 1_048_576;
const encoder = new TextEncoder();
const LINE = "An answer that nobody can hold, line by line.\n";

/** Sends a payload of that size, in pieces that respect no border. */
async function payload(
  sinks: LargeSinks,
  form: LargeForm,
  sizeBytes: number,
  unit = LINE,
): Promise<LargePayload> {
  const sink = sinks.open(form, undefined);
  const piece = encoder.encode(unit.repeat(Math.ceil(100_000 / unit.length)));
  for (let sent = 0; sent < sizeBytes; sent += piece.length) {
    await sink.write(piece.subarray(0, Math.min(piece.length, sizeBytes - sent)));
  }
  return sink.close();
}

async function call(
  stream: (sinks: LargeSinks) => Promise<Record<string, unknown>>,
  options: { artifacts?: object; secrets?: readonly string[]; broken?: boolean; allow?: number } = {},
) {
  const gateway = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    stream,
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(options.artifacts === undefined ? {} : { config: { gateway: { artifacts: options.artifacts } } }),
  });
  gateway.artifacts.broken = options.broken ?? false;
  const caller = fakeCaller(
    options.allow === undefined ? {} : { allowance: { bytes: options.allow, count: 32 } },
  );
  const answer = await gateway.surface.call("tool_execute", { tool_id: ID }, caller.context);
  return { answer, caller, ...gateway };
}

const largeText = async (sinks: LargeSinks) => ({
  content: [{ type: "text", text: await payload(sinks, "text", 12 * MIB) }],
});

describe("an answer that is too large to hold", () => {
  it("is summarised, kept in parts and found by its handle, like any other", async () => {
    const { answer, artifacts, caller, surface, buffers } = await call(largeText);
    expect(keptOf(answer, 1)).toMatchObject({ type: "text/plain", size: 12 * MIB });
    expect(artifacts.calls.filter((each) => each === "part").length).toBe(2);
    expect(artifacts.uploads.size).toBe(0);
    expect(caller.reports[0]?.artifacts).toMatchObject([{ sizeBytes: 12 * MIB, toolId: ID }]);
    expect(envelopeOf(answer)).toMatchObject({ status: "ok", firewall_stats: { original_bytes: 12 * MIB } });
    const { handle } = keptCall(answer);
    const selector = { type: "lines", start: -2, end: -1 };
    const view = await surface.call("tool_view", { handle, selector }, caller.context);
    expect(textOf(view)).toBe(LINE);
    expect(buffers.held()).toBe(0);
  });

  it("has structured content and binary parts of any size beside it", async () => {
    const { answer } = await call(async (sinks) => ({
      content: [
        { type: "text", text: "three things" },
        { type: "image", mimeType: "image/png", data: await payload(sinks, "bytes", 6 * MIB, "\u0001png") },
        { type: "hologram", payload: await payload(sinks, "json", 5 * MIB, "1 ") },
      ],
      structuredContent: await payload(sinks, "json", 5 * MIB, "[] "),
      _meta: await payload(sinks, "json", 200_000, "{} "),
    }));
    expect(textOf(answer)).toBe("three things");
    expect([1, 2, 3, 4].map((part) => keptOf(answer, part).type)).toEqual([
      "application/json",
      "image/png",
      "application/json",
      "application/json",
    ]);
  });

  it("is stored once when it comes again", async () => {
    const { artifacts, surface, caller, answer } = await call(largeText);
    const again = await surface.call("tool_execute", { tool_id: ID }, caller.context);
    expect(textOf(again, 1)).toBe(textOf(answer, 1));
    expect([artifacts.objects.size, artifacts.uploads.size]).toEqual([1, 0]);
  });

  it("leaves without a configured secret, wherever that stands", async () => {
    const secret = "s3cr3t-value-of-the-operator";
    const stream = async (sinks: LargeSinks) => {
      const sink = sinks.open("text", undefined);
      for (let at = 0; at < 90; at += 1) {
        await sink.write(encoder.encode("x".repeat(70_000) + secret.slice(0, 9)));
        await sink.write(encoder.encode(`${secret.slice(9)}\n`));
      }
      return { content: [{ type: "text", text: await sink.close() }] };
    };
    const { artifacts, answer } = await call(stream, { secrets: [secret] });
    const [object] = artifacts.objects.values();
    const kept = Buffer.from(object?.bytes ?? new Uint8Array()).toString();
    expect(kept.includes(secret.slice(0, 12))).toBe(false);
    expect(kept.split("[REDACTED-SECRET]").length).toBe(91);
    expect(keptOf(answer, 1).size).toBe(object?.bytes.length);
  });

  it.each([
    ["a store that does not answer", { broken: true }, "the artifact store did not answer"],
    ["a principal with no room for it", { allow: 11 * MIB }, "the quota for kept results has no room for it"],
  ])("and cannot be kept loses no answer: %s", async (_, options, why) => {
    const { answer, artifacts, caller, log, buffers } = await call(largeText, options);
    expect(textOf(answer).startsWith(LINE.repeat(20))).toBe(true);
    expect(Array.from(textOf(answer)).length).toBeLessThanOrEqual(4_000);
    expect(textOf(answer, 1)).toBe(`not kept text/plain ${12 * MIB} bytes: ${why}`);
    expect(envelopeOf(answer)).toMatchObject({ status: "partial", artifacts: [] });
    expect([artifacts.objects.size, artifacts.uploads.size]).toEqual([0, 0]);
    expect(caller.reports.every(({ artifacts: rows }) => rows === undefined)).toBe(true);
    expect(log.length).toBe(1);
    expect(buffers.held()).toBe(0);
  });

  it("and finds no room in memory beside others is counted, and not kept", async () => {
    const many = async (sinks: LargeSinks) => ({
      content: await Promise.all(
        Array.from({ length: 8 }, async (_, n) => ({
          type: "resource",
          resource: { uri: `a:${n}`, text: await payload(sinks, "text", 5 * MIB, `${n} ${LINE}`) },
        })),
      ),
    });
    const { answer, artifacts, buffers } = await call(many);
    const lines = (answer?.content ?? []).map((part) => String(memberOf(part, "text")));
    const kept = lines.filter((line) => line.startsWith("kept text/plain"));
    const lost = lines.filter(
      (line) => line === `not kept text/plain ${5 * MIB} bytes: too many large results were read at once`,
    );
    expect(kept.length).toBeGreaterThan(1);
    expect(lost.length).toBe(8 - kept.length);
    expect([artifacts.objects.size, artifacts.uploads.size]).toEqual([kept.length, 0]);
    expect(buffers.held()).toBe(0);
  });

  it("of a tool that failed stays an error", async () => {
    const { answer } = await call(async (sinks) => ({ ...(await largeText(sinks)), isError: true }));
    expect(answer?.isError).toBe(true);
    expect(envelopeOf(answer)["status"]).toBe("error");
  });

  it("and is no legal result leaves nothing behind", async () => {
    const { answer, artifacts, buffers } = await call(async (sinks) => ({
      content: [{ type: 7, text: await payload(sinks, "text", 6 * MIB) }],
    }));
    expect(answer?.isError).toBe(true);
    expect([artifacts.objects.size, artifacts.uploads.size]).toEqual([0, 0]);
    expect(buffers.held()).toBe(0);
  });

  it("is not used again out of the cache", async () => {
    const gateway = fakeGateway({
      catalog: fakeCatalog([TOOL]),
      stream: largeText,
      answer: () => ok({}),
      config: { gateway: { cache: { read_only: true, allow: ["files:*"] } } },
    });
    const { context } = fakeCaller();
    for (let round = 0; round < 2; round += 1) {
      await gateway.surface.call("tool_execute", { tool_id: ID }, context);
    }
    expect(gateway.calls.length).toBe(2);
  });
});

function keptCall(answer: Parameters<typeof keptOf>[0]): { readonly handle: unknown } {
  return { handle: memberOf(keptOf(answer, 1).call, "handle") };
}

describe("an operator's rule for an answer that is too large to hold", () => {
  const artifacts = { keep: { [`${ID.split(":", 1)[0] ?? ""}:*`]: ["$.items[0:2].id", "$.total"] } };
  const item = '{"id":7,"body":"An answer that nobody can hold."},';
  const json = async (sinks: LargeSinks, form: LargeForm) => {
    const sink = sinks.open(form, undefined);
    await sink.write(encoder.encode('{"items":['));
    for (let sent = 0; sent < 5 * MIB; sent += 1_000 * item.length)
      await sink.write(encoder.encode(item.repeat(1_000)));
    await sink.write(encoder.encode('{"id":8}],"total":12}'));
    return sink.close();
  };

  it("shows exactly those parts, and the whole is kept", async () => {
    const text = await call(
      async (sinks) => ({ content: [{ type: "text", text: await json(sinks, "text") }] }),
      { artifacts },
    );
    expect(textOf(text.answer)).toBe('{"items":[{"id":7},{"id":7}],"total":12}');
    const structured = await call(async (sinks) => ({ structuredContent: await json(sinks, "json") }), {
      artifacts,
    });
    expect(textOf(structured.answer)).toBe('{"items":[{"id":7},{"id":7}],"total":12}');
    expect(keptOf(structured.answer, 1).size).toBeGreaterThan(5 * MIB);
  });

  it.each([
    ["a path that cannot be followed", ["$.items[?@.id==8].id", "$.total"], '{"total":12}', "filters"],
    ["such a path alone", ["$..id"], "JSON object", "filters"],
    ["too much", ["$.items[*].body"], "JSON object", "too much"],
  ])("is said not to be met by %s, to the model and the operator", async (_, paths, begins, why) => {
    const { answer, log } = await call(
      async (sinks) => ({ content: [{ type: "text", text: await json(sinks, "text") }] }),
      { artifacts: { keep: { "*": paths } } },
    );
    expect(textOf(answer).startsWith(begins)).toBe(true);
    const said = JSON.stringify(answer?.content);
    const note = `not all that artifacts.keep selects ${why === "filters" ? "may be" : "is"} shown`;
    expect(said).toContain(note);
    expect(said).toContain(why);
    expect(String(envelopeOf(answer)["summary"])).toContain(note);
    expect(log.join("\n")).toContain(`${ID}: ${note}`);
  });

  it("sees what was taken out of it as everybody does", async () => {
    const { answer } = await call(async (sinks) => ({ structuredContent: await json(sinks, "json") }), {
      artifacts: { keep: { "*": ["$.items[0].body"] } },
      secrets: ["nobody can hold"],
    });
    expect(textOf(answer)).toMatch(/^\{"items":\[\{"body":"An answer that \[[^\]]+\]\."\}\]\}$/);
  });
});
