import type { KeptSession } from "./admission.ts";
import type { DispatchTool, ExecutePorts, JournalReport, KeptArtifact } from "./ports.ts";
import type { Hydrated } from "./hydrate.ts";

/** Reports what the call left behind. `resumed` is the session that it began with, `session` the one to keep. */
export function settle<Tool extends DispatchTool>(
  { tool, catalog }: Hydrated<Tool>,
  upstream: {
    readonly key: string;
    readonly resumed: KeptSession | undefined;
    readonly session: KeptSession | null;
  } | null,
  kept: readonly KeptArtifact[],
  journal: JournalReport | null,
  ports: Pick<ExecutePorts<Tool, unknown>, "settle">,
): void {
  const { opened, lost } =
    upstream === null
      ? { opened: [], lost: [] }
      : sessionChange(upstream.key, upstream.resumed, upstream.session);
  ports.settle({ tool, catalogVersion: catalog.version, opened, lost, kept, journal });
}

function sessionChange(key: string, before: KeptSession | undefined, after: KeptSession | null) {
  if (after === null) {
    return { opened: [], lost: before === undefined ? [] : [{ key, sessionId: before.sessionId }] };
  }
  const same = before?.sessionId === after.sessionId && before.protocolVersion === after.protocolVersion;
  // The new one takes the old one's place, so that one need not be reported lost.
  return { opened: same ? [] : [{ key, ...after }], lost: [] };
}
