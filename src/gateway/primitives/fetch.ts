import type { CatalogTool } from "../../catalog/catalog.ts";
import { execute as dispatch } from "../../dispatch/execute.ts";
import { PROMPT_GET, RESOURCE_READ, type Verb } from "../../dispatch/verb.ts";
import type { GatewayFailure } from "../../errors.ts";
import type { InlineBounds } from "../../firewall/result/inline-bounds.ts";
import type { Result } from "../../result.ts";
import { type CallLine, type CallOrigin, type ToolAnswer, UNNAMED_CALL } from "../../surface.ts";
import { errorAnswer, shownPath } from "../answers.ts";
import { readFetchArguments } from "../arguments.ts";
import type { CallContext } from "../call-context.ts";
import { firstAnswer } from "../first-answer.ts";
import { type CallForm, callPorts, logFailure } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import { relinkedIfAny } from "../native/relinked.ts";
import { present } from "../present.ts";
import type { CallEvent } from "../telling/call-event.ts";
import { promptFailed } from "../telling/prompt-event.ts";
import { readFailed } from "../telling/read-event.ts";
import { presentationFor } from "../tool-artifacts.ts";
import { cleanListing, CONTENTS, type Line, lineOf, type Listing, MESSAGES } from "./clean-listing.ts";
import { shapePrompt } from "./prompt-result.ts";
import { shapeRead } from "./read-result.ts";
import type { ShapedResult } from "./shaped-result.ts";
import { promptForm, resourceForm, type VerbForm } from "./verb-forms.ts";

/** What reading a resource and getting a prompt do each in their own way. */
interface Fetch {
  readonly verb: Verb & { readonly metaTool: "resource_read" | "prompt_get" };
  readonly form: (context: CallContext, ports: GatewayPorts) => VerbForm;
  readonly listing: Listing;
  /** Of a result without secrets. */
  readonly shape: (
    result: Readonly<Record<string, unknown>>,
    tool: CatalogTool,
    bounds: InlineBounds,
    line: Line,
  ) => Result<ShapedResult, string>;
  readonly failed: (failure: GatewayFailure) => CallEvent;
}

const READ: Fetch = {
  verb: { ...RESOURCE_READ, metaTool: "resource_read" },
  form: resourceForm,
  listing: CONTENTS,
  shape: (result, { upstreamName }, bounds, line) => shapeRead(result, line(upstreamName), bounds, line),
  failed: readFailed,
};

const GET: Fetch = {
  verb: { ...PROMPT_GET, metaTool: "prompt_get" },
  form: (_context, ports) => promptForm(ports),
  listing: MESSAGES,
  shape: (result, { upstreamName }, _bounds, line) => shapePrompt(result, upstreamName, line),
  failed: promptFailed,
};

type Call = (
  args: unknown,
  context: CallContext,
  ports: GatewayPorts,
  origin?: CallOrigin,
  line?: CallLine,
) => Promise<ToolAnswer>;

/** `resource_read`: a resource by its id, its listed name or its URI; a template with its variables, or filled in. */
export const readResource: Call = (...call) => fetchOne(READ, ...call);

/** `prompt_get`: a prompt's messages, with its arguments. */
export const getPrompt: Call = (...call) => fetchOne(GET, ...call);

async function fetchOne(
  kind: Fetch,
  args: unknown,
  context: CallContext,
  ports: GatewayPorts,
  origin: CallOrigin = UNNAMED_CALL,
  line?: CallLine,
): Promise<ToolAnswer> {
  const { verb } = kind;
  const read = readFetchArguments(args, verb.metaTool, ports.controls.gateway.tolerant_args);
  if (!read.ok) {
    context.tell(kind.failed(read.reason));
    return errorAnswer(read.reason);
  }
  const { id, render } = read.value;
  const operation = {
    verb,
    toolId: id,
    path: shownPath(id),
    args: read.value.args,
    dryRun: false,
    origin,
  };
  const form: CallForm = {
    ...kind.form(context, ports),
    present: async (tool, result, notes, keeping) => {
      const { bounds } = presentationFor(ports.controls.gateway.artifacts, tool.id);
      const linked = await relinkedIfAny(result, tool.server, context, ports);
      const clean = cleanListing(kind.listing, linked, tool.server, ports);
      if (!clean.ok) return clean;
      const shaped = kind.shape(clean.value.result, tool, bounds, lineOf(tool.server, ports));
      if (!shaped.ok) return shaped;
      const shaping = { ...shaped.value.shaping, redactions: clean.value.redactions };
      return present(tool, shaped.value.result, notes, keeping, ports, render, shaping);
    },
  };
  const executed = await dispatch(operation, callPorts(form, context, ports, origin, line));
  switch (executed.kind) {
    case "failed":
      logFailure(executed.failure, ports);
      return errorAnswer(executed.failure);
    case "answer":
      return executed.answer;
    case "repeated":
      return firstAnswer(executed.first, executed.toolId);
    case "report":
      throw new Error("a read was run dry");
  }
}
