/** What somebody found out who looked at the downstream state instead of trying again. */
export const PROBE_RESOLUTIONS = ["already_completed", "safe_to_replay"] as const;

export type ProbeResolution = (typeof PROBE_RESOLUTIONS)[number];

export function isProbeResolution(value: unknown): value is ProbeResolution {
  return PROBE_RESOLUTIONS.some((known) => known === value);
}
