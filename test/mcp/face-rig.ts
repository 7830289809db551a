import { isJsonArray, parsedJson } from "../../src/json.ts";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { answerLegacy } from "../../src/mcp/legacy.ts";
import { ok } from "../../src/result.ts";
import type { CallLine, RpcProblem, Surface, ToolAnswer } from "../../src/surface.ts";

/** What a test says of a surface: the rest is as little as a surface may be. */
export type PartialSurface = Partial<Surface<null>> & {
  /** The only tool, `work`. */
  readonly work?: (line: CallLine, args: unknown) => Promise<ToolAnswer>;
};

export const DONE: ToolAnswer = { content: [{ type: "text", text: "done" }] };

function surfaceOf({ work = async () => DONE, ...own }: PartialSurface = {}): Surface<null> {
  return {
    name: "rig",
    version: "1.0.0",
    instructions: "Works.",
    admitting: new Set(["tools/call"]),
    tools: async () =>
      ok({ tools: [{ name: "work", description: "Works.", inputSchema: { type: "object" } }] }),
    call: async (name, args, _context, _origin, line = {}) =>
      name === "work" ? work(line, args) : undefined,
    ...own,
  };
}

/** The face over a surface: bodies are texts as they stand on the wire. */
export function face(partial: PartialSurface = {}, refusal: () => RpcProblem | undefined = () => undefined) {
  const surface = surfaceOf(partial);
  const background: Promise<unknown>[] = [];
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const parsed = parseExactJson(body, { duplicates: "refuse" });
    if (!parsed.ok) throw new Error(parsed.reason.reason);
    const all = new Headers({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    });
    const request = {
      url: "https://gateway.example/mcp",
      header: (name: string) => all.get(name) ?? undefined,
    };
    const line = {
      waitUntil: (work: Promise<unknown>) => {
        background.push(work);
      },
      refusal,
    };
    return answerLegacy(request, parsed.value, surface, null, line);
  };
  return { post, background };
}

/** A `tools/call` of `work`, with the JSON of a progress token where it asks for one. */
export function workCall(token?: string, id = "7", args = "{}"): string {
  const meta = token === undefined ? "" : `,"_meta":{"progressToken":${token}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"work","arguments":${args}${meta}}}`;
}

/** The messages of an event stream, each as its text. */
export function eventsOf(text: string): string[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const [head, data, ...more] = block.split("\n");
      if (head !== "event: message" || data === undefined || more.length > 0) throw new Error(block);
      return data.slice("data: ".length);
    });
}

export function jsonList(text: string): readonly unknown[] {
  const list = parsedJson(text);
  return isJsonArray(list) ? list : [];
}

/** A promise that a test keeps. */
export function gate<Value>() {
  let open: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** A request of `method` with the JSON of its parameters. */
export function request(method: string, params = "{}", id = "7"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** Reads a body piece by piece, as it comes. */
export function piecesOf(response: Response): () => Promise<string | undefined> {
  const reader: ReadableStreamDefaultReader<unknown> | undefined = response.body?.getReader();
  const decoder = new TextDecoder();
  return async () => {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    return !done && value instanceof Uint8Array ? decoder.decode(value) : undefined;
  };
}
