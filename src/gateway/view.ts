import { refusalOf } from "../dispatch/admit.ts";
import type { GatewayFailure } from "../errors.ts";
import { type ArtifactRecord, isHandle } from "../firewall/artifacts/artifact.ts";
import type { Selector } from "../firewall/view/selector.ts";
import type { View, ViewProblem } from "../firewall/view/plan.ts";
import { planView } from "../firewall/view/view.ts";
import type { ToolAnswer } from "../surface.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { fail, ok, type Result } from "../result.ts";
import { errorAnswer, objectAnswer, shownPath, textPart } from "./answers.ts";
import { visibleJson } from "../exact-json/visible.ts";
import { readViewArguments } from "./arguments.ts";
import { artifactsNotReady, withArtifactBytes } from "./artifact-bytes.ts";
import type { CallContext } from "./call-context.ts";
import { permitView } from "./permit-view.ts";
import type { GatewayPorts } from "./ports.ts";
import { findOfAnyKind } from "./primitives/kind-catalogs.ts";
import { quotaAsk } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { viewCompleted, viewFailed } from "./telling/view-event.ts";

/** `tool_view`: a bounded part of what a result kept back. One `admit` and one range read. */
export async function view(args: unknown, context: CallContext, ports: GatewayPorts): Promise<ToolAnswer> {
  const read = readViewArguments(args);
  if (!read.ok) {
    context.tell(viewFailed(null, null, read.reason));
    return errorAnswer(read.reason);
  }
  const { handle, selector, render } = read.value;
  const { toolId, shown } = await viewArtifact(handle, selector, context, ports);
  if (!shown.ok) {
    if (shown.reason.reason === "not_ready") ports.log(shown.reason.detail);
    context.tell(viewFailed(toolId, selector, shown.reason));
    return errorAnswer(shown.reason);
  }
  context.tell(viewCompleted(toolId, selector, shown.value));
  if (shown.value.selector.type !== "content") {
    return objectAnswer(render, shown.value, porcelain(shown.value));
  }
  const part = wholePart(handle, shown.value);
  return objectAnswer(render, besidePart(shown.value), [part], [part]);
}

/** An artifact that may be read. */
interface Found {
  readonly record: ArtifactRecord;
  /** What it is if its bytes are not there after all. */
  readonly missing: Result<never, GatewayFailure>;
}

/** What came of a view, and the tool that brought the artifact where it was found. */
interface Viewed {
  readonly toolId: string | null;
  readonly shown: Result<View, GatewayFailure>;
}

/** Finds the artifact, asks the rules about the tool that brought it, and reads. */
async function viewArtifact(
  handle: string,
  selector: Selector,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Viewed> {
  const found = await findRecord(handle, context, ports);
  if (!found.ok) return { toolId: null, shown: found };
  const { record, missing } = found.value;
  const { toolId } = record;
  const permitted = await permitView(record, selector, context, ports);
  if (!permitted.ok) return { toolId, shown: permitted };
  const read = await readView(record, selector, context, ports);
  const shown = !read.ok && read.reason.reason === "no_artifact" ? missing : read;
  return { toolId, shown: shown.ok ? ok(await redacted(shown.value, toolId, ports)) : shown };
}

/**
 * What was kept before redaction was asked for holds what it held. A secret that a view cuts in two may not be seen as one;
 * what was kept since has none.
 */
async function redacted(shown: View, toolId: string, ports: GatewayPorts): Promise<View> {
  if (shown.text === undefined || !ports.redacts) return shown;
  const loaded = await ports.catalogs.current();
  const server = loaded.ok ? findOfAnyKind(loaded.value, toolId)?.server : undefined;
  const redactor = ports.redactor(server);
  return redactor === undefined ? shown : { ...shown, text: redactor.text(shown.text).text };
}

/**
 * The artifact's record: from the ledger, or from beside the bytes where the ledger does not know it yet (a view right
 * after its execute) or no longer. Only the caller's own artifacts, of tools that exist for it, are ever found, and every
 * miss looks the same, but that of one which gave way.
 */
async function findRecord(
  handle: string,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<Found, GatewayFailure>> {
  const path = shownPath(handle);
  const never = fail<GatewayFailure>({ reason: "no_artifact", path });
  const known = isHandle(handle);
  const quota = quotaAsk("tool_view", ports);
  const admission = await context.admit(known ? { ...quota, artifacts: [handle] } : quota);
  if (!admission.admitted) return fail(refusalOf(admission, path, "tool_view"));
  if (!known) return never;
  const gone = admission.goneArtifacts?.find(({ toolId }) => context.sees(toolId));
  const missing = gone ? fail<GatewayFailure>({ reason: "no_artifact", path, gaveWay: true }) : never;
  const [row] = admission.artifacts ?? [];
  let record: ArtifactRecord | null = row ?? null;
  if (record === null) {
    const found = await ports.artifacts.find(principalObjectName(context.principal), handle);
    if (!found.ok) return fail(artifactsNotReady(handle, found.reason.detail));
    record = found.value;
  }
  if (record === null || record.expiresAtMs <= ports.now() || !context.sees(record.toolId)) return missing;
  if (gone && !gone.mayReturn && record.expiresAtMs <= gone.expiresAtMs) return missing;
  return ok({ record, missing });
}

async function readView(
  record: ArtifactRecord,
  selector: Selector,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<View, GatewayFailure>> {
  const { handle } = record;
  const plan = planView(record, selector);
  if (!plan.ok) return fail(unread(handle, plan.reason));
  const { offset, length, finish } = plan.value;
  if (length === 0) return finished(handle, finish(new Uint8Array()));
  const range = { place: record, offset, length };
  return withArtifactBytes(range, (bytes) => finished(handle, finish(bytes)), context, ports);
}

function finished(handle: string, shown: Result<View, ViewProblem>): Result<View, GatewayFailure> {
  return shown.ok ? shown : fail(unread(handle, shown.reason));
}

function unread(handle: string, problem: ViewProblem): GatewayFailure {
  return { reason: "selector", path: handle, ...problem };
}

function porcelain(shown: View): readonly unknown[] {
  const text = textPart(shown.text ?? shown.blob);
  return shown.next === undefined
    ? [text]
    : [text, textPart(`next: ${visibleJson(JSON.stringify(shown.next))}`)];
}

/** Binary content as a part of its own kind (MCP 2025-11-25, Tools): what is neither seen nor heard is an embedded resource. */
function wholePart(handle: string, { blob, media_type: mimeType }: View): object {
  if (mimeType.startsWith("image/")) return { type: "image", data: blob, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data: blob, mimeType };
  return { type: "resource", resource: { uri: `loomgate://artifact/${handle}`, mimeType, blob } };
}

/** The object beside the part: megabytes of base64 in it would be text that a model reads. */
function besidePart({ media_type, selector, total }: View): View {
  return { text: `the content itself, ${total.bytes} bytes`, media_type, selector, total };
}
