import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import type { ToolAnswer } from "../../../src/surface.ts";
import {
  fakeCatalog,
  fakePromptId,
  fakeResourceId,
  type FakeParts,
  type FakePrompt,
  type FakeResource,
  type FakeTool,
} from "../../support/fake-catalog.ts";
import {
  envelopeOf,
  fakeCaller,
  fakeGateway,
  type FakeGatewayOptions,
  jsonOf,
  listOf,
  textOf,
} from "../../support/fake-gateway.ts";

export const TOOL: FakeTool = { namespace: "fs", name: "read_file" };
export const README: FakeResource = {
  namespace: "fs",
  uri: "file:///readme.md",
  name: "readme",
  mimeType: "text/markdown",
};
export const LOGO: FakeResource = { namespace: "web", uri: "https://web.example/logo.png", name: "logo" };
export const ITEM: FakeResource = { namespace: "fs", uriTemplate: "demo://item/{id}{?q}", name: "item" };
const ANY_PATH: FakeResource = { namespace: "fs", uriTemplate: "dir:///{+path}", name: "any path" };
export const SUMMARY: FakePrompt = {
  namespace: "fs",
  name: "summarize_pr",
  description: "Summarises a pull request",
  arguments: [{ name: "repo", required: true }, { name: "style" }],
};
export const PARTS: FakeParts = {
  tools: [TOOL],
  resources: [README, LOGO],
  templates: [ITEM, ANY_PATH],
  prompts: [SUMMARY],
};
export const CATALOG = fakeCatalog(PARTS);

export const README_ID = fakeResourceId(README);
export const LOGO_ID = fakeResourceId(LOGO);
export const ITEM_ID = fakeResourceId(ITEM);
export const PATH_ID = fakeResourceId(ANY_PATH);
export const SUMMARY_ID = fakePromptId(SUMMARY);

export const text = (value: string) => ({ type: "text", text: value });
export const LARGE = Array.from({ length: 3_000 }, (_, line) => `line ${line} of something long`).join("\n");

export interface RunOptions extends FakeGatewayOptions {
  /** What every server answers. */
  readonly result?: Record<string, unknown>;
  readonly caller?: ReturnType<typeof fakeCaller>;
}

/** The gateway over resources and prompts of two servers, which answer the same to everything. */
export function run(options: RunOptions = {}) {
  const { result, caller = fakeCaller(), ...given } = options;
  const made = fakeGateway({
    catalog: CATALOG,
    ...(result === undefined ? {} : { answer: () => ok(result) }),
    ...given,
  });
  const call = (name: string, args: unknown = {}): Promise<ToolAnswer | undefined> =>
    made.surface.call(name, args, caller.context);
  const read = (id: string = README_ID, more: object = {}) =>
    call("resource_read", { resource_id: id, ...more });
  const get = (args: object = { repo: "r" }, more: object = {}) =>
    call("prompt_get", { prompt_id: SUMMARY_ID, args, ...more });
  const view = (handle: unknown, selector: object) => call("tool_view", { handle, selector });
  /** Every request that reached a server. */
  const requests = () =>
    made.calls.map(({ server, request: { method, params } }) => ({ server, method, params }));
  return { ...made, caller, call, read, get, view, requests };
}

export const readmeOf = (value: string, more: object = {}) => ({
  contents: [{ uri: README.uri, mimeType: "text/markdown", text: value, ...more }],
});

export const message = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });

/** Servers that say the same of a resource and in a prompt. */
export const both = (value: string): Pick<RunOptions, "answer"> => ({
  answer: ({ request: { method } }) =>
    ok(method === "resources/read" ? readmeOf(value) : { messages: [message("user", text(value))] }),
});

/** A configuration whose gateway says this, and the block of the first server besides. */
export const config = (gateway: object, block: object = {}) => ({
  config: { mcpServers: { fs: { url: "https://fs.example/mcp", ...block } }, gateway },
});

export const codeOf = (answer: ToolAnswer | undefined): unknown => jsonOf(answer)["error"];

/** The texts of an answer's parts; of a part that is none, the part. */
export const shownOf = (answer: ToolAnswer | undefined): unknown[] =>
  (answer?.content ?? []).map((part) => memberOf(part, "text") ?? part);

export const artifactsOf = (answer: ToolAnswer | undefined) =>
  listOf(envelopeOf(answer), "artifacts").map((artifact) => ({
    handle: memberOf(artifact, "handle"),
    type: memberOf(artifact, "media_type"),
    size: memberOf(artifact, "size_bytes"),
    label: memberOf(artifact, "label"),
  }));

export { envelopeOf, fakeCaller, jsonOf, textOf };
