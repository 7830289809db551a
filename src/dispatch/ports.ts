import type { Config, ServerConfig } from "../config.ts";
import type { ArgumentProblem, UpstreamFailure } from "../errors.ts";
import type { LargeSinks } from "../large-result.ts";
import type { Progress } from "../surface.ts";
import type { WantedRequest } from "../wanted-request.ts";
import type { Result } from "../result.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";
import type { TargetName } from "../server-target.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type {
  ArtifactAllowance,
  ArtifactQuota,
  CatalogVersion,
  DispatchAdmission,
  DispatchAsk,
  FirstAnswer,
  KeptSession,
} from "./admission.ts";
import type { CallAccount, ResultFigures } from "./call-account.ts";
import type { Executed } from "./execute.ts";
import type { ResultCache } from "./cache/result-cache.ts";
import type { ListedTool, ToolFacts } from "./policy/facts.ts";
import type { ArgumentRepair } from "./tolerant.ts";

/** The operator's controls over calls. Each is off by default, and off is as if it did not exist. */
export interface Controls {
  readonly gateway: Pick<
    Config["gateway"],
    "policy" | "tolerant_args" | "rate_limits" | "cache" | "retry" | "artifacts"
  >;
  /** What a server's block says of its tools. */
  server(name: string): Pick<ServerConfig, "replay" | "trust_hints"> | undefined;
}

/** Time and chance, for tries that wait for each other. */
export interface RetryClock {
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Ends after `delayMs`, or with the signal. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Of the caller, where it is known when the caller goes away: that ends a wait, and nothing is tried again. */
  readonly signal?: AbortSignal;
}

/**
 * What the pipeline needs of the rooms beside it, which hand it in: it knows no catalog, no upstream and no principal,
 * only what they are asked here.
 */
export interface ExecutePorts<Tool extends DispatchTool, Answer> extends RetryClock {
  readonly catalogs: DispatchCatalogs<Tool>;
  readonly validators: ValidatorCache;
  readonly controls: Controls;
  /** Answers to use again. */
  readonly results: ResultCache;
  readonly principal: string;
  /** For what is kept of results; absent: room is not asked for. */
  readonly artifactQuota?: ArtifactQuota;
  /** Unique for ever. */
  newId(): string;
  /** Whether a tool exists for the caller. */
  sees(id: string): boolean;
  /** Finds what no id and no listed name means, among what exists for the caller; absent: nothing else is known. */
  find?(catalog: DispatchCatalog<Tool>, asked: string): Found<Tool> | undefined;
  /** What the caller may ask for though the newest catalog has it nowhere; absent: nothing. */
  unlisted?(catalog: DispatchCatalog<Tool>, asked: string): Unlisted<Tool> | undefined;
  /** Of the arguments; absent: the definition's `inputSchema`. */
  schemaOf?(definition: DispatchDefinition): unknown;
  /** What is wrong with arguments that satisfy the schema, as far as no schema can say it; absent: nothing. */
  judge?(
    tool: Tool,
    definition: DispatchDefinition,
    args: Readonly<Record<string, unknown>>,
  ): readonly ArgumentProblem[];
  /** What a call with these arguments, found good, is a call of; absent: of the tool. */
  meant?(
    catalog: DispatchCatalog<Tool>,
    tool: Tool,
    definition: DispatchDefinition,
    args: Readonly<Record<string, unknown>>,
  ): Meant<Tool> | undefined;
  admit(ask: DispatchAsk): Promise<DispatchAdmission>;
  /** The server of a tool; fails with the text for the log where it cannot be addressed. */
  upstream(tool: Tool): Result<Upstream, string>;
  /** How the upstream is asked for it. `args` fit the definition. */
  request(
    tool: Tool,
    definition: DispatchDefinition,
    args: Readonly<Record<string, unknown>>,
  ): UpstreamRequest;
  /** Told of the upstream's progress; absent where the caller did not ask. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Asked before the call is sent again, with the JSON-RPC id that the next try will have: whether its caller still waits
   * for it. Absent: it does. Never throws.
   */
  readonly mayRetry?: (requestId: string) => Promise<boolean>;
  /** Where payloads go that are too large to hold, for one call of that length. Absent: such an answer is none. */
  largeSinks?(tool: Tool, timeoutMs: number): LargeSinks;
  /** Makes an answer of an upstream's result; fails for what is no legal result, with the text for the log. */
  present(
    tool: Tool,
    result: Readonly<Record<string, unknown>>,
    notes: CallNotes,
  ): Promise<Result<PresentedAnswer<Answer>, string>>;
  /** Puts a call that waits for consent before an operator; fails with the text for the log. */
  askApproval(request: ApprovalRequest<Tool>): Promise<Result<undefined, string>>;
  /** Makes of a call's answer, errors too, what the journal can give back; never throws. */
  keepAnswer(tool: Tool, executed: Executed<Answer>): Promise<KeptAnswer>;
  /** Takes what the call left behind and how it ended, once for each call, and reports it after the answer. */
  settle(remains: Remains<Tool, Answer>): void;
  /** Keeps the Worker alive for work that outlasts the caller. */
  waitUntil(work: Promise<unknown>): void;
}

