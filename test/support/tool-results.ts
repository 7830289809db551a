import { ok } from "../../src/result.ts";
import type { ToolAnswer } from "../../src/surface.ts";
import { fakeCatalog, fakeId } from "./fake-catalog.ts";
import { fakeCaller, fakeGateway, textOf } from "./fake-gateway.ts";

/** A tool whose upstream answers one result, and results to answer. */
export const TOOL = { namespace: "files", name: "read_file" };
export const ID = fakeId(TOOL);
const KEPT = /^kept (?<type>\S+) (?<size>\d+) bytes: tool_view (?<call>\{.*\})$/;

export async function run(
  result: Record<string, unknown>,
  render = "porcelain",
  options: { broken?: boolean; artifacts?: object } = {},
) {
  const gateway = fakeGateway({
    catalog: fakeCatalog([TOOL]),
    answer: () => ok(result),
    ...(options.artifacts === undefined ? {} : { config: { gateway: { artifacts: options.artifacts } } }),
  });
  gateway.artifacts.broken = options.broken ?? false;
  const caller = fakeCaller();
  const answer = await gateway.surface.call("tool_execute", { tool_id: ID, render }, caller.context);
  return { answer, caller, ...gateway };
}

export function keptOf(answer: ToolAnswer | undefined, part: number) {
  const groups = KEPT.exec(textOf(answer, part))?.groups;
  const call: unknown = JSON.parse(groups?.["call"] ?? "{}");
  return { type: groups?.["type"], size: Number(groups?.["size"]), call };
}

export const text = (value: string) => ({ type: "text", text: value });
export const PNG = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
export const LARGE_IMAGE = {
  type: "image",
  data: Buffer.alloc(262_145, 7).toString("base64"),
  mimeType: "image/png",
};
export const PARAGRAPH = "The first paragraph says what it is about.";
export const LARGE = `${PARAGRAPH}\n\n${"A line of the rest, of some length.\n".repeat(400)}`;
