import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createLargeSinks } from "../../../../src/firewall/artifacts/large-sinks.ts";
import { openSummariser } from "../../../../src/firewall/summary/summariser.ts";
import { isJsonArray, memberOf } from "../../../../src/json.ts";
import { LargePayload } from "../../../../src/large-result.ts";
import { UPSTREAM_BUFFERS_MAX_BYTES } from "../../../../src/limits.ts";
import { createBufferBudget } from "../../../../src/upstream/buffer-budget.ts";
import { callUpstream } from "../../../../src/upstream/connection.ts";
import { droppingUpload } from "../../gateway/dropping-store.ts";
import { nodeDigest } from "../../gateway/node-digest.ts";
import { type Framing, largeUpstream } from "./large-upstream.ts";

const URL_OF_NOWHERE = "https://bench.example.com/mcp";
const PATIENCE_MS = 600_000;

/** How an answer is taken: by the gateway's own reader into its sinks, or by the SDK's client, which holds it whole. */
export type Way = "loomgate" | "sdk";

export const WAYS: readonly Way[] = ["loomgate", "sdk"];

export interface Taken {
  /** What the client has in the end. */
  readonly result: unknown;
  /** UTF-8 bytes of the text in it. */
  readonly textBytes: number;
  /** The most that the gateway counted as held at once: what its cap for an isolate is about. */
  readonly countedBytes: number | null;
}

/** Takes one answer with a body of so many bytes. */
export function takeAnswer(
  way: Way,
  framing: Framing,
  bodyBytes: number,
  onChunk: () => void,
): Promise<Taken> {
  return way === "sdk"
    ? takeWithSdk(framing, bodyBytes, onChunk)
    : takeWithReader(framing, bodyBytes, onChunk);
}

async function takeWithReader(framing: Framing, bodyBytes: number, onChunk: () => void): Promise<Taken> {
  const buffers = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, Date.now);
  let countedBytes = 0;
  const fetch = largeUpstream(framing, bodyBytes, () => {
    countedBytes = Math.max(countedBytes, buffers.held());
    onChunk();
  });
  const room = buffers.open(PATIENCE_MS);
  const sinks = createLargeSinks({
    room,
    openUpload: droppingUpload,
    openSummariser,
    openDigest: nodeDigest,
  });
  const target = { name: "bench", url: URL_OF_NOWHERE, headers: {}, timeoutMs: PATIENCE_MS };
  const io = { fetch, newId: () => crypto.randomUUID(), buffers, allowLoopback: false };
  const { answer } = await callUpstream(
    target,
    undefined,
    { method: "tools/call", params: { name: "log", arguments: {} }, sinks },
    io,
  );
  room.release();
  if (!answer.ok) throw new Error(`the answer was refused: ${JSON.stringify(answer.reason)}`);
  const text = textOf(answer.value);
  if (text instanceof LargePayload && !text.stored.ok) throw new Error(`not kept: ${text.stored.reason}`);
  const textBytes = text instanceof LargePayload ? text.sizeBytes : Buffer.byteLength(String(text));
  return { result: answer.value, textBytes, countedBytes };
}

async function takeWithSdk(framing: Framing, bodyBytes: number, onChunk: () => void): Promise<Taken> {
  const client = new Client({ name: "bench", version: "1" });
  // The transport's type disagrees with the interface's where properties that may be absent may not be undefined.
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_NOWHERE), {
    fetch: largeUpstream(framing, bodyBytes, onChunk),
  }) as Transport;
  await client.connect(transport);
  const result = await client.callTool({ name: "log", arguments: {} }, undefined, { timeout: PATIENCE_MS });
  await client.close();
  return { result, textBytes: Buffer.byteLength(String(textOf(result))), countedBytes: null };
}

function textOf(result: unknown): unknown {
  const content = memberOf(result, "content");
  return memberOf(isJsonArray(content) ? content[0] : undefined, "text");
}
