import type { FirstAnswer } from "../../../src/dispatch/admission.ts";
import type { AdmitAsk } from "../../../src/gateway/request-context.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";

/** A caller whose journal knows calls by their idempotency keys, as its object does. */
export function journalledCaller() {
  const attempts = new Map<string, string>();
  const caller = fakeCaller({
    answer: (ask: AdmitAsk) => {
      const key = ask.journal?.idempotencyKey;
      if (typeof key !== "string") return undefined;
      const before = attempts.get(key);
      if (before === undefined) attempts.set(key, ask.attempt ?? "");
      return {
        version: 1,
        admitted: true,
        newestGeneration: ask.catalogVersion?.generation ?? null,
        stale: false,
        arrangement: null,
        upstreamSessions: [],
        journal:
          before === undefined
            ? { disposition: "run" as const }
            : { disposition: "answered" as const, answer: answerOf(before) },
        rowsWritten: 0,
      };
    },
  });
  const answerOf = (attempt: string): FirstAnswer =>
    caller.reports.find(({ journal }) => journal?.attempt === attempt)?.journal?.answer ?? null;
  return caller;
}
