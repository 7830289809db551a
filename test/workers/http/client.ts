import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { type BearerRequest, mintBearer, verifyBearer } from "../../../src/access/bearer.ts";
import type { RequestContext } from "../../../src/gateway/request-context.ts";
import { createApp } from "../../../src/http/app.ts";
import type { Bindings } from "../../../src/http/bindings.ts";
import { catalogReader } from "../../../src/http/catalog-port.ts";
import { selectionApiFor } from "../../../src/http/gateway-ports.ts";
import type { RecordsContext } from "../../../src/records/adapter/context.ts";
import { ok } from "../../../src/result.ts";
import type { ListedForm } from "../../../src/identity/listed-form.ts";
import { memberOf } from "../../../src/json.ts";
import type { Surface } from "../../../src/surface.ts";

export const ORIGIN = "https://gateway.example";
export const KEY = "current-key-current-key-current-key!";
export const PREVIOUS_KEY = "previous-key-previous-key-previous-k";
export const OPERATOR = "operator-operator-operator";

/** A surface of one tool that echoes its arguments once it has been admitted, and tells of its `steps` meanwhile. */
export const echoSurface: Surface<RequestContext> = {
  name: "echo",
  version: "1.0.0",
  instructions: "Echoes.",
  admitting: new Set(["tools/call"]),
  tools: async () =>
    ok({ tools: [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }] }),
  call: async (name, args, context, _origin, line) => {
    if (name !== "echo") return undefined;
    const admission = await context.admit({});
    if (!admission.admitted) return { content: [{ type: "text", text: admission.reason }], isError: true };
    for (let step = 1; step <= Number(memberOf(args, "steps") ?? 0); step += 1) {
      line?.onProgress?.({ progress: step });
    }
    return { content: [{ type: "text", text: JSON.stringify(args) }] };
  },
};

/** What a test replaces of the surfaces. */
export interface Surfaces {
  readonly gateway?: Surface<RequestContext>;
  readonly proxy?: (names: ListedForm) => Surface<RequestContext>;
  readonly records?: Surface<RecordsContext>;
}

export function appWith({ gateway = echoSurface, proxy = () => echoSurface, records }: Surfaces) {
  return createApp({
    configText: "{}",
    gateway: () => gateway,
    proxy: (_, names) => proxy(names),
    api: (c) => selectionApiFor(c, catalogReader(c)),
    ...(records === undefined ? {} : { records }),
  });
}

const app = appWith({});

/** Bindings of the tests, but for these. */
export function bindingsWith(bindings: Partial<Bindings>): Bindings {
  return { ...env, LOOMGATE_KEY: KEY, OPERATOR_TOKEN: OPERATOR, ...bindings };
}

/** Sends one request through the app with these bindings and waits for what it left running. */
export async function send(
  path: string,
  init: RequestInit = {},
  bindings: Partial<Bindings> = {},
  to = app,
): Promise<Response> {
  const context = createExecutionContext();
  const response = await to.fetch(new Request(new URL(path, ORIGIN), init), bindingsWith(bindings), context);
  await waitOnExecutionContext(context);
  return response;
}

export async function bearerFor(request: Partial<BearerRequest> = {}, key = KEY): Promise<string> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: key });
  if (!rings.ok) throw new Error(rings.reason.reason);
  const random = crypto.getRandomValues(new Uint8Array(16));
  const minted = await mintBearer(
    rings.value.bearer,
    { kind: "client", principal: "ada", ...request },
    random,
    Date.now(),
  );
  if (!minted.ok) throw new Error(minted.reason);
  return minted.value.bearer;
}

export async function tokenIdOf(bearer: string): Promise<string> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: KEY });
  const claims = rings.ok ? await verifyBearer(rings.value.bearer, bearer, Date.now()) : rings;
  if (!claims.ok) throw new Error("not a bearer of this key");
  return claims.value.tokenId;
}

/** One MCP client: a bearer, a session if it opened one, and raw JSON-RPC. */
export class RawClient {
  session: string | null = null;
  readonly #bearer: string;
  readonly #before: () => Promise<void>;
  readonly #path: string;
  readonly #app: ReturnType<typeof appWith>;
  #id = 0;

  /** `before` runs ahead of every request, to evict objects for instance. */
  constructor(
    bearer: string,
    before: () => Promise<void> = async () => undefined,
    { path = "/mcp", to = app }: { readonly path?: string; readonly to?: ReturnType<typeof appWith> } = {},
  ) {
    this.#bearer = bearer;
    this.#before = before;
    this.#path = path;
    this.#app = to;
  }

  async post(
    body: unknown,
    headers: Record<string, string> = {},
    bindings: Partial<Bindings> = {},
  ): Promise<Response> {
    await this.#before();
    const init = { method: "POST", body: JSON.stringify(body), headers: this.#headers(headers) };
    return send(this.#path, init, bindings, this.#app);
  }

  request(method: string, params: unknown = {}, headers: Record<string, string> = {}): Promise<Response> {
    this.#id += 1;
    return this.post({ jsonrpc: "2.0", id: this.#id, method, params }, headers);
  }

  async initialize(version = "2025-11-25"): Promise<Response> {
    const response = await this.request("initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    this.session = response.headers.get("mcp-session-id");
    return response;
  }

  async delete(): Promise<Response> {
    await this.#before();
    return send(this.#path, { method: "DELETE", headers: this.#headers({}) }, {}, this.#app);
  }

  #headers(more: Record<string, string>): Record<string, string> {
    return {
      Authorization: `Bearer ${this.#bearer}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(this.session === null ? {} : { "Mcp-Session-Id": this.session }),
      ...more,
    };
  }
}
