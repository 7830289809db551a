import type { CatalogPort } from "../catalog/catalog.ts";
import type { ResultCache } from "../dispatch/cache/result-cache.ts";
import type { NamedServer } from "../dispatch/policy/facts.ts";
import type { Controls, Upstream } from "../dispatch/ports.ts";
import type { ArtifactStore } from "../firewall/artifacts/artifact.ts";
import type { RunningDigest } from "../firewall/artifacts/running-digest.ts";
import type { KeyRing } from "../mac.ts";
import type { Result } from "../result.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";
import type { Redactor } from "../scrub/redactor.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import type { TargetName } from "../server-target.ts";
import type { BufferBudget } from "../upstream/buffer-budget.ts";
import type { RunningCalls } from "./running-calls.ts";

/** Where calls that wait for a person are put. Fails with the text for the log. */
export interface ApprovalDesk {
  record(request: WaitingCall): Promise<Result<undefined, string>>;
}

/** A call that waits, as an operator sees it. */
export interface WaitingCall {
  readonly id: string;
  /** Those that wait no more in its place. */
  readonly supersedes: readonly string[];
  readonly principal: string;
  readonly metaTool: string;
  readonly toolId: string;
  readonly server: string;
  readonly reason: string | undefined;
  /** JSON, with secrets taken out. */
  readonly argumentsJson: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

export interface ConfiguredServer extends NamedServer {
  /** It has no address: what it lists is all that it has. */
  readonly isStatic?: boolean;
  /** Globs over what it lists, by the names and URIs that it has for it; exclude wins. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** What the meta-tools work on, built from the bindings and the configuration of one request. */
export interface GatewayPorts {
  readonly catalogs: CatalogPort;
  readonly validators: ValidatorCache;
  readonly artifacts: ArtifactStore;
  /** SHA-256 of what is too large to hold, where the platform is faster than plain code. */
  readonly openDigest?: () => RunningDigest;
  /** Bytes of foreign answers in memory, over all that the isolate does. */
  readonly buffers: BufferBudget;
  /** Signs handles. */
  readonly artifactKeys: KeyRing;
  /** The way to one of a configured server's targets; fails with the text for the log. */
  upstream(server: string, target: TargetName): Result<Upstream, string>;
  readonly scrubber: Scrubber;
  /** For what a server says, where the operator asked for it; of a server that is not there any more, what holds for all. */
  redactor(server: string | undefined): Redactor | undefined;
  /** Whether there is one for any server. */
  readonly redacts: boolean;
  readonly settings: { readonly topK: number; readonly cacheStable: boolean };
  readonly controls: Controls;
  /** Every configured server, disabled ones too: what they brought is still there. */
  readonly servers: readonly ConfiguredServer[];
  /** Of the isolate. */
  readonly running: RunningCalls;
  /** Answers to use again, of this configuration. */
  readonly results: ResultCache;
  readonly approvals: ApprovalDesk;
  /** Unique for ever. */
  newId(): string;
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Ends after `delayMs`, or with the signal. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** The operator's log; what is given here is scrubbed already. */
  log(detail: string): void;
}
