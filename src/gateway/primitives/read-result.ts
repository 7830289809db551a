import type { InlineBounds } from "../../firewall/result/inline-bounds.ts";
import { isTooLarge } from "../../firewall/result/keepsake.ts";
import { labelOf } from "../../firewall/result/label.ts";
import { cleanMediaType } from "../../firewall/result/media-type.ts";
import type { Part } from "../../firewall/result/tool-result.ts";
import { decodeBase64 } from "../../firewall/result/base64.ts";
import { isTextType } from "../../firewall/result/text-blob.ts";
import { estimateTokens } from "../../firewall/result/token-estimate.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import {
  CONTENT_NAME_SHOWN_MAX_CODE_POINTS,
  CONTENTS_NAMED_MAX_COUNT,
  CONTENTS_NAMED_MAX_TOKENS,
} from "../../limits.ts";
import { NO_ANSWER } from "../../no-answer.ts";
import { fail, ok, type Result } from "../../result.ts";
import { textPart } from "../answers.ts";
import type { Line } from "./clean-listing.ts";
import { type ShapedResult, shapedResult } from "./shaped-result.ts";

/** Where programs find what each content says of itself, in order. */
const CONTENTS_KEY = "loomgate/contents";

/** One of a read's contents (MCP 2025-11-25, "Resource Contents"), whose shape was judged. */
interface Content {
  /** Its own address, or the one that was asked for. */
  readonly uri: string;
  readonly mimeType: unknown;
  readonly carrier: "text" | "blob";
  readonly payload: string | LargePayload;
  /** All that it says beside the payload. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/**
 * Judges the result of a `resources/read`, which has no secrets any more, and shapes it for the firewall. One text is the text of the answer, under its own
 * media type and address; of several, each is a thing of its own that is shown or kept by itself. Text that came in base64
 * is text. Fails, with the text for the log, for what is no legal result: an answer without contents is no success.
 */
export function shapeRead(
  result: Readonly<Record<string, unknown>>,
  uri: string,
  bounds: InlineBounds,
  line: Line,
): Result<ShapedResult, string> {
  const given = memberOf(result, "contents");
  const shape = (parts: readonly Part[], contents: readonly Content[]): ShapedResult => ({
    result: shapedResult(
      result,
      "contents",
      parts,
      contents.length === 0 ? {} : { [CONTENTS_KEY]: contents.map(({ rest }) => rest) },
    ),
    shaping: {
      shown: (part) => shownPart(part, contents.length === 1, line),
      bundled: () => ({ things: "contents", asItCame: (part) => part["resource"] ?? part }),
    },
  });
  if (memberOf(result, "isError") === true) return fail(NO_ANSWER.error);
  if (given instanceof LargePayload) return ok(shape([{ type: "contents", payload: given }], []));
  if (!isJsonArray(given)) return fail("the result has no contents");
  const contents: Content[] = [];
  for (const each of given) {
    const content = contentOf(each, uri);
    if (content === undefined) return fail("a content has neither text nor blob");
    contents.push(content);
  }
  const [only, ...others] = contents;
  if (only === undefined) return fail(NO_ANSWER.empty);
  if (others.length > 0) return ok(shape(partsOf(contents, bounds, line), contents));
  if (only.carrier === "blob") return ok(shape([embedded(only)], contents));
  const { shaping, ...whole } = shape([{ type: "text", text: only.payload }], contents);
  return ok({ ...whole, shaping: { ...shaping, textAs: textAs(only, line) } });
}

function contentOf(value: unknown, asked: string): Content | undefined {
  if (!isRecord(value)) return undefined;
  const carrier = isPayload(memberOf(value, "text")) ? "text" : "blob";
  const payload = memberOf(value, carrier);
  if (!isPayload(payload)) return undefined;
  const uri = memberOf(value, "uri");
  const mimeType = memberOf(value, "mimeType");
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== carrier));
  const of = { uri: typeof uri === "string" ? uri : asked, mimeType, rest };
  const decoded = carrier === "blob" ? textIn(payload, mimeType) : undefined;
  return decoded === undefined ? { ...of, carrier, payload } : { ...of, carrier: "text", payload: decoded };
}

function isPayload(value: unknown): value is string | LargePayload {
  return typeof value === "string" || value instanceof LargePayload;
}

/** The text that a blob is, by what is said of it and by its bytes, to the last byte; else undefined. */
function textIn(payload: string | LargePayload, mimeType: unknown): string | undefined {
  if (payload instanceof LargePayload || !isTextType(mimeType)) return undefined;
  const bytes = decodeBase64(payload);
  if (!bytes.ok) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.value);
  } catch {
    return undefined;
  }
}

function textAs(
  { uri, mimeType }: Content,
  line: Line,
): { readonly label: string; readonly mediaType?: string } {
  const { label } = labelOf("resource", line(uri));
  const mediaType = cleanMediaType(mimeType, "");
  return mediaType === "" ? { label } : { label, mediaType };
}

/** Texts that fit together are shown as they are, each below its address; else what there is, and each by itself. */
function partsOf(contents: readonly Content[], bounds: InlineBounds, line: Line): readonly Part[] {
  const together = contents.map(({ uri, carrier, payload }) =>
    carrier === "text" ? [nameLine(uri, line), payload] : [],
  );
  const texts = together.flat();
  const isSmall = texts.every((text) => typeof text === "string") && !isTooLarge(texts.join("\n"), bounds);
  if (isSmall) {
    return contents.flatMap((content, index) =>
      content.carrier === "text"
        ? (together[index] ?? []).map((text) => ({ type: "text", text }))
        : [embedded(content)],
    );
  }
  return [textPart(overview(contents, line)), ...contents.map(embedded)];
}

function embedded({ uri, mimeType, carrier, payload }: Content): Part {
  const resource = { uri, ...(typeof mimeType === "string" ? { mimeType } : {}), [carrier]: payload };
  return { type: "resource", resource };
}

/** How many contents there are, and the addresses of the first that fit. */
function overview(contents: readonly Content[], line: Line): string {
  const named: string[] = [];
  let tokens = 0;
  for (const { uri } of contents.slice(0, CONTENTS_NAMED_MAX_COUNT)) {
    const name = line(uri, CONTENT_NAME_SHOWN_MAX_CODE_POINTS);
    tokens += 1 + estimateTokens(name);
    if (tokens > CONTENTS_NAMED_MAX_TOKENS) break;
    named.push(name);
  }
  const more = contents.length - named.length;
  const names = named.length === 0 ? "" : `: ${named.join(", ")}${more === 0 ? "" : ` +${more} more`}`;
  return `${contents.length} contents${names}`;
}

/** The line above one of several texts. */
function nameLine(uri: string, line: Line): string {
  return `${line(uri, CONTENT_NAME_SHOWN_MAX_CODE_POINTS)}:`;
}

/** A content that was small enough to stay, as a part of its own kind. */
function shownPart(part: Part, isOne: boolean, line: Line): readonly Part[] {
  const { type, resource } = part;
  if (type !== "resource" || !isRecord(resource)) return [part];
  const { uri, mimeType, text, blob } = resource;
  if (typeof text === "string") {
    return isOne ? [textPart(text)] : [textPart(nameLine(String(uri), line)), textPart(text)];
  }
  const kind = cleanMediaType(mimeType, "").split("/", 1)[0];
  return typeof blob === "string" && (kind === "image" || kind === "audio")
    ? [{ type: kind, data: blob, mimeType }]
    : [part];
}
