import type { KeptSession } from "./admission.ts";
import type { CallAccount } from "./call-account.ts";
import type { Executed } from "./execute.ts";
import type { DispatchTool, ExecutePorts, JournalReport, KeptArtifact } from "./ports.ts";
import type { Hydrated } from "./hydrate.ts";

/** What there is to report besides how the call ended; a call that was not sent has nothing of it. */
export interface Leavings<Tool> {
  /** Counts as seen. */
  readonly hydrated?: Hydrated<Tool>;
  /** `resumed` is the session that the call began with, `session` the one to keep. */
  readonly upstream?: {
    readonly key: string;
    readonly resumed: KeptSession | undefined;
    readonly session: KeptSession | null;
  } | null;
  readonly kept?: readonly KeptArtifact[];
  readonly journal?: JournalReport | null;
}

/** Reports how the call ended and what it left behind, and gives the ending back. */
export function settle<Tool extends DispatchTool, Answer>(
  executed: Executed<Answer>,
  account: CallAccount<Tool>,
  { hydrated, upstream, kept = [], journal = null }: Leavings<Tool>,
  ports: Pick<ExecutePorts<Tool, Answer>, "settle">,
): Executed<Answer> {
  // What is in no catalog is in no session's browse either.
  const seen =
    hydrated === undefined || hydrated.isUnlisted === true
      ? null
      : { tool: hydrated.tool, catalogVersion: hydrated.catalog.version };
  const { opened, lost } =
    upstream === undefined || upstream === null
      ? { opened: [], lost: [] }
      : sessionChange(upstream.key, upstream.resumed, upstream.session);
  ports.settle({ seen, opened, lost, kept, journal, executed, account });
  return executed;
}

/** What there is to report of an upstream's session, which a call began with and left behind. */
export function sessionChange(key: string, before: KeptSession | undefined, after: KeptSession | null) {
  if (after === null) {
    return { opened: [], lost: before === undefined ? [] : [{ key, sessionId: before.sessionId }] };
  }
  const same = before?.sessionId === after.sessionId && before.protocolVersion === after.protocolVersion;
  // The new one takes the old one's place, so that one need not be reported lost.
  return { opened: same ? [] : [{ key, ...after }], lost: [] };
}
