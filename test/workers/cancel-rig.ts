import { expect } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { fakeId, fakePromptId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { sql } from "./principal-client.ts";
import { freshPrincipal, type RigSettings, workerRig } from "./worker-rig.ts";
import { until } from "./patience.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };
export const PAYMENT = { tool_id: fakeId(PAY), args: {} };
export const NOTE = { namespace: "bank", uri: "note:///1", name: "note" };
export const PROMPT = { namespace: "bank", name: "sum", arguments: [{ name: "style" }] };
export const SESSION = "session-of-bank";

/** A promise that is kept from outside. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}

const paid: Deed = (id) => result(id, text("paid"));

/** The whole Worker, an upstream that notes what it is told, and clients of one principal. */
export function worker({
  deed = paid,
  held = false,
  ...settings
}: RigSettings & { deed?: Deed; held?: boolean } = {}) {
  const { fetch, bodies, notices } = bankUpstream(deed, { session: SESSION, deedToHandshake: held });
  const rig = workerRig({
    ...settings,
    tools: [PAY],
    primitives: { resources: [NOTE], prompts: [PROMPT] },
    fetch,
  });
  const principal = freshPrincipal("payer");
  const client = async (name = principal) => {
    const session = await rig.openSession(await bearerFor({ principal: name }));
    return {
      call: session.call,
      /** Begins a payment under this id, or another call; `result` is what it answers, once nothing is left running. */
      begin: async (id: unknown, tool = "tool_execute", args: object = PAYMENT, key?: string) => {
        const origin = key === undefined ? { id } : { id, key };
        const message = session.message(tool, args, origin);
        const { response, settled } = await session.begin(message, new AbortController().signal);
        return {
          result: async () => {
            const reply: unknown = await (await response).json();
            await settled();
            return memberOf(reply, "result");
          },
        };
      },
      /** The same of several payments in one message; `results` by their ids. */
      beginAll: async (ids: readonly number[]) => {
        const batch = `[${ids.map((id) => session.message("tool_execute", PAYMENT, { id })).join()}]`;
        const { response, settled } = await session.begin(batch, new AbortController().signal);
        return async (): Promise<ReadonlyMap<unknown, unknown>> => {
          const replies: unknown = await (await response).json();
          await settled();
          const all = isJsonArray(replies) ? replies : [];
          return new Map(all.map((reply) => [memberOf(reply, "id"), memberOf(reply, "result")]));
        };
      },
      /** Takes the payment back, in a request of its own; gives the status. */
      cancel: async (requestId: unknown, reason?: string): Promise<number> => {
        const params = { requestId, ...(reason === undefined ? {} : { reason }) };
        const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
        return (await session.post(JSON.stringify(message))).status;
      },
    };
  };
  /** What was cancelled, each thing once: a note that is repeated may cancel once more, which does no harm. */
  const cancelled = () => [
    ...new Map(
      notices
        .filter(({ method }) => method === "notifications/cancelled")
        .map((notice) => [memberOf(notice.params, "requestId"), notice]),
    ).values(),
  ];
  const idOf = (index: number) => memberOf(JSON.parse(bodies[index] ?? "{}"), "id");
  /** Once it is known in which session the one call is: whoever takes it back before has his words told by nobody. */
  const noted = async () =>
    until(
      async () => (await sql(principal, "SELECT 1 FROM flights WHERE session_id IS NOT NULL")).length > 0,
    );
  return { rig, principal, client, bodies, cancelled, idOf, noted };
}

/** Clients of one token that keep no session, whose requests begin and end as the test has it. */
export async function sessionless(rig: ReturnType<typeof worker>["rig"]) {
  const bearer = await bearerFor({ principal: freshPrincipal("payer") });
  const post = (message: object): RequestInit => ({
    method: "POST",
    headers: {
      Authorization: `Bearer ${bearer}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  return {
    /** Ends with the reply, once nothing is left running. */
    begin: async (id: unknown, request: object) => {
      const { response, settled } = await rig.begin("/mcp/proxy", post({ id, ...request }));
      return async (): Promise<string> => {
        const reply = await (await response).text();
        await settled();
        return reply;
      };
    },
    send: async (id: unknown, request: object) =>
      (await rig.send("/mcp/proxy", post({ id, ...request }))).text(),
    cancel: async (requestId: unknown) => {
      const message = { method: "notifications/cancelled", params: { requestId } };
      expect((await rig.send("/mcp/proxy", post(message))).status).toBe(202);
    },
  };
}

export const CALL = { method: "tools/call", params: { name: "tool_execute", arguments: PAYMENT } };
export const READ = { method: "resources/read", params: { uri: NOTE.uri } };
const argument = { name: "style", value: "sh" };
export const FETCHES = [
  READ,
  { method: "prompts/get", params: { name: fakePromptId(PROMPT) } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: fakePromptId(PROMPT) }, argument },
  },
];
export const FETCHED = {
  contents: [{ uri: NOTE.uri, text: "noted" }],
  messages: [{ role: "user", content: { type: "text", text: "noted" } }],
  completion: { values: ["noted"] },
};
