import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { INLINE_BYTES_PER_TOKEN, RESULT_META_MAX_BYTES } from "../../../src/limits.ts";
import { ok } from "../../../src/result.ts";
import { recordOf } from "../../support/fake-gateway.ts";
import { artifactsOf, envelopeOf, jsonOf, message, README_ID, run, shownOf } from "./kit.ts";

const uri = fc.oneof(fc.webUrl(), fc.string({ unit: "binary", maxLength: 300 }));
const mimeType = fc.constantFrom(
  "text/plain",
  "text/csv",
  "application/json",
  "image/png",
  "audio/wav",
  "x/y",
  "",
);
/** Mostly small, now and then more than is shown. */
const value = fc
  .tuple(fc.string({ unit: "binary", maxLength: 40 }), fc.constantFrom(1, 1, 1, 400, 6_000))
  .map(([unit, times]) => unit.repeat(times));
const rest = fc.record({ _meta: fc.dictionary(fc.string(), fc.jsonValue()) }, { requiredKeys: [] });
const textContent = fc.record({ uri, mimeType, text: value });
const blobContent = fc.record({
  uri,
  mimeType,
  blob: value.map((each) => Buffer.from(each).toString("base64")),
});
const contents = fc.array(
  fc.tuple(fc.oneof(textContent, blobContent), rest).map(([content, more]) => Object.assign(more, content)),
  { minLength: 1, maxLength: 6 },
);
const renders = fc.constantFrom("porcelain", "json");

/** Everything that a caller can get at: what is shown, what programs see, and what is kept, as bytes in one text each. */
function reachable(answer: Awaited<ReturnType<ReturnType<typeof run>["read"]>>, kept: Iterable<Uint8Array>) {
  const shown = shownOf(answer).flatMap((part) => {
    if (typeof part === "string") return [Buffer.from(part)];
    const blob = memberOf(part, "data") ?? memberOf(memberOf(part, "resource"), "blob");
    return typeof blob === "string" ? [Buffer.from(blob, "base64")] : [];
  });
  const stored = [...kept].map((bytes) => Buffer.from(bytes));
  return [...shown, ...stored, ...stored.flatMap(stringsIn)];
}

/** What stands in the artifact of those that were too many. */
function stringsIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const add = (value: unknown): void => {
    if (typeof value === "string") found.push(Buffer.from(value), Buffer.from(value, "base64"));
    else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) add(each);
  };
  try {
    add(JSON.parse(bytes.toString("utf8")));
  } catch {
    // No JSON.
  }
  return found;
}

describe("whatever contents a server gives", () => {
  it("nothing of them is lost: every payload is shown or kept, to the last byte", async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (given) => {
        const sent: unknown = JSON.parse(JSON.stringify({ contents: given }));
        const { read, view, artifacts, caller } = run({ result: recordOf(sent) });
        const answer = await read();
        expect(answer?.isError).toBeUndefined();
        const places = reachable(
          answer,
          [...artifacts.objects.values()].map(({ bytes }) => bytes),
        );
        const list = memberOf(sent, "contents");
        for (const content of isJsonArray(list) ? list : []) {
          const text = memberOf(content, "text");
          const bytes =
            typeof text === "string"
              ? Buffer.from(text)
              : Buffer.from(String(memberOf(content, "blob")), "base64");
          expect(places.some((place) => place.includes(bytes))).toBe(true);
        }
        // What is kept is named, belongs to the resource, and can be read.
        const named = artifactsOf(answer);
        expect(new Set(named.map(({ handle }) => handle))).toEqual(new Set(caller.rows.keys()));
        for (const { handle } of named) {
          expect(caller.rows.get(String(handle))?.toolId).toBe(README_ID);
          expect((await view(handle, { type: "bytes", offset: 0, length: 10 }))?.isError).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
  });

  it("what a model reads of them is bounded, and so is what programs get", async () => {
    const many = fc.array(fc.oneof(textContent, blobContent), { minLength: 1, maxLength: 60 });
    const config = {
      config: { gateway: { artifacts: { inline_max_tokens: 500, inline_image_bytes: 1_000 } } },
    };
    await fc.assert(
      fc.asyncProperty(many, renders, async (given, render) => {
        const { read } = run({ result: { contents: given }, ...config });
        const answer = await read(README_ID, { render });
        const texts = shownOf(answer).filter((part) => typeof part === "string");
        // The text, as much again beside one that was cut, three summaries, and a line for each artifact and each content.
        const bound = 2 * INLINE_BYTES_PER_TOKEN * 500 + 3 * 8_000 + given.length * 600;
        expect(Buffer.byteLength(texts.join(""))).toBeLessThan(render === "json" ? 5 * bound : bound);
        const { "loomgate/envelope": _, ...meta } = answer?.["_meta"] ?? {};
        expect(Buffer.byteLength(JSON.stringify(meta))).toBeLessThan(3 * RESULT_META_MAX_BYTES);
      }),
      { numRuns: 60 },
    );
  });

  it("they are shown the same whenever they are read: same result, same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (given) => {
        const once = async () => JSON.stringify(await run({ result: { contents: given } }).read());
        expect(await once()).toBe(await once());
      }),
      { numRuns: 30 },
    );
  });
});

