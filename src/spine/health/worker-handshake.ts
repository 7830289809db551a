/** How far one worker is with the protocol's own beginning, whatever the host makes of it. */
export const WORKER_HANDSHAKE_PHASES = [
  /** There is no worker. */
  "absent",
  /** It was started and has not been spoken to. */
  "starting",
  /** `initialize` was sent and is not answered. */
  "initializing",
  "ready",
  /** It will not serve. */
  "failed",
] as const;

export type WorkerHandshakePhase = (typeof WORKER_HANDSHAKE_PHASES)[number];

export function isWorkerHandshakePhase(value: unknown): value is WorkerHandshakePhase {
  return WORKER_HANDSHAKE_PHASES.some((phase) => phase === value);
}
