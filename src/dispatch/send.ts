import type { GatewayFailure } from "../errors.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Hydrated } from "./hydrate.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type { KeptSession } from "./admission.ts";
import type { DispatchTool, ExecutePorts, Upstream, UpstreamReport } from "./ports.ts";

/** A call made: what came of it, and what has become of the upstream's session. */
export interface Sent {
  readonly result: Result<Readonly<Record<string, unknown>>, GatewayFailure>;
  readonly session: KeptSession | null;
}

/**
 * Calls the upstream, on the kept session where there is one. A server that does not know a tool of the catalog is told
 * to the model as the missing tool that it is, and the catalog is refreshed behind the answer.
 */
export async function send<Tool extends DispatchTool>(
  { catalog, tool }: Hydrated<Tool>,
  args: Readonly<Record<string, unknown>>,
  upstream: Upstream,
  session: KeptSession | undefined,
  replay: ReplayContract,
  { catalogs, sees }: Pick<ExecutePorts<Tool, unknown>, "catalogs" | "sees">,
): Promise<Sent> {
  const report = await callSafely(upstream, tool.upstreamName, args, session);
  if (report.answer.ok) return { result: ok(report.answer.value), session: report.session };
  const failure = report.answer.reason;
  const unknown = failure.reason === "unknown_tool";
  if (unknown) catalogs.refreshSoon(`the upstream does not know ${tool.id}`);
  const others = (id: string): boolean => id !== tool.id && sees(id);
  const problem: GatewayFailure = {
    reason: "upstream",
    path: tool.id,
    failure,
    replay,
    didYouMean: unknown ? catalog.similar(tool.id, DID_YOU_MEAN_MAX_COUNT, others) : [],
  };
  return { result: fail(problem), session: report.session };
}

/** A port that throws has failed somewhere on the way: whether the tool ran is then anybody's guess. */
async function callSafely(
  upstream: Upstream,
  name: string,
  args: Readonly<Record<string, unknown>>,
  session: KeptSession | undefined,
): Promise<UpstreamReport> {
  try {
    return await upstream.call(name, args, session);
  } catch (error) {
    return {
      answer: fail({ reason: "protocol", outcome: "unknown", detail: String(error) }),
      session: null,
    };
  }
}
