import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Scrubber } from "../../../src/scrub/scrub.ts";
import { askWhole, type AskBounds } from "./ask.ts";
import type { Seen } from "./seen.ts";

export type ClientStep = "initialize" | "tools/list" | "tool_browse";

/** What a model's client would get to see. */
export type ClientSeen =
  | { readonly kind: "served"; readonly tools: readonly unknown[]; readonly browse: unknown }
  | {
      readonly kind: "failed";
      readonly step: ClientStep;
      /** Where HTTP already said no. */
      readonly seen?: Seen;
      readonly tools?: readonly unknown[];
    };

/** Statuses that have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Holds the official client to the bounds of every other request, and keeps what HTTP answered last. */
class BoundedFetch {
  refusal: Seen | undefined;
  readonly #scrubber: Scrubber;
  readonly #bounds: AskBounds;

  constructor(scrubber: Scrubber, bounds: AskBounds) {
    this.#scrubber = scrubber;
    this.#bounds = bounds;
  }

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    // A stream without an end is nothing to wait for: the client goes on without it.
    if (init.method === "GET") return new Response(null, { status: 405 });
    const answer = await askWhole(
      String(url),
      {
        method: init.method ?? "POST",
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === "string" ? { body: init.body } : {}),
      },
      this.#bounds,
    );
    if (answer.kind !== "whole") {
      this.refusal = answer;
      throw new Error(answer.kind);
    }
    const { status, headers, text } = answer;
    if (status < 200 || status > 299) {
      this.refusal = {
        kind: "answer",
        status,
        contentType: this.#scrubber.text(headers.get("content-type") ?? ""),
        location: this.#scrubber.text(headers.get("location") ?? ""),
        challenge: "",
        text: this.#scrubber.text(text),
      };
      throw new Error(`status ${status}`);
    }
    const kept = new Headers();
    for (const name of ["content-type", "mcp-session-id"]) {
      const value = headers.get(name);
      if (value !== null) kept.set(name, value);
    }
    return new Response(BODILESS.has(status) ? null : text, { status, headers: kept });
  };
}

/**
 * Connects as a model's client does, lists the meta-tools, browses the root, and ends its session. No upstream is called;
 * never throws.
 */
export async function tryClient(
  url: string,
  bearer: string,
  scrubber: Scrubber,
  bounds: AskBounds,
): Promise<ClientSeen> {
  const bounded = new BoundedFetch(scrubber, bounds);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${bearer}` } },
    fetch: bounded.fetch,
  });
  const client = new Client({ name: "loomgate-doctor", version: "1" });
  // Longer than a request may take: what HTTP says is to come before the client's own impatience.
  const options = { timeout: 2 * bounds.timeoutMs };
  let step: ClientStep = "initialize";
  let tools: readonly unknown[] | undefined;
  try {
    await client.connect(transport, options);
    step = "tools/list";
    // Asked without the client's own methods: those compile whatever schemas the answer brings.
    const listed = await client.request({ method: "tools/list" }, ListToolsResultSchema, options);
    tools = listed.tools.map((tool) => scrubber.value(tool));
    step = "tool_browse";
    const browse = { name: "tool_browse", arguments: { path: "/" } };
    const answer = await client.request(
      { method: "tools/call", params: browse },
      CallToolResultSchema,
      options,
    );
    return { kind: "served", tools, browse: scrubber.value(answer) };
  } catch {
    const { refusal } = bounded;
    return {
      kind: "failed",
      step,
      ...(refusal === undefined ? {} : { seen: refusal }),
      ...(tools === undefined ? {} : { tools }),
    };
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
  }
}
