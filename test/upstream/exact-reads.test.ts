import { describe, expect, it } from "vitest";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { callUpstream, type UpstreamCall } from "../../src/upstream/connection.ts";
import { initializeResult, openStream, resultOf, sendJson } from "../support/hostile-upstream/server.ts";
import { io, KEPT, listAll, withUpstream } from "./rig.ts";

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

describe("a listing", () => {
  it("has its numbers as they were written, of every kind", async () => {
    const entry = '{"name":"a","uri":"x:a","uriTemplate":"x:{a}","n":[12345678901234567890,1.0,1e999]}';
    const keys = ["tools", "resources", "resourceTemplates", "prompts"];
    await withUpstream(
      ({ id, rpcMethod }, response) => {
        const capabilities = { tools: {}, resources: {}, prompts: {} };
        if (rpcMethod === "initialize")
          return sendJson(response, resultOf(id, initializeResult({ capabilities })));
        const lists = keys.map((key) => `"${key}":[${entry}]`);
        if (!rpcMethod.endsWith("/list")) return false;
        return sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${lists.join()}}}`);
      },
      async (_upstream, target) => {
        const { answer } = await listAll(target, undefined, io({ sessions: "end" }));
        if (!answer.ok) throw new Error(answer.reason.detail);
        for (const kind of ["tools", "resources", "templates", "prompts"] as const) {
          const listed = answer.value[kind];
          expect(listed?.ok === true && listed.value.map((each) => exactJsonText(each))).toEqual([entry]);
        }
      },
    );
  });
});
