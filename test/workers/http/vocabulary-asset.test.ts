import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { contentHash } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { readVocabulary } from "../../../src/http/vocabulary-asset.ts";
import { TOKENIZER_VOCABULARY_MAX_BYTES } from "../../../src/limits.ts";
import { cl100kCounter } from "../../../src/tokens/cl100k.ts";
import { vocabulary } from "../vocabulary.ts";

const LINE = "github:create_issue#aea9ce2a — Create an issue. side effects";

async function counted(): Promise<number | undefined> {
  const ranks = await vocabulary();
  return ranks.ok ? cl100kCounter(ranks.value).count(LINE) : undefined;
}

describe("the vocabulary as a static file", () => {
  it("is read through the binding, from inside a Durable Object too, and counts as cl100k does", async () => {
    expect(await counted()).toBe(16);
    expect(await runInDurableObject(env.CATALOGS.getByName("vocabulary"), counted)).toBe(16);
  });
});

describe("a vocabulary that cannot be had", () => {
  it.each<[string, () => Response | Promise<Response>, string, RegExp]>([
    ["missing", () => new Response("no", { status: 404 }), "vocabulary_unreadable", /^status 404$/],
    ["refused", () => new Response("no", { status: 503 }), "vocabulary_unreadable", /^status 503$/],
    ["empty", () => new Response(null), "vocabulary_unusable", /SHA-256/],
    ["something else", () => new Response("<!doctype html>"), "vocabulary_unusable", /SHA-256/],
    [
      "too large",
      () => new Response(new Uint8Array(TOKENIZER_VOCABULARY_MAX_BYTES + 1)),
      "vocabulary_unreadable",
      /^more than 2097152 bytes$/,
    ],
    [
      "behind a failing binding",
      () => Promise.reject(new Error("no such service")),
      "vocabulary_unreadable",
      /^no such service$/,
    ],
  ])("is told as what it is: %s", async (_, answer, reason, detail) => {
    const files = { fetch: () => Promise.resolve().then(answer) };
    expect(await readVocabulary(files, contentHash)).toEqual({
      ok: false,
      reason: { reason, detail: expect.stringMatching(detail) as unknown },
    });
  });

  it("is not counted by where a single byte is another", async () => {
    const bytes = new Uint8Array(
      await (await env.ASSETS.fetch("https://assets.local/cl100k.bin")).arrayBuffer(),
    );
    const at = bytes.length - 5;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const read = await readVocabulary({ fetch: async () => new Response(bytes) }, contentHash);
    expect(read).toMatchObject({ ok: false, reason: { reason: "vocabulary_unusable" } });
  });
});
