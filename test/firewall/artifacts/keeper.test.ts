import { describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { artifactHandle, digestHandle, isHandle } from "../../../src/firewall/artifacts/artifact.ts";
import { createKeeper, discardLarge } from "../../../src/firewall/artifacts/keeper.ts";
import { createLargeSinks } from "../../../src/firewall/artifacts/large-sinks.ts";
import { type Keepsake, largeKeepsake, textKeepsake } from "../../../src/firewall/result/keepsake.ts";
import { LargePayload, type NotKept } from "../../../src/large-result.ts";
import { fail } from "../../../src/result.ts";
import { artifactRig, DAY_MS, valueOf } from "../../support/artifact-rig.ts";

const rings = valueOf(await deriveKeyRings({ LOOMGATE_KEY: "a key of the tests, long enough to be taken" }));
const encoder = new TextEncoder();
const TOOL = "files:read_file#00000000";

function rig() {
  const artifacts = artifactRig();
  const { store } = artifacts;
  const keeperOf = (principal: string, toolId = TOOL) =>
    createKeeper({ store, ring: rings.artifact, principal, owner: `owner-${principal}`, toolId });
  const largeOf = async (principal: string, text: string): Promise<LargePayload> => {
    const sink = createLargeSinks({
      openUpload: () => store.openUpload(`owner-${principal}`),
      room: { hold: () => true, free: () => {} },
      openSummariser: () => ({ push: () => {}, finish: () => null }),
    }).open("text", undefined);
    await sink.write(encoder.encode(text));
    return sink.close();
  };
  return { ...artifacts, keeperOf, largeOf };
}

const whole = (text: string, mediaType = "text/plain") => textKeepsake("text", "text", mediaType, text);
const large = (payload: LargePayload, mediaType = "text/plain") =>
  largeKeepsake("text", "text", mediaType, payload);

describe("a keeper", () => {
  it("keeps a payload under one handle, whether it was held or went by", async () => {
    const { keeperOf, largeOf, bucket, clock } = rig();
    const keep = keeperOf("ada");
    const held = valueOf(await keep(whole("a\nb\nc")));
    expect(held).toMatchObject({ toolId: TOOL, mediaType: "text/plain", sizeBytes: 5, lines: 3 });
    expect(held.expiresAtMs).toBe(clock.nowMs + 7 * DAY_MS);
    expect(valueOf(await keep(large(await largeOf("ada", "a\nb\nc"))))).toEqual(held);
    expect(bucket.objects.size).toBe(1);
    const wentBy = valueOf(await keep(large(await largeOf("ada", "other"))));
    expect(valueOf(await keep(whole("other")))).toEqual(wentBy);
    expect(bucket.objects.size).toBe(3);
  });

  it("gives no two of principal, tool, media type and content one handle", async () => {
    const { keeperOf, largeOf } = rig();
    const records = [
      await keeperOf("ada")(whole("x")),
      await keeperOf("ada")(whole("y")),
      await keeperOf("ada")(whole("x", "text/html")),
      await keeperOf("ada", "other:tool#00000000")(whole("x")),
      await keeperOf("eve")(whole("x")),
      await keeperOf("eve")(large(await largeOf("eve", "z"))),
      await keeperOf("ada")(large(await largeOf("ada", "z"))),
    ].map(valueOf);
    expect(new Set(records.map(({ handle }) => handle)).size).toBe(records.length);
    for (const { handle } of records) expect(isHandle(handle)).toBe(true);
  });

  it("knows binary content by its missing text", async () => {
    const { keeperOf } = rig();
    const image: Keepsake = {
      role: "part",
      label: "image",
      named: false,
      mediaType: "image/png",
      bytes: Uint8Array.of(10, 10),
      parts: [],
      rests: [],
    };
    expect(valueOf(await keeperOf("ada")(image))).toMatchObject({ lines: null, lineIndex: "", sizeBytes: 2 });
  });

  it("says why bytes that went by are not in the store, and asks it nothing", async () => {
    const { keeperOf, operations } = rig();
    for (const why of ["too_long", "no_room", "store_failed", "too_many"] satisfies NotKept[]) {
      const payload = new LargePayload({
        form: "text",
        sizeBytes: 9,
        head: "",
        stored: fail(why),
        summary: null,
      });
      expect(await keeperOf("ada")(large(payload))).toMatchObject({
        ok: false,
        reason: { reason: "not_kept", why },
      });
    }
    expect(operations()).toEqual([]);
  });

  it("lets go of what is not wanted, and of nothing else", async () => {
    const { largeOf, store, bucket, keeperOf } = rig();
    const [one, other] = [await largeOf("ada", "one"), await largeOf("ada", "other")];
    const kept = valueOf(await keeperOf("ada")(large(other)));
    const failed = new LargePayload({
      form: "text",
      sizeBytes: 9,
      head: "",
      stored: fail("no_room"),
      summary: 0,
    });
    await discardLarge({ store, owner: "owner-ada" }, [one, failed]);
    expect(bucket.objects.size).toBe(2);
    expect(valueOf(await store.read("owner-ada", kept, 0, 9))).toEqual(encoder.encode("other"));
  });
});

describe("a handle", () => {
  it("is the same of content and of its digest", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode("x")));
    const hex = Buffer.from(digest).toString("hex");
    expect(await digestHandle(rings.artifact, "ada", TOOL, "text/plain", hex)).toBe(
      await artifactHandle(rings.artifact, "ada", TOOL, "text/plain", encoder.encode("x")),
    );
  });
});
