import { describe, expect, it } from "vitest";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { callUpstream, type UpstreamCall } from "../../src/upstream/connection.ts";
import { openStream, sendJson } from "../support/hostile-upstream/server.ts";
import { io, KEPT, withUpstream } from "./rig.ts";

const EXACT = '{"_meta":{"big":12345678901234567890,"long":0.10,"far":1e999,"__proto__":1.0},"x":null}';

const calls: readonly UpstreamCall[] = [
  { method: "tools/call", params: { name: "a", arguments: {} } },
  { method: "resources/read", params: { uri: "file:///a" } },
  { method: "prompts/get", params: { name: "a", arguments: {} } },
  { method: "completion/complete", params: { ref: {}, argument: {} } },
];

describe.each(calls)("an answer to $method", (call) => {
  it.each(["JSON", "a stream"])("has its numbers as they were written, in %s", async (framing) => {
    await withUpstream(
      ({ id, rpcMethod }, response) => {
        if (rpcMethod !== call.method) return false;
        const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${EXACT}}`;
        if (framing === "JSON") return sendJson(response, text);
        openStream(response);
        response.end(`data: ${text}\n\n`);
        return true;
      },
      async (upstream, target) => {
        const { answer } = await callUpstream(target, KEPT, call, io());
        if (!answer.ok) throw new Error(answer.reason.detail);
        expect(exactJsonText(answer.value)).toBe(EXACT);
        expect(upstream.seen[0]?.params).toEqual(call.params);
      },
    );
  });
});
