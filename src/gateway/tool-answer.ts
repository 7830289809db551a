/**
 * A meta-tool as the protocol's faces list it, and its answer. They are the faces' own shapes (`mcp/surface.ts`), which
 * this room may not import: where the surface is handed over, their being the same is checked.
 */
export interface MetaToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

export interface ToolAnswer {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface GatewaySurface<Context> {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  tools(context: Context): Promise<readonly MetaToolDefinition[]>;
  call(name: string, args: unknown, context: Context): Promise<ToolAnswer | undefined>;
}
