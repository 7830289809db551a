import { fakeCatalog, fakeId, type FakeTool } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway, type FakeGatewayOptions } from "../support/fake-gateway.ts";

export const DELETE: FakeTool = {
  namespace: "github",
  name: "delete_repo",
  inputSchema: { type: "object", properties: { repo: { type: "string" } }, required: ["repo"] },
  annotations: { readOnlyHint: true },
};
export const GET: FakeTool = {
  namespace: "github",
  name: "get_repo",
  inputSchema: { type: "object", properties: { count: { type: "integer" }, sure: { type: "boolean" } } },
  annotations: { readOnlyHint: true },
};
export const CATALOG = fakeCatalog([DELETE, GET]);
export const server = (block: object = {}) => ({ github: { url: "https://github.example/mcp", ...block } });

/** The gateway over two tools of one server, with these blocks of a configuration. */
export function run(
  gateway: object,
  block: object = {},
  options: FakeGatewayOptions = {},
  caller = fakeCaller(),
) {
  const config = { mcpServers: server(block), gateway };
  const made = fakeGateway({ catalog: CATALOG, config, ...options });
  const call = (args: Record<string, unknown>, tool = "tool_execute") =>
    made.surface.call(tool, args, caller.context);
  return { ...made, caller, call };
}

export const deleteCall = { tool_id: fakeId(DELETE), args: { repo: "r" } };
export const getCall = { tool_id: fakeId(GET), args: { count: 1 } };
