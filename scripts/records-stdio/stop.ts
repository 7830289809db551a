/** Why the adapter does not serve, as a process tells it (the numbers of sysexits.h). */
export interface Stop {
  readonly exitCode: 64 | 77 | 78;
  readonly reason:
    | "usage"
    | "owner_credential_refused"
    | "not_connected"
    | "credential_expired"
    | "credential_invalid";
  /** For the person who set it up; never with a bearer in it. */
  readonly message: string;
}

export function usage(message: string): Stop {
  return { exitCode: 64, reason: "usage", message };
}

export function ownerRefused(message: string): Stop {
  return { exitCode: 77, reason: "owner_credential_refused", message };
}

export function notReady(
  reason: "not_connected" | "credential_expired" | "credential_invalid",
  message: string,
): Stop {
  return { exitCode: 78, reason, message };
}
