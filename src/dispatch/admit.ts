import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { CatalogVersion, DispatchAdmission, DispatchTool, ExecutePorts, KeptSession } from "./ports.ts";
import { REPLAY } from "./replay.ts";

/** Let in, with the upstream's session if one is kept; or turned back for a newer catalog. */
export type Admitted =
  | { readonly stale: false; readonly session: KeptSession | undefined }
  | { readonly stale: true; readonly newestGeneration: number };

/** Asks the principal's object, once, whether the call may go on. Nothing has been sent when it may not. */
export async function admit<Tool extends DispatchTool>(
  tool: Tool,
  catalogVersion: CatalogVersion,
  upstreams: string[],
  ports: Pick<ExecutePorts<Tool, unknown>, "admit">,
): Promise<Result<Admitted, GatewayFailure>> {
  const admission: DispatchAdmission = await ports.admit({ catalogVersion, upstreams });
  if (!admission.admitted) {
    const { reason } = admission;
    return fail({
      reason: "not_ready",
      path: tool.id,
      what: "principal",
      replay: REPLAY,
      detail: `admit: ${reason}`,
    });
  }
  if (admission.stale && admission.newestGeneration !== null) {
    return ok({ stale: true, newestGeneration: admission.newestGeneration });
  }
  return ok({
    stale: false,
    session: admission.upstreamSessions.find(({ key }) => upstreams.includes(key)),
  });
}
