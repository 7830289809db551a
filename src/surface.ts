import type { Result } from "./result.ts";

/**
 * What a protocol face serves, free of any era: a table of tools whose arguments and answers are plain JSON. The faces
 * (`legacy.ts`) put it on the wire.
 */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/** A tool's answer as MCP's `CallToolResult`. Content parts are passed on as they came. */
export interface ToolAnswer {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** By what a caller's repetition of one call is known; each may be missing. */
export interface CallOrigin {
  /** The request's JSON-RPC id as a key: equal for the same type and text alone. Means something inside one session only. */
  readonly requestKey: string | null;
  /** The caller's own word that two calls are one: `_meta["loomgate/idempotency-key"]`. */
  readonly idempotencyKey: string | null;
  /** The answers of others go out together with this one's, and wait for it. */
  readonly hasNeighbours?: boolean;
}

/** Of a call that nothing tells from another. */
export const UNNAMED_CALL: CallOrigin = { requestKey: null, idempotencyKey: null };

/** How far a call has got, in its server's own words (MCP 2025-11-25, "Progress"). */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a call may tell its caller before it is over. */
export interface CallLine {
  /** Absent where the caller did not ask for it. Never throws, and nobody waits for it. */
  readonly onProgress?: (progress: Progress) => void;
}

/** One page of tools, and the cursor of the next where there is one. */
export interface ToolPage {
  readonly tools: readonly ToolDefinition[];
  readonly nextCursor?: string;
}

/** A JSON-RPC error (JSON-RPC 2.0 §5.1) that a surface answers a request with. */
export interface RpcProblem {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a surface serves besides tools. */
export interface SurfaceCapabilities {
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
}

export interface Surface<Context> {
  readonly name: string;
  readonly version: string;
  /** What a client shows its model once. Its first 512 characters must do: some clients cut there. */
  readonly instructions: string;
  /** The same where it depends on what is served now; absent: `instructions` says it. */
  instructionsFor?(context: Context): Promise<string>;
  /** Methods whose handling asks `admit` itself; every other request is admitted before it is handled. */
  readonly admitting: ReadonlySet<string>;
  /** Which catalog is answered from now, where one is in memory; absent: none is. */
  catalogVersion?(): { readonly catalog: string; readonly generation: number } | undefined;
  /** Absent: nothing but tools. */
  capabilities?(context: Context): Promise<SurfaceCapabilities>;
  /** The tools, always in this order and with these bytes for one catalog. Fails for a cursor that was never given. */
  tools(context: Context, cursor?: string): Promise<Result<ToolPage, RpcProblem>>;
  /** Without an origin a call is known by nothing. `undefined` where the surface has no such tool. Failures are answers; what it throws is a fault of ours. */
  call(
    name: string,
    args: unknown,
    context: Context,
    origin?: CallOrigin,
    line?: CallLine,
  ): Promise<ToolAnswer | undefined>;
  /**
   * Answers MCP's other requests; `undefined` where it has no such method. `params` are as they came. Without an origin nobody
   * can take one back.
   */
  request?(
    method: string,
    params: unknown,
    context: Context,
    origin?: CallOrigin,
  ): Promise<Result<Readonly<Record<string, unknown>>, RpcProblem> | undefined>;
  /** Takes a caller's word that it waits no longer for a call, by the call's request key. Never throws. */
  cancel?(requestKey: string, reason: string | undefined, context: Context): Promise<void>;
}
