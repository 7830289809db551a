import { askTwice } from "../ask-object.ts";
import { type Delivery, LEDGER_OBJECT_NAME, type Receipt } from "../outbox/delivery.ts";
import { fail, ok, type Result } from "../result.ts";
import type {
  EventPage,
  EventsAnswer,
  EventsRequest,
  LedgerView,
  ReadAnswer,
  ReadRequest,
} from "./ledger-contract.ts";
import type { LedgerObject } from "./ledger-object.ts";

/** What this room adds to the Worker's environment. */
export interface LedgerBindings {
  readonly LEDGER: DurableObjectNamespace<LedgerObject>;
}

/** The object gave no answer, or one that nobody asked for. */
export interface LedgerUnreachable {
  readonly reason: "ledger_unreachable";
  /** For the operator's log. */
  readonly detail: string;
}

/** The ledger's object, as the Worker reads it. Nothing here throws. */
export interface LedgerPort {
  read(config: string | null): Promise<Result<LedgerView, LedgerUnreachable>>;
  events(request: Omit<EventsRequest, "version">): Promise<Result<EventPage, LedgerUnreachable>>;
}

/** What of the platform's namespace is used. */
export interface LedgerNamespace {
  getByName(name: string): {
    deliver(delivery: Delivery): Promise<Receipt>;
    read(request: ReadRequest): Promise<ReadAnswer>;
    events(request: EventsRequest): Promise<EventsAnswer>;
  };
}

type LedgerStub = ReturnType<LedgerNamespace["getByName"]>;

/** The way to the ledger. */
export function ledgerPort(ledgers: LedgerNamespace): LedgerPort {
  return {
    read: async (config) => {
      const answer = await asked(ledgers, async (stub) => stub.read({ version: 1, config }));
      if (!answer.ok) return answer;
      return isRefused(answer.value) ? NOT_UNDERSTOOD : ok(answer.value);
    },
    events: async (request) => {
      const answer = await asked(ledgers, async (stub) => stub.events({ version: 1, ...request }));
      if (!answer.ok) return answer;
      return isRefused(answer.value) ? NOT_UNDERSTOOD : ok(answer.value);
    },
  };
}

const NOT_UNDERSTOOD = fail({
  reason: "ledger_unreachable",
  detail: "the ledger's object is of another version",
} as const);

/** Whether an object of another version is at the other end. */
function isRefused<Answer extends object>(
  answer: Answer,
): answer is Extract<Answer, { readonly refused: string }> {
  return "refused" in answer || !("version" in answer) || answer.version !== 1;
}

async function asked<Answer>(
  ledgers: LedgerNamespace,
  ask: (stub: LedgerStub) => Promise<Answer>,
): Promise<Result<Answer, LedgerUnreachable>> {
  const answer = await askTwice(() => ledgers.getByName(LEDGER_OBJECT_NAME), ask);
  return answer.ok ? answer : fail({ reason: "ledger_unreachable", detail: answer.reason });
}
