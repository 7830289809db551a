import type { UpstreamFailure } from "../errors.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";

/**
 * What is found out about one call on its way, for whoever counts calls. The stages fill it in as they pass, so that it
 * says of a call that ended early as much as was known by then. Numbers and words of ours only: of the arguments there is
 * their count, and nothing of a result but its size.
 */
export interface CallAccount<Tool> {
  /** The call's own name, unique for ever; a call in the journal stands there under it. */
  readonly attempt: string;
  readonly dryRun: boolean;
  tool: Tool | null;
  /** Of the catalog that the tool stands in. */
  generation: number | null;
  replay: ReplayContract | null;
  /** Where in the list the rule stands that denies the call or wants a person's consent. */
  ruleIndex: number | null;
  /** Whether a rule wants a person's consent. */
  needsConsent: boolean;
  argCount: number | null;
  repairs: number | null;
  argsValid: boolean;
  /** How often the call was sent. */
  attempts: number;
  /** What kept earlier tries from their answers, or was answered to them, of a call that was sent again. */
  overcome: readonly UpstreamFailure[];
  /** What the upstream took, all its tries and the waits between them included; 0 where nothing was sent. */
  upstreamMs: number;
  cacheHit: boolean;
  figures: ResultFigures | null;
}

/** What came back, and what of it is shown. Tokens are estimates. */
export interface ResultFigures {
  readonly status: "ok" | "error" | "partial";
  readonly rawBytes: number;
  readonly rawTokens: number;
  readonly shownBytes: number;
  readonly shownTokens: number;
  readonly artifactCount: number;
  readonly artifactBytes: number;
}

/** The account of a call of which nothing is known yet. */
export function openAccount<Tool>(attempt: string, dryRun: boolean): CallAccount<Tool> {
  return {
    attempt,
    dryRun,
    tool: null,
    generation: null,
    replay: null,
    ruleIndex: null,
    needsConsent: false,
    argCount: null,
    repairs: null,
    argsValid: false,
    attempts: 0,
    overcome: [],
    upstreamMs: 0,
    cacheHit: false,
    figures: null,
  };
}
