import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";

/** The official client, connected as a person would set it up, with short hands for what tests ask. */
export class GatewayClient {
  readonly client = new Client({ name: "loomgate-tests", version: "1.0.0" });
  readonly #transport: StreamableHTTPClientTransport;

  /** `fetch` is the way to the gateway where it is not the network. */
  constructor(url: string, token: string, fetch?: FetchLike) {
    this.#transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      ...(fetch === undefined ? {} : { fetch }),
    });
  }

  async connect(): Promise<this> {
    await this.client.connect(this.#transport);
    return this;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  async call(name: string, args: Record<string, unknown>): Promise<Answer> {
    return new Answer(await this.client.callTool({ name, arguments: args }));
  }

  browse(args: Record<string, unknown>): Promise<Answer> {
    return this.call("tool_browse", args);
  }

  execute(
    toolId: string,
    args?: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<Answer> {
    return this.call("tool_execute", { tool_id: toolId, ...(args && { args }), ...more });
  }

  view(
    handle: string,
    selector: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<Answer> {
    return this.call("tool_view", { handle, selector, ...more });
  }

  /** The canonical id of an upstream's tool, as browsing by its exact name tells it. */
  async idOf(name: string, namespace: string): Promise<string> {
    const { lines } = await this.browse({ query: name, top_k: 50 });
    const id = lines.map((line) => line.split(" ")[0] ?? "").find((each) => each.startsWith(`${namespace}:`));
    if (id === undefined) throw new Error(`no ${namespace} tool for ${name}: ${lines.join("\n")}`);
    return id;
  }
}

/** A tool's answer, read in the ways that tests need. */
export class Answer {
  readonly raw: Record<string, unknown>;

  constructor(raw: unknown) {
    this.raw = isRecord(raw) ? raw : {};
  }

  get content(): readonly unknown[] {
    const content = this.raw["content"];
    return isJsonArray(content) ? content : [];
  }

  get isError(): boolean {
    return this.raw["isError"] === true;
  }

  get texts(): readonly string[] {
    return this.content.flatMap((part) => {
      const text = memberOf(part, "text");
      return typeof text === "string" ? [text] : [];
    });
  }

  get text(): string {
    return this.texts.join("\n");
  }

  get lines(): readonly string[] {
    return this.text.split("\n");
  }

  /** The object of an error, which is one line of JSON. */
  get error(): Record<string, unknown> {
    if (!this.isError) throw new Error(`not an error: ${this.text}`);
    const error: unknown = JSON.parse(this.texts[0] ?? "");
    if (!isRecord(error)) throw new Error("an error that is no object");
    return error;
  }
}
