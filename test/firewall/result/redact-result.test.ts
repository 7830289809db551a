import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "../../../src/firewall/result/base64.ts";
import { redactResult } from "../../../src/firewall/result/redact-result.ts";
import { redactorFor } from "../../../src/scrub/redactor.ts";
import { code, MARK } from "../../scrub/planted-secrets.ts";

const base64 = (text: string) => encodeBase64(new TextEncoder().encode(text));

function redacted(part: unknown) {
  const redactor = redactorFor(true, undefined);
  if (redactor === undefined) throw new Error("redaction is off");
  const { result, count } = redactResult({ content: [part] }, redactor);
  return { part: Array.isArray(result["content"]) ? (result["content"][0] as unknown) : undefined, count };
}

const resource = (mimeType: string | undefined, blob: string) => ({
  type: "resource",
  resource: { uri: "file:///.env", ...(mimeType === undefined ? {} : { mimeType }), blob },
});

describe("a text that came in base64", () => {
  it.each([
    "text/plain",
    "TEXT/plain; charset=utf-8",
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.api+json",
    "image/svg+xml",
    "application/yaml",
    "application/x-yaml",
    "application/xml",
    undefined,
  ])("loses its secrets and stays base64: %s", (mimeType) => {
    const given = resource(mimeType, base64("größe: 1\nDB_PASSWORD=hunter2222\n"));
    expect(redacted(given)).toEqual({
      part: resource(mimeType, base64(`größe: 1\nDB_PASSWORD=${MARK}\n`)),
      count: 1,
    });
  });

  it("loses those beside it too", () => {
    const given = resource("text/plain", base64("password=hunter2222"));
    const beside = { ...given, resource: { ...given.resource, uri: "https://ada:pw@example.com/" } };
    expect(redacted(beside)).toEqual({
      part: {
        ...given,
        resource: {
          ...given.resource,
          uri: `https://ada:${MARK}@example.com/`,
          blob: base64(`password=${MARK}`),
        },
      },
      count: 2,
    });
  });

  it("loses them where it is no UTF-8, and no byte beside them", () => {
    const latin = (text: string) => Buffer.from(text, "latin1").toString("base64");
    const given = resource("text/csv", latin("Größe\npassword=hunter2222\nStraße"));
    const { part, count } = redacted(given);
    expect(count).toBe(1);
    expect(part).toEqual(resource("text/csv", latin(`Größe\npassword=${MARK}\nStraße`)));
  });

  it("stays as it came where it holds none, or is no text", () => {
    for (const given of [
      resource("text/plain", "aGVsbG8"),
      resource("image/png", base64("password=hunter2222")),
      resource("application/octet-stream", base64("password=hunter2222")),
      resource(
        undefined,
        encodeBase64(new Uint8Array([0xff, ...new TextEncoder().encode(" password=hunter2222")])),
      ),
    ]) {
      const { part, count } = redacted(given);
      expect(count).toBe(0);
      expect(part).toBe(given);
    }
  });
});

describe("what claims to be a picture", () => {
  it("is a text where it is too short for one", () => {
    const token = `ghp_${code(36)}`;
    expect(decodeBase64(token).ok).toBe(true);
    const given = { type: "image", mimeType: "image/png", data: token };
    expect(redacted(given)).toEqual({ part: { ...given, data: MARK }, count: 1 });
    expect(redacted({ type: "audio", data: token })).toEqual({
      part: { type: "audio", data: MARK },
      count: 1,
    });
    expect(redacted(resource("text/plain", token)).part).toEqual(resource("text/plain", MARK));
  });

  it("is the text that its type says it is", () => {
    const svg = `<svg><!-- password=hunter2222 -->${" ".repeat(90)}</svg>`;
    const given = { type: "image", mimeType: "image/svg+xml", data: base64(svg) };
    expect(redacted(given)).toEqual({
      part: { ...given, data: base64(svg.replace("hunter2222", MARK)) },
      count: 1,
    });
  });

  it("is not looked at otherwise", () => {
    const given = { type: "image", mimeType: "image/png", data: `AAAA_ghp_${code(99)}` };
    expect(redacted(given)).toEqual({ part: given, count: 0 });
  });
});
