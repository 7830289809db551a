import { fail, ok, type Result } from "./result.ts";

/**
 * Asks a Durable Object what may be asked again, and once more where the platform says that it may help. A stub that threw is
 * dead, so each attempt has its own; an overloaded object is left alone. The failure is text for the operator's log.
 */
export async function askTwice<Stub, Answer>(
  stub: () => Stub,
  ask: (stub: Stub) => Promise<Answer>,
): Promise<Result<Answer, string>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return ok(await ask(stub()));
    } catch (error) {
      if (attempt < 2 && mayRepeat(error)) continue;
      return fail(String(error));
    }
  }
}

function mayRepeat(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    "retryable" in error && error.retryable === true && !("overloaded" in error && error.overloaded === true)
  );
}
