import type { UpstreamFailure } from "../errors.ts";
import type { Result } from "../result.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";

/**
 * What the pipeline needs of the rooms beside it, which hand it in: it knows no catalog, no upstream and no principal,
 * only what they are asked here.
 */
export interface ExecutePorts<Tool extends DispatchTool, Answer> {
  readonly catalogs: DispatchCatalogs<Tool>;
  readonly validators: ValidatorCache;
  /** Whether a tool exists for the caller. */
  sees(id: string): boolean;
  admit(ask: DispatchAsk): Promise<DispatchAdmission>;
  /** The server of a tool; fails with the text for the log where it cannot be addressed. */
  upstream(tool: Tool): Result<Upstream, string>;
  /** Makes an answer of an upstream's result; fails for what is no legal result, with the text for the log. */
  present(
    tool: Tool,
    result: Readonly<Record<string, unknown>>,
  ): Promise<Result<PresentedAnswer<Answer>, string>>;
  /** Takes what the call left behind, and reports it after the answer. */
  settle(remains: Remains<Tool>): void;
  /** Keeps the Worker alive for work that outlasts the caller. */
  waitUntil(work: Promise<unknown>): void;
}

/** A tool as far as a call needs it. */
export interface DispatchTool {
  readonly id: string;
  /** The upstream's own name of it. */
  readonly upstreamName: string;
}

export interface DispatchDefinition {
  /** As the upstream gave it, configured secrets taken out. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly schemaHash: string;
  readonly schemaBytes: number;
}

export interface Unavailable {
  readonly detail: string;
}

export interface DispatchCatalog<Tool> {
  readonly version: CatalogVersion;
  find(idOrListedName: string): Tool | undefined;
  similar(id: string, count: number, sees: (id: string) => boolean): readonly string[];
  definition(tool: Tool): Promise<Result<DispatchDefinition, Unavailable>>;
}

export interface CatalogVersion {
  readonly catalog: string;
  readonly generation: number;
}

export interface DispatchCatalogs<Tool> {
  current(): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  atLeast(generation: number): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  newest(): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  refreshSoon(reason: string): void;
}

export interface DispatchAsk {
  readonly catalogVersion: CatalogVersion;
  /** Keys of the upstreams whose sessions are wanted. */
  readonly upstreams: string[];
}

export type DispatchAdmission =
  | { readonly admitted: false; readonly reason: string }
  | {
      readonly admitted: true;
      readonly stale: boolean;
      readonly newestGeneration: number | null;
      readonly upstreamSessions: readonly (KeptSession & { readonly key: string })[];
    };

/** A session that an upstream gave this principal earlier. `sessionId` is empty where it keeps none. */
export interface KeptSession {
  readonly sessionId: string;
  readonly protocolVersion: string;
}

export interface Upstream {
  /** The upstream and its credential: a session never crosses either. */
  readonly sessionKey: string;
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    session: KeptSession | undefined,
  ): Promise<UpstreamReport>;
  /** What a model may read about a failure. */
  publicMessage(failure: UpstreamFailure): string;
}

export interface UpstreamReport {
  readonly answer: Result<Readonly<Record<string, unknown>>, UpstreamFailure>;
  /** The session to keep; `null`: there is none, and a kept one is void. */
  readonly session: KeptSession | null;
}

/** An answer, and whatever `settle` is to be told of it. */
export interface PresentedAnswer<Answer> {
  readonly answer: Answer;
  readonly kept: readonly KeptArtifact[];
}

/** An artifact's row in the principal's ledger. */
export interface KeptArtifact {
  readonly handle: string;
  readonly toolId: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly lines: number | null;
  readonly lineIndex: string;
  readonly expiresAtMs: number;
}

/** What a call left behind. */
export interface Remains<Tool> {
  readonly tool: Tool;
  readonly catalogVersion: CatalogVersion;
  readonly opened: readonly (KeptSession & { readonly key: string })[];
  readonly lost: readonly { readonly key: string; readonly sessionId: string }[];
  readonly kept: readonly KeptArtifact[];
}
