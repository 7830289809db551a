import { vi } from "vitest";
import { memberOf } from "../../src/json.ts";

interface Seen {
  readonly host: string;
  readonly method: string;
  /** The JSON-RPC method. */
  readonly rpc: string;
}

/** A kind that is left out is not declared. */
interface OtherLists {
  readonly resources?: readonly unknown[];
  readonly templates?: readonly unknown[];
  readonly prompts?: readonly unknown[];
}

type Answer = () => Response | Promise<Response>;

/** Upstream servers behind `fetch`, by the first label of their host; nothing leaves the isolate. */
export function stubUpstreams() {
  const listings = new Map<string, readonly unknown[]>();
  const others = new Map<string, OtherLists>();
  const failures = new Map<string, Answer>();
  const gates = new Map<string, Promise<void>>();
  const seen: Seen[] = [];

  async function answer(url: URL, init: RequestInit): Promise<Response> {
    const text = typeof init.body === "string" ? init.body : "";
    const message: unknown = text === "" ? {} : JSON.parse(text);
    const [host = ""] = url.hostname.split(".");
    const method = memberOf(message, "method");
    const rpc = typeof method === "string" ? method : "";
    seen.push({ host, method: init.method ?? "", rpc });
    await gates.get(host);
    const failure = failures.get(host);
    if (failure !== undefined) return failure();
    const result = (value: unknown) =>
      Response.json(
        { jsonrpc: "2.0", id: memberOf(message, "id"), result: value },
        { headers: { "mcp-session-id": "s-1" } },
      );
    if (rpc === "initialize") {
      const serverInfo = { name: host, version: "1" };
      const { resources, prompts } = others.get(host) ?? {};
      const capabilities = {
        tools: {},
        ...(resources === undefined ? {} : { resources: {} }),
        ...(prompts === undefined ? {} : { prompts: {} }),
      };
      return result({ protocolVersion: "2025-06-18", capabilities, serverInfo });
    }
    const { resources = [], templates = [], prompts = [] } = others.get(host) ?? {};
    if (rpc === "resources/list") return result({ resources });
    if (rpc === "resources/templates/list") return result({ resourceTemplates: templates });
    if (rpc === "prompts/list") return result({ prompts });
    if (rpc === "tools/list") return result({ tools: listings.get(host) ?? [] });
    return new Response(null, { status: 202 });
  }

  const start = () => {
    vi.stubGlobal("fetch", (url: string | URL, init: RequestInit = {}) => answer(new URL(url), init));
  };
  start();
  return {
    seen,
    tools: (host: string, tools: readonly unknown[]) => {
      failures.delete(host);
      listings.set(host, tools);
    },
    /** What a server has beside tools. */
    others: (host: string, lists: OtherLists) => {
      others.set(host, lists);
    },
    fails: (host: string, failure: Answer) => {
      failures.set(host, failure);
    },
    /** Answers only once the returned function is called. */
    holds: (host: string, tools: readonly unknown[]) => {
      let open = (): void => undefined;
      listings.set(host, tools);
      gates.set(
        host,
        new Promise<void>((resolve) => {
          open = resolve;
        }),
      );
      return () => {
        open();
      };
    },
    reset: () => {
      for (const map of [listings, others, failures, gates]) map.clear();
      seen.length = 0;
      start();
    },
  };
}