/** What an address means: one, with the arguments that the address says; or several that have a claim to it, by id. */
export type Found<Tool> =
  | { readonly tool: Tool; readonly addressed?: Readonly<Record<string, unknown>> }
  | { readonly owners: readonly string[] };

/**
 * What no catalog has, as if one had it, with the arguments that say what it is; or by which texts it would be asked for, where
 * the one that was given leaves open of whom.
 */
export type Unlisted<Tool> =
  | {
      readonly tool: Tool;
      readonly addressed: Readonly<Record<string, unknown>>;
      readonly definition: DispatchDefinition;
    }
  | { readonly names: readonly string[] };

/** What arguments make a call a call of. */
export type Meant<Tool> =
  /** Something else, which stands in the same catalog and takes no arguments. */
  | { readonly tool: Tool }
  /** Something that does not exist for the caller. */
  | { readonly isHidden: true }
  | OtherNames;

/** The tool itself, where rules may know what it is asked for by other names. */
export interface OtherNames {
  /** What it may be taken for: whatever the rules say of these holds too. */
  readonly alike: readonly ToolFacts[];
  /** What it may be called. Rules hold that name it so, and not those of which the tool itself is free. */
  readonly called: readonly ToolFacts[];
}

/** A tool as far as a call needs it. */
export interface DispatchTool extends ListedTool {
  /** Where its server is called. */
  readonly target: TargetName;
}

/** What was done to a call besides making it, for its provenance. */
export interface CallNotes {
  readonly repairs: readonly ArgumentRepair[];
  readonly cacheHit: boolean;
  /** How often the call was sent. */
  readonly attempts: number;
  /** What may run again of the tool. */
  readonly replay: ReplayContract;
  /** What the upstream wanted of the caller meanwhile, and was refused; absent where nothing. */
  readonly wanted?: readonly WantedRequest[];
  /** How much of the result may be kept; absent where nobody has said. */
  readonly allowance?: ArtifactAllowance;
}

/** A call that waits for a person. */
export interface ApprovalRequest<Tool> {
  readonly approvalId: string;
  readonly supersedes?: readonly string[];
  readonly expiresAtMs: number;
  readonly metaTool: string;
  readonly tool: Tool;
  readonly why: string | undefined;
  readonly args: unknown;
}

export interface DispatchDefinition {
  /** As the upstream gave it, configured secrets taken out. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** The same with its numbers as they were written; absent where JavaScript writes all of them so. */
  readonly written?: Readonly<Record<string, unknown>>;
  readonly schemaHash: string;
  readonly schemaBytes: number;
}

export interface Unavailable {
  readonly detail: string;
}

