import type { FirstAnswer } from "../../dispatch/admission.ts";
import type { GatewayFailure } from "../../errors.ts";
import { decodeUtf8 } from "../../firewall/result/utf8.ts";
import { principalObjectName } from "../../principal/object-name.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ToolAnswer } from "../../surface.ts";
import { artifactsNotReady, withArtifactBytes } from "../artifact-bytes.ts";
import { readAnswer } from "../first-answer.ts";
import type { GatewayPorts } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * What a call answered when it was made before, whole: nobody could view an artifact here, so that one the journal only has
 * the handle of is read back.
 */
export async function wholeFirstAnswer(
  first: FirstAnswer,
  toolId: string,
  context: RequestContext,
  ports: Pick<GatewayPorts, "artifacts" | "buffers" | "now">,
): Promise<Result<ToolAnswer, GatewayFailure>> {
  const gone = fail<GatewayFailure>({ reason: "answer_gone", path: toolId });
  if (first === null) return gone;
  if ("text" in first) return answerIn(first.text, gone);
  const { handle } = first;
  const found = await ports.artifacts.find(principalObjectName(context.principal), handle);
  if (!found.ok) return fail(artifactsNotReady(toolId, found.reason.detail));
  const record = found.value;
  if (record === null || record.expiresAtMs <= ports.now()) return gone;
  const range = { place: record, offset: 0, length: record.sizeBytes };
  const read = await withArtifactBytes(range, (bytes) => answerIn(decodeUtf8(bytes), gone), context, ports);
  return !read.ok && read.reason.reason === "no_artifact" ? gone : read;
}

function answerIn(text: string, gone: Result<never, GatewayFailure>): Result<ToolAnswer, GatewayFailure> {
  const answer = readAnswer(text);
  return answer === undefined ? gone : ok(answer);
}
