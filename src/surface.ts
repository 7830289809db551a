/**
 * What a protocol face serves, free of any era: a table of tools whose arguments and answers are plain JSON. The faces
 * (`legacy.ts`) put it on the wire.
 */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** A tool's answer as MCP's `CallToolResult`. Content parts are passed on as they came. */
export interface ToolAnswer {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** By what a caller's repetition of one call is known; each may be missing. */
export interface CallOrigin {
  /** The request's JSON-RPC id as a key: equal for the same type and text alone. Means something inside one session only. */
  readonly requestKey: string | null;
  /** The caller's own word that two calls are one: `_meta["loomgate/idempotency-key"]`. */
  readonly idempotencyKey: string | null;
}

export interface Surface<Context> {
  readonly name: string;
  readonly version: string;
  /** What a client shows its model once. Its first 512 characters must do: some clients cut there. */
  readonly instructions: string;
  /** The tools, always in this order and with these bytes for one catalog. */
  tools(context: Context): Promise<readonly ToolDefinition[]>;
  /** Without an origin a call is known by nothing. `undefined` where the surface has no such tool. Failures are answers; what it throws is a fault of ours. */
  call(name: string, args: unknown, context: Context, origin?: CallOrigin): Promise<ToolAnswer | undefined>;
}
