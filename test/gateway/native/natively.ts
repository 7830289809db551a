import { nativePart } from "../../../src/gateway/native/native-surface.ts";
import type { ListedForm } from "../../../src/identity/listed-form.ts";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { RpcProblem } from "../../../src/surface.ts";
import { fakeCaller, fakeGateway, type FakeGatewayOptions } from "../../support/fake-gateway.ts";

interface NativeOptions extends FakeGatewayOptions {
  readonly names?: ListedForm;
}

/** Servers as a configuration names them; the fakes' namespaces are their names. */
export const SERVERS = {
  mcpServers: Object.fromEntries(
    ["docs", "files", "notes"].map((name) => [name, { type: "http", url: `https://${name}.example/mcp` }]),
  ),
};

/** What `/mcp/proxy` serves besides tools, over the gateway's fakes, and a caller of it. */
export function natively({ names = "safe", ...options }: NativeOptions, caller = fakeCaller()) {
  const gateway = fakeGateway({ config: SERVERS, ...options });
  const native = nativePart(gateway.ports, names);
  const ask = async (method: string, params: unknown = {}): Promise<Record<string, unknown>> => {
    const answer = await native.request(method, params, caller.context);
    if (answer?.ok !== true) throw new Error(JSON.stringify(answer?.reason ?? "no such method"));
    return { ...answer.value };
  };
  const problemOf = async (method: string, params: unknown = {}): Promise<RpcProblem> => {
    const answer = await native.request(method, params, caller.context);
    if (answer?.ok !== false) throw new Error(`no problem: ${JSON.stringify(answer)}`);
    return answer.reason;
  };
  const list = async (method: string, member: string): Promise<readonly Record<string, unknown>[]> => {
    const all: Record<string, unknown>[] = [];
    let cursor: unknown;
    do {
      const page: Record<string, unknown> = await ask(method, cursor === undefined ? {} : { cursor });
      const entries = memberOf(page, member);
      all.push(...(isJsonArray(entries) ? entries : []).filter(isRecord));
      cursor = page["nextCursor"];
    } while (cursor !== undefined && all.length < 100_000);
    return all;
  };
  return { ...gateway, caller, native, ask, problemOf, list };
}
