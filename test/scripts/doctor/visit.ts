import { type Advice, adviceFor } from "../../../scripts/doctor/advice.ts";
import { look, type Observations } from "../../../scripts/doctor/deployment/look.ts";
import type { Finding } from "../../../scripts/doctor/finding.ts";
import { judgeDeployment } from "../../../scripts/doctor/judge/deployment.ts";
import { type Config, parseConfig } from "../../../src/config.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { VERSION } from "../../../src/version.ts";
import {
  CLIENT_BEARER,
  fakeDeployment,
  type FakeDeployment,
  type Handler,
  NOW_MS,
  OPERATOR_BEARER,
} from "./fake-deployment.ts";

export const BOUNDS = { timeoutMs: 10_000, maxBytes: 65_536 };
/** For what never answers: whatever it is, it is waited for. */
export const SOON = { timeoutMs: 1_000, maxBytes: 65_536 };

const counter = committedCounter();

interface VisitOptions {
  readonly bounds?: { readonly timeoutMs: number; readonly maxBytes: number };
  readonly refresh?: boolean;
  readonly config?: Config;
  readonly advice?: Advice;
  /** Null: the person has none. */
  readonly operatorBearer?: string | null;
  readonly clientBearer?: string | null;
}

export interface Visited {
  readonly findings: readonly Finding[];
  /** The deployment as it was, closed by now. */
  readonly deployment: FakeDeployment;
}

/** Looks at a fake deployment and judges it. */
export async function visit(
  overrides: Readonly<Record<string, Handler>>,
  options: VisitOptions = {},
): Promise<Visited> {
  const deployment = await fakeDeployment(overrides);
  try {
    const findings = await visitOrigin(deployment.origin, options);
    return { findings, deployment };
  } finally {
    await deployment.close();
  }
}

export async function visitOrigin(
  origin: string,
  {
    bounds = BOUNDS,
    refresh = false,
    config,
    advice,
    operatorBearer = OPERATOR_BEARER,
    clientBearer = CLIENT_BEARER,
  }: VisitOptions = {},
): Promise<readonly Finding[]> {
  const bearers = { operatorBearer: operatorBearer ?? undefined, clientBearer: clientBearer ?? undefined };
  const scrubber = createScrubber([OPERATOR_BEARER, CLIENT_BEARER]);
  const seen = await look({ origin, ...bearers }, scrubber, { refresh, bounds });
  return judged(seen, { config, advice, wantsRefresh: refresh });
}

export function judged(
  seen: Observations,
  {
    config,
    advice = adviceFor({}, "deployed"),
    wantsRefresh = false,
  }: {
    readonly config?: Config | undefined;
    readonly advice?: Advice | undefined;
    readonly wantsRefresh?: boolean;
  } = {},
): readonly Finding[] {
  return judgeDeployment(seen, { version: VERSION, nowMs: NOW_MS, config, advice, wantsRefresh }, counter);
}

/** What asks for something, as `level check`. */
export function asks(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ level }) => level === "fail" || level === "warn")
    .map(({ level, check }) => `${level} ${check}`);
}

/** A configuration of one server `a`, unless it names others. */
export function configOf(config: object): Config {
  const servers = { mcpServers: { a: { url: "https://a.example.com" } } };
  const parsed = parseConfig(JSON.stringify({ ...servers, ...config }));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reason));
  return parsed.value;
}
