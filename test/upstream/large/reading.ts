import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { LargePayload } from "../../../src/large-result.ts";
import { UPSTREAM_BUFFERS_MAX_BYTES } from "../../../src/limits.ts";
import { createBufferBudget } from "../../../src/upstream/buffer-budget.ts";
import { isAnswerTo } from "../../../src/upstream/answer.ts";
import { openLargeAnswer, type LargeAnswerOptions } from "../../../src/upstream/large/large-answer.ts";
import { LARGE_BOUNDS } from "../../../src/upstream/large/reading.ts";
import { memorySinks, type MemorySinks } from "./memory-sinks.ts";
import { pieces } from "./pieces.ts";

/** So small that everything of any size goes to the store. */
export const TIGHT = { ...LARGE_BOUNDS, payloadBytes: 64, restBytes: 4_096 };

interface Options extends Partial<Pick<LargeAnswerOptions, "framing" | "bounds" | "signal" | "main">> {
  readonly cuts?: readonly number[];
  readonly sinks?: MemorySinks;
  readonly room?: number;
}

const ANSWER_ID = "u";

/** Reads a text as a large answer, in pieces; nothing of it is given up, whatever it is. */
export async function readLarge(text: string | Uint8Array, options: Options = {}) {
  const budget = createBufferBudget(options.room ?? UPSTREAM_BUFFERS_MAX_BYTES, () => 0);
  const account = budget.open(1);
  let most = 0;
  const sinks = options.sinks ?? memorySinks();
  const large = openLargeAnswer({
    sinks,
    main: options.main ?? "content",
    account: {
      ...account,
      hold: (bytes) => {
        const held = account.hold(bytes);
        most = Math.max(most, budget.held());
        return held;
      },
    },
    signal: options.signal ?? new AbortController().signal,
    framing: options.framing ?? "json",
    isAnswer: (message) => isAnswerTo(message, ANSWER_ID),
    ...(options.bounds && { bounds: options.bounds }),
  });
  if (large === undefined) throw new Error("no room");
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (const piece of pieces(bytes, options.cuts ?? [])) await large.push(piece);
  return { read: await large.finish(), large, sinks, budget, most: () => most };
}

/** A message with the answer's result, from the result's own JSON text. */
export const messageWith = (result: string) => `{"jsonrpc":"2.0","id":"${ANSWER_ID}","result":${result}}`;

/** The result's tree; the message is a legal one. */
export async function resultOf(result: string, options: Options = {}) {
  const { read, ...rest } = await readLarge(messageWith(result), options);
  if (!read.ok) throw new Error(read.reason.reason);
  const tree = memberOf(read.value, "result");
  if (!isRecord(tree)) throw new Error("no result");
  const { content } = tree;
  const parts: readonly unknown[] = isJsonArray(content) ? content : [];
  return { tree, parts, ...rest };
}

/** The tree with payloads as what they hold, so that one glance shows all. */
export function shown(value: unknown, sinks: MemorySinks): unknown {
  if (value instanceof LargePayload) {
    if (value.form === "bytes") return { bytes: Buffer.from(sinks.bytesOf(value)).toString("base64") };
    return { [value.form]: sinks.textOf(value) };
  }
  if (Array.isArray(value)) return value.map((item) => shown(item, sinks));
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, sinks)]));
  }
  return value;
}

export async function showResult(result: unknown, options: Options = { bounds: TIGHT }) {
  const { tree, sinks } = await resultOf(
    typeof result === "string" ? result : JSON.stringify(result),
    options,
  );
  return { tree: shown(tree, sinks), sinks };
}

export const long = (nth = 0) => `${nth}: ${"all work and no play ".repeat(20)}`;
export const base64 = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7) % 256)).toString("base64");
