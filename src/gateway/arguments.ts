import type { ArgumentProblem, GatewayFailure } from "../errors.ts";
import { plainJson } from "../exact-json/plain.ts";
import { parseStringifiedObject } from "../dispatch/tolerant.ts";
import { readSelector, type Selector, type SelectorProblem } from "../firewall/view/selector.ts";
import { isRecord, memberOf } from "../json.ts";
import { ok, type Result } from "../result.ts";
import type { Render } from "./answers.ts";
import { judgeArguments, refuseArguments } from "./judge-arguments.ts";
import { type BrowseName, INPUT_SCHEMAS, type MetaToolName } from "./meta-tools.ts";

export type BrowseArguments = {
  /** `undefined`: the configuration's. */
  readonly topK: number | undefined;
  readonly render: Render;
} & (
  | { readonly query: string; readonly path?: undefined }
  | { readonly path: string; readonly query?: undefined }
);

export interface ExecuteArguments {
  readonly toolId: string;
  /** An object; where arguments are repaired also the text of one. */
  readonly args: unknown;
  readonly dryRun: boolean;
  readonly render: Render;
}

export interface ViewArguments {
  readonly handle: string;
  readonly selector: Selector;
  readonly render: Render;
}

/** Exactly one of `query` and `path` (seed 000 §3.1), which a schema without `oneOf` cannot say. */
export function readBrowseArguments(
  given: unknown,
  metaTool: BrowseName = "tool_browse",
): Result<BrowseArguments, GatewayFailure> {
  const args = plainJson(given);
  const problems = problemsOf(metaTool, args);
  if (problems.length > 0) return refuse(metaTool, problems);
  const query = memberOf(args, "query");
  const path = memberOf(args, "path");
  const topK = memberOf(args, "top_k");
  const common = { topK: typeof topK === "number" ? topK : undefined, render: renderOf(args) };
  if (typeof query === "string" && path === undefined) return ok({ ...common, query });
  if (typeof path === "string" && query === undefined) return ok({ ...common, path });
  const wanted = `${metaTool} takes exactly one of query and path`;
  return refuse(metaTool, [{ path: "", keyword: "oneOf" }], wanted);
}

/**
 * `args` omitted is `{}`; null is as wrong as any other value that is no object. `tolerant`: the text of an object is one
 * too (seed 000 §4.4), which the pipeline reads with the other repairs. `schema` is the one that the surface shows.
 */
export function readExecuteArguments(
  args: unknown,
  tolerant: boolean,
  schema: (typeof INPUT_SCHEMAS)["tool_execute"] = INPUT_SCHEMAS.tool_execute,
): Result<ExecuteArguments, GatewayFailure> {
  const given = memberOf(args, "args");
  const isText = tolerant && typeof given === "string" && parseStringifiedObject(given) !== undefined;
  // What the text holds is judged by the tool's own schema.
  const judged = isRecord(args) && isText ? { ...args, args: {} } : args;
  const problems = judgeArguments(schema, judged);
  if (problems.length > 0) return refuseArguments(schema, problems, misfit("tool_execute"));
  return ok({
    toolId: String(memberOf(args, "tool_id")),
    args: given ?? {},
    dryRun: memberOf(args, "dry_run") === true,
    render: renderOf(args),
  });
}

export interface FetchArguments {
  readonly id: string;
  /** An object; where arguments are repaired also the text of one. */
  readonly args: unknown;
  readonly render: Render;
}

const ID_OF = { resource_read: "resource_id", prompt_get: "prompt_id" } as const;

/** Of `resource_read` and `prompt_get`; `args` as in {@link readExecuteArguments}. */
export function readFetchArguments(
  args: unknown,
  metaTool: keyof typeof ID_OF,
  tolerant: boolean,
): Result<FetchArguments, GatewayFailure> {
  const given = memberOf(args, "args");
  const isText = tolerant && typeof given === "string" && parseStringifiedObject(given) !== undefined;
  const problems = problemsOf(metaTool, isRecord(args) && isText ? { ...args, args: {} } : args);
  if (problems.length > 0) return refuse(metaTool, problems);
  return ok({ id: String(memberOf(args, ID_OF[metaTool])), args: given ?? {}, render: renderOf(args) });
}

export function readViewArguments(given: unknown): Result<ViewArguments, GatewayFailure> {
  // What we reckon with ourselves is numbers as JavaScript has them; only a tool's own arguments stay as written.
  const args = plainJson(given);
  const problems = problemsOf("tool_view", args);
  if (problems.length > 0) return refuse("tool_view", problems);
  const selector = readSelector(memberOf(args, "selector"));
  if (!selector.ok) {
    const { path, keyword } = selector.reason;
    const schema = boundSchema(selector.reason);
    return refuseArguments(schema, [{ path: `/selector${path}`, keyword }], misfit("tool_view"));
  }
  return ok({
    handle: String(memberOf(args, "handle")),
    selector: selector.value,
    render: renderOf(args),
  });
}

/** The schema with the bound that was broken: there is no room in `tools/list` for those that hardly anybody meets. */
function boundSchema({ path, keyword, bound }: SelectorProblem): (typeof INPUT_SCHEMAS)["tool_view"] {
  const schema = INPUT_SCHEMAS.tool_view;
  const members = memberOf(schema, "properties");
  const selector = memberOf(members, "selector");
  const fields = memberOf(selector, "properties");
  const name = path.slice(1);
  const field = memberOf(fields, name);
  if (!isRecord(members) || !isRecord(selector) || !isRecord(fields) || !isRecord(field)) return schema;
  const narrowed =
    bound === undefined
      ? { ...selector, required: ["type", name] }
      : { ...selector, properties: { ...fields, [name]: { ...field, [keyword]: bound } } };
  return { ...schema, properties: { ...members, selector: narrowed } };
}

/** Judges by the very schemas that `tools/list` shows. */
function problemsOf(tool: MetaToolName, args: unknown): readonly ArgumentProblem[] {
  return judgeArguments(INPUT_SCHEMAS[tool], args);
}

function renderOf(args: unknown): Render {
  return memberOf(args, "render") === "json" ? "json" : "porcelain";
}

function refuse(
  tool: MetaToolName,
  errors: readonly ArgumentProblem[],
  message = misfit(tool),
): Result<never, GatewayFailure> {
  return refuseArguments(INPUT_SCHEMAS[tool], errors, message);
}

function misfit(tool: string): string {
  return `the arguments of ${tool} do not satisfy its schema`;
}