export interface DispatchCatalog<Tool> {
  readonly version: CatalogVersion;
  /** One object for all catalogs over the same content. */
  readonly content?: object;
  find(idOrListedName: string): Tool | undefined;
  /** All that there is, `count` at a time, from behind an id. */
  page(
    after: string | undefined,
    count: number,
    sees: ((id: string) => boolean) & { readonly key?: string | null },
  ): { readonly tools: readonly Tool[] };
  similar(id: string, count: number, sees: (id: string) => boolean): readonly string[];
  /** What a server's block left out of its list, and may be given all the same. */
  leftOut?(server: string): readonly string[];
  definition(tool: Tool): Promise<Result<DispatchDefinition, Unavailable>>;
}

export interface DispatchCatalogs<Tool> {
  current(): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  atLeast(generation: number): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  newest(): Promise<Result<DispatchCatalog<Tool>, Unavailable>>;
  refreshSoon(reason: string): void;
}

/** One request to an upstream, in MCP's own terms. */
export interface UpstreamRequest {
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  readonly params: Readonly<Record<string, unknown>>;
}

/** One request, and what there is to know about its sending. */
export interface UpstreamCall extends UpstreamRequest {
  readonly session: KeptSession | undefined;
  /** Where this call has less time than the server's own. */
  readonly timeoutMs?: number;
  /**
   * Without them an answer that is too large to hold is none; with them its payloads are there, and what stands for them
   * is in the result.
   */
  readonly sinks?: LargeSinks;
  /** The JSON-RPC id that the upstream sees, unique for ever; without it one is made. */
  readonly requestId?: string;
  /** Asks the upstream for its progress. Told as it comes, unscrubbed. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the call, whose outcome is then unknown if it was sent. */
  readonly signal?: AbortSignal;
  /** Told of a session that was opened for this call, before the call itself is sent. */
  readonly onSession?: (session: KeptSession) => void;
}

export interface Upstream {
  /** It answers by itself, at once: nothing is sent anywhere. */
  readonly isLocal?: true;
  /** The upstream and its credential: a session never crosses either. */
  readonly sessionKey: string;
  /** For a call, handshake and answer included. */
  readonly timeoutMs: number;
  call(call: UpstreamCall): Promise<UpstreamReport>;
  /** Tells the upstream that nobody waits for a request any more (MCP, "Cancellation"). Never throws. */
  cancel(requestId: string, reason: string | undefined, session: KeptSession | undefined): Promise<void>;
}

export interface UpstreamReport {
  readonly answer: Result<Readonly<Record<string, unknown>>, UpstreamFailure>;
  /** The session to keep; `null`: there is none, and a kept one is void. */
  readonly session: KeptSession | null;
  /** What the upstream asked of us meanwhile and was refused. */
  readonly wanted?: readonly WantedRequest[];
}

/** An answer, and whatever `settle` is to be told of it. */
export interface PresentedAnswer<Answer> {
  readonly answer: Answer;
  readonly kept: readonly KeptArtifact[];
  readonly figures: ResultFigures;
}

/** An answer as the journal takes it, and the artifact that had to be made of it, if any. */
export interface KeptAnswer {
  readonly answer: FirstAnswer;
  readonly kept: readonly KeptArtifact[];
}

/** What became of a call that stands in the journal. */
export interface JournalReport {
  readonly attempt: string;
  readonly outcome: "completed" | "not_dispatched" | "outcome_unknown";
  /** What whoever asks again is to get. */
  readonly answer: FirstAnswer;
  /** The call has ended as a failure: the server's error, or an answer that is none. */
  readonly failed?: true;
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
  /** The store's own name of the bytes; absent where the handle alone leads to them. */
  readonly storedAs?: string | undefined;
}

/** What a call left behind, and how it ended. */
export interface Remains<Tool, Answer> {
  /** The tool that was hydrated and the catalog it stands in; `null` where the call did not get as far as to count. */
  readonly seen: { readonly tool: Tool; readonly catalogVersion: CatalogVersion } | null;
  readonly opened: readonly (KeptSession & { readonly key: string })[];
  readonly lost: readonly { readonly key: string; readonly sessionId: string }[];
  readonly kept: readonly KeptArtifact[];
  readonly journal: JournalReport | null;
  readonly executed: Executed<Answer>;
  readonly account: CallAccount<Tool>;
}
