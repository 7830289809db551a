import { env } from "cloudflare:workers";
import { type LedgerEntry, readEntry } from "../../src/outbox/entry.ts";
import type { FlightNote, SettleReport } from "../../src/principal/admit-contract.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { type CallOrigin, freshPrincipal, type RigSettings, workerRig } from "./worker-rig.ts";

const PAY = { namespace: "bank", name: "pay", description: "Pay.", inputSchema: { type: "object" } };
const RATES = {
  namespace: "bank",
  name: "rates",
  description: "Exchange rates.",
  inputSchema: { type: "object", properties: { day: { type: "string" } } },
  annotations: { readOnlyHint: true },
};
export const PAY_ID = fakeId(PAY);
export const RATES_ID = fakeId(RATES);

export interface TellingOptions extends RigSettings {
  readonly deed?: Deed;
  /** The artifact store does not answer. */
  readonly noStore?: boolean;
  /** How many reports find the principal's object away. */
  readonly lostSettles?: number;
  /** The handshake is answered like any call. */
  readonly deedToHandshake?: boolean;
}

/** The whole Worker over real objects, with everything that is reported to a principal's object in view. */
export function tellingWorker({
  deed = (id, call) => result(id, text(`done ${call}`)),
  deedToHandshake = false,
  noStore = false,
  lostSettles = 0,
  server,
  ...settings
}: TellingOptions = {}) {
  const reports: SettleReport[] = [];
  let admits = 0;
  let lost = lostSettles;
  const { fetch, bodies } = bankUpstream(deed, { deedToHandshake });
  const watched = (name: string) => {
    const stub = env.PRINCIPALS.getByName(name);
    return new Proxy(stub, {
      get: (_target, method) => {
        if (method === "admit") {
          return (ask: Parameters<typeof stub.admit>[0]) => {
            admits += 1;
            return stub.admit(ask);
          };
        }
        if (method === "noteFlight") return (note: FlightNote) => stub.noteFlight(note);
        if (method !== "settle") throw new Error(`nobody asks for ${String(method)}`);
        return (report: SettleReport) => {
          if ((lost -= 1) >= 0) return Promise.reject(new Error("the object is being moved"));
          reports.push(report);
          return stub.settle(report);
        };
      },
    });
  };
  const rig = workerRig({
    ...settings,
    server: { timeout_ms: 300, ...server },
    tools: [PAY, RATES],
    fetch,
    bindings: {
      PRINCIPALS: new Proxy(env.PRINCIPALS, { get: () => watched }),
      ...(noStore && {
        ARTIFACTS: new Proxy(env.ARTIFACTS, { get: () => () => Promise.reject(new Error("R2 10001")) }),
      }),
    },
  });
  const principal = freshPrincipal("teller");
  /** One session of a principal. */
  const client = async (bearer?: string) => {
    const session = await rig.openSession(bearer ?? (await bearerFor({ principal })));
    return {
      ...session,
      /** Sends and does not wait for the answer: ends with what the Worker was asked to stay alive for. */
      leave: async (body: string, whenGone: () => Promise<void>): Promise<void> => {
        const gone = new AbortController();
        const { response, settled } = await session.begin(body, gone.signal);
        response.catch(() => undefined);
        await whenGone();
        gone.abort();
        await settled();
      },
      pay: ({ dry_run, ...origin }: CallOrigin & { dry_run?: boolean } = {}) =>
        session.call(
          "tool_execute",
          { tool_id: PAY_ID, args: { amount: 1 }, ...(dry_run !== undefined && { dry_run }) },
          origin,
        ),
    };
  };
  /** What was told so far, and is forgotten here. */
  const told = (): LedgerEntry[] =>
    reports.splice(0).flatMap((report) =>
      (report.told ?? []).map((entry) => {
        const read = readEntry(entry);
        if (!read.ok) throw new Error(`${read.reason}: ${entry}`);
        return read.value;
      }),
    );
  return {
    client,
    send: rig.send,
    told,
    reports,
    principal,
    admits: () => admits,
    calls: () => bodies.length,
  };
}
