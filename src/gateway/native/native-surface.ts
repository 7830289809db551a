import type { GatewayFailure } from "../../errors.ts";
import type { ListedForm } from "../../identity/listed-form.ts";
import { fail, type Result } from "../../result.ts";
import { type RpcProblem, UNNAMED_CALL } from "../../surface.ts";
import { admittedCall } from "../admitted-context.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";
import { kindsIn } from "../primitives/kind-catalogs.ts";
import type { NativePart } from "../proxy/native-part.ts";
import { complete } from "./complete.ts";
import { nativeList, NATIVE_LISTS } from "./native-list.ts";
import type { NativeRequest } from "./native-request.ts";
import { nativeProblem } from "./native-problem.ts";
import { nativePrompt, nativeRead } from "./native-fetch.ts";
import { relinked } from "./relinked.ts";
import { promptFailed } from "../telling/prompt-event.ts";
import { readFailed } from "../telling/read-event.ts";

type Answer = Result<Readonly<Record<string, unknown>>, RpcProblem>;

interface Handler {
  readonly answer: (request: NativeRequest) => Promise<Answer>;
  /** Tells of a call that did not get as far as to tell of itself. */
  readonly failed?: (failure: GatewayFailure, context: CallContext) => void;
}

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...NATIVE_LISTS.map((list): [string, Handler] => [
    list.method,
    { answer: (request) => nativeList(list, request) },
  ]),
  [
    "resources/read",
    {
      answer: nativeRead,
      failed: (failure, context) => {
        context.tell(readFailed(failure));
      },
    },
  ],
  [
    "prompts/get",
    {
      answer: nativePrompt,
      failed: (failure, context) => {
        context.tell(promptFailed(failure));
      },
    },
  ],
  ["completion/complete", { answer: complete }],
]);

/**
 * Resources, prompts and completions as MCP's own clients ask for them, of all servers together. Every request is admitted once,
 * nothing throws across it, and whatever fails is an error of the protocol with the typed error beside it.
 */
export function nativePart(ports: GatewayPorts, names: ListedForm): NativePart {
  return {
    admitting: new Set(HANDLERS.keys()),
    capabilities: async () => {
      const current = await ports.catalogs.current();
      // Where there is no catalog yet nobody can tell, and a client asks once.
      const { resource, prompt } = current.ok ? kindsIn(current.value) : { resource: true, prompt: true };
      return { resources: resource, prompts: prompt, completions: resource || prompt };
    },
    request: async (method, params, context, asked = UNNAMED_CALL) => {
      const handler = HANDLERS.get(method);
      if (handler === undefined) return undefined;
      // A read under a name would be written down, and its first answer is none that could be given again here.
      const origin = { ...asked, idempotencyKey: null };
      return admittedCall<Answer>(
        (admitted) => handler.answer({ params, context: admitted, ports, names, origin }),
        (failure, admitted) => {
          handler.failed?.(failure, admitted);
          return fail(nativeProblem(failure, ports));
        },
        context,
        ports,
      );
    },
    relinked: (result, tool, context) => relinked(result, tool.server, context, ports),
  };
}
