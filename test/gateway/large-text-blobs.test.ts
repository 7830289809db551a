import { describe, expect, it } from "vitest";
import { memberOf } from "../../src/json.ts";
import type { LargeSinks } from "../../src/large-result.ts";
import { fakeCatalog } from "../support/fake-catalog.ts";
import { envelopeOf, fakeCaller, fakeGateway } from "../support/fake-gateway.ts";
import { ID, keptOf, TOOL } from "../support/tool-results.ts";

const OWN = "the-operators-own-secret-value";
const TOKEN = "ghp_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7d";
const ROWS = `id,note\n${"1,nothing to see here\n".repeat(9_000)}`;

/** A blob that is sent piece by piece, as the reader of large answers does: first in base64, then decoded. */
async function sendBlob(sinks: LargeSinks, bytes: Uint8Array, mediaType: string | undefined) {
  const filter = sinks.filterText?.(mediaType);
  const data = Buffer.from(bytes).toString("base64");
  const clean = filter === undefined ? data : filter.push(data) + filter.end();
  const sent = Buffer.from(clean, "base64");
  const sink = sinks.open("bytes", mediaType);
  for (let at = 0; at < sent.length; at += 7_001) await sink.write(sent.subarray(at, at + 7_001));
  return sink.close();
}

/** @param early whether the type stands before the blob, so that it is known when the blob begins */
async function kept(bytes: Uint8Array, mimeType: string | undefined, { early = true, redact = true } = {}) {
  const rig = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    secrets: [OWN],
    config: { gateway: { redact } },
    stream: async (sinks) => {
      const blob = await sendBlob(sinks, bytes, early ? mimeType : undefined);
      const resource = { uri: "file:///dump", ...(mimeType === undefined ? {} : { mimeType }), blob };
      return { content: [{ type: "resource", resource }] };
    },
  });
  const caller = fakeCaller();
  const answer = await rig.surface.call("tool_execute", { tool_id: ID }, caller.context);
  const artifact = keptOf(answer, 1);
  const selector = { type: "grep", pattern: "token" };
  const handle = memberOf(artifact.call, "handle");
  const view = await rig.surface.call("tool_view", { handle, selector }, caller.context);
  const [stored = new Uint8Array()] = [...rig.artifacts.objects.values()].map(({ bytes: whole }) => whole);
  return { artifact, stored: Buffer.from(stored), view: JSON.stringify(view), envelope: envelopeOf(answer) };
}

const said = (before: string, behind = "") => Buffer.from(`${before}token: ${TOKEN} of ${OWN}\n${behind}`);

describe("a text in base64 that is too large to hold", () => {
  it.each([
    ["text/csv", true],
    ["application/json; charset=utf-8", true],
    ["application/vnd.api+json", true],
    ["text/plain", false],
    [undefined, false],
  ])("of type %s, known first: %s, is redacted and has lines, like any other", async (mimeType, early) => {
    const { artifact, stored, view, envelope } = await kept(said(ROWS, ROWS), mimeType, { early });
    const text = stored.toString();
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(OWN);
    expect(text.startsWith(ROWS)).toBe(true);
    expect(text.endsWith(ROWS)).toBe(true);
    expect(artifact).toMatchObject({ size: stored.length });
    expect(envelope).toMatchObject({ provenance: { redactions: 1 } });
    expect(view.includes("token: ")).toBe(early);
  });

  it("that is no UTF-8 loses its secrets, and no other byte", async () => {
    const latin = Buffer.from("Größe;Straße\n", "latin1");
    const bytes = Buffer.concat([latin, said(ROWS), latin, Buffer.of(0xe2, 0x82)]);
    const { stored } = await kept(bytes, "text/csv");
    expect(stored.includes(TOKEN)).toBe(false);
    expect(stored.includes(OWN)).toBe(false);
    expect(stored.subarray(0, latin.length)).toEqual(latin);
    expect(stored.subarray(-latin.length - 2)).toEqual(bytes.subarray(-latin.length - 2));
  });

  it("is as it came where redaction is off, but for configured secrets", async () => {
    const { stored } = await kept(said(ROWS), "text/csv", { redact: false });
    expect(stored.includes(TOKEN)).toBe(true);
    expect(stored.includes(OWN)).toBe(false);
  });

  it("is not looked for in what is binary", async () => {
    const { stored } = await kept(said(ROWS), "application/octet-stream");
    expect(stored.includes(TOKEN)).toBe(true);
    const image = Buffer.concat([Buffer.of(0x89, 0x50, 0xff, 0x00), said(ROWS)]);
    for (const [mimeType, early] of [
      ["image/png", false],
      ["text/plain", true],
    ] as const) {
      const { stored: picture } = await kept(image, mimeType, { early });
      expect(picture.includes(TOKEN)).toBe(true);
      expect(picture.includes(OWN)).toBe(false);
      expect(picture.subarray(0, 9)).toEqual(image.subarray(0, 9));
    }
  });
});