describe("whatever messages a server gives", () => {
  const part = fc.oneof(
    value.map((text) => ({ type: "text", text })),
    value.map((each) => ({
      type: "image",
      data: Buffer.from(each).toString("base64"),
      mimeType: "image/png",
    })),
    textContent.map((resource) => ({ type: "resource", resource })),
  );
  const messages = fc.array(
    fc
      .tuple(fc.constantFrom("user", "assistant", "Ω\n"), fc.oneof(part, fc.array(part, { maxLength: 3 })))
      .map(([role, content]) => message(role, content)),
    { maxLength: 6 },
  );

  it("nothing of them is lost, and their texts stand in their order", async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const sent: unknown = JSON.parse(JSON.stringify({ messages: given }));
        const { get, artifacts } = run({ result: recordOf(sent) });
        const answer = await get();
        expect(answer?.isError).toBeUndefined();
        const kept = [...artifacts.objects.values()].map(({ bytes }) => bytes);
        const embedded = (answer?.content ?? []).flatMap((each) => {
          const text = memberOf(memberOf(each, "resource"), "text");
          return typeof text === "string" ? [Buffer.from(text)] : [];
        });
        const places = [...reachable(answer, kept), ...embedded];
        const parts = given.flatMap(({ content }) => (isJsonArray(content) ? content : [content]));
        for (const each of parts) {
          const text = memberOf(each, "text") ?? memberOf(memberOf(each, "resource"), "text");
          const bytes =
            typeof text === "string"
              ? Buffer.from(String(JSON.parse(JSON.stringify(text))))
              : Buffer.from(String(memberOf(each, "data")), "base64");
          expect(places.some((place) => place.includes(bytes))).toBe(true);
        }
        if (kept.length > 0) return;
        const texts = parts.filter((each) => isRecord(each) && each["type"] === "text");
        const shown = shownOf(answer);
        let at = -1;
        for (const each of texts) {
          at = shown.indexOf(memberOf(each, "text"), at + 1);
          expect(at).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("any result at all", () => {
  const content = fc.oneof(
    fc.anything(),
    textContent,
    blobContent,
    fc.record({ uri: fc.anything(), text: value }),
  );
  const result = fc.record(
    {
      contents: fc.oneof({ weight: 5, arbitrary: fc.array(content) }, fc.anything()),
      messages: fc.oneof(
        { weight: 5, arbitrary: fc.array(fc.record({ role: fc.string(), content: fc.anything() })) },
        fc.anything(),
      ),
      description: fc.anything(),
      isError: fc.anything(),
      _meta: fc.anything(),
    },
    { requiredKeys: [] },
  );

  it("is an answer with its envelope or a typed error, of either verb in either render, and nothing throws", async () => {
    await fc.assert(
      fc.asyncProperty(result, renders, fc.boolean(), async (given, render, isRead) => {
        const sent: unknown = JSON.parse(JSON.stringify(given));
        const { read, get, log, caller } = run({ answer: () => ok(recordOf(sent)) });
        const answer = await (isRead ? read(README_ID, { render }) : get({ repo: "r" }, { render }));
        expect(log.join("\n")).not.toContain("TypeError");
        const isError = answer?.["_meta"] === undefined;
        expect(answer?.isError).toBe(isError ? true : undefined);
        const said = isError ? jsonOf(answer)["error"] : envelopeOf(answer)["status"];
        expect(said).toBe(isError ? "UPSTREAM_ERROR" : "ok");
        expect(memberOf(answer, "structuredContent") === undefined).toBe(isError || render === "porcelain");
        expect(caller.told.length).toBe(1);
        expect(() => JSON.stringify(answer)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});
