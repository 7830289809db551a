import type { LifecycleState } from "./lifecycle.ts";
import type { WorkerHandshakePhase } from "./worker-handshake.ts";

/**
 * The lifecycle state that may be reported. A host that still believes itself `ready` while its worker is not is
 * `recovering`; every other state stays as it is, since a worker's handshake alone makes no host ready.
 */
export function reportedState(lifecycle: LifecycleState, handshake: WorkerHandshakePhase): LifecycleState {
  return lifecycle === "ready" && handshake !== "ready" ? "recovering" : lifecycle;
}
