/** What is full, as a limit is named. */
export const ARTIFACTS_SCOPE = "artifacts";
/** As many of a principal's calls as may are under way; nothing was sent. */
export const UNDER_WAY_SCOPE = "principal/in_flight";

/** Which limit of ours stands in the way, for whoever reads no scope. */
export function limitedMessage(scope: string): string {
  return scope === UNDER_WAY_SCOPE
    ? "too many calls are under way at once"
    : "the gateway limits the rate of calls";
}
