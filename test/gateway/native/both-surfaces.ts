import { memberOf } from "../../../src/json.ts";
import { type fakeCaller, jsonOf } from "../../support/fake-gateway.ts";
import { natively } from "./natively.ts";

/** Reads on `/mcp` and on `/mcp/proxy` over the same servers. */
export function bothSurfaces(...given: [Parameters<typeof natively>[0], ReturnType<typeof fakeCaller>?]) {
  const made = natively(...given);
  const { surface, native, caller } = made;
  /** How `resource_read` ends: `read`, or the error's code. */
  const gateway = async (id: string, args: object = {}): Promise<unknown> => {
    const answer = await surface.call("resource_read", { resource_id: id, args }, caller.context);
    return answer?.isError === true ? jsonOf(answer)["error"] : "read";
  };
  const proxy = async (uri: string): Promise<unknown> => {
    const answer = await native.request("resources/read", { uri }, caller.context);
    return answer?.ok === true ? "read" : memberOf(answer?.reason.data, "error");
  };
  const read = async (uri: string) => [await gateway(uri), await proxy(uri)];
  /** What reached which server. */
  const reached = () => made.calls.map(({ server, request }) => [server, memberOf(request.params, "uri")]);
  return { ...made, gateway, proxy, read, reached };
}
