import type { Config } from "../../../src/config.ts";
import type { TokenCounter } from "../../../src/tokens/token-counter.ts";
import type { Advice } from "../advice.ts";
import type { Observations, OperatorSeen } from "../deployment/look.ts";
import { failed, type Finding, passed, skipped, warned } from "../finding.ts";
import { shown } from "../shown.ts";
import { judgeAccess } from "./access.ts";
import { judgeApprovals } from "./approvals.ts";
import { judgeCatalog } from "./catalog.ts";
import { judgeClient, noClient } from "./client.ts";
import { isSafeFor, judgeHealth, serves } from "./health.ts";
import { judgeMetrics } from "./metrics.ts";
import { judgeRefresh } from "./refresh.ts";
import { judgeOperatorBearer, routeJson } from "./routes.ts";
import { judgeStatus, toldServers } from "./status.ts";
import { judgeTokens } from "./tokens.ts";

/** What a deployment is held against. */
export interface Expectations {
  /** Of this checkout. */
  readonly version: string;
  readonly nowMs: number;
  /** What should run there; absent where that is not known or cannot be read. */
  readonly config?: Config | undefined;
  /** Whether a report may only be clean where the operator's routes were looked at. */
  readonly wantsOperator?: boolean;
  /** Whether the servers were to be listed anew. */
  readonly wantsRefresh?: boolean;
  readonly advice: Advice;
}

/** Everything that is to be said of a deployment, from what was seen of it. Pure; no answer makes it throw. */
export function judgeDeployment(
  seen: Observations,
  expectations: Expectations,
  counter: TokenCounter,
): readonly Finding[] {
  const { advice, wantsOperator = false, wantsRefresh = false } = expectations;
  const health = judgeHealth(seen.origin, seen.health, expectations.version, advice);
  if (!serves(seen.health)) return health;
  const open = [...health, ...judgeAccess(seen, advice)];
  if (!isSafeFor(seen.origin)) return open;
  return [
    ...open,
    ...(seen.operator === undefined
      ? [noOperator(wantsOperator), ...(wantsRefresh ? [notRefreshed()] : [])]
      : judgeOperator(seen.operator, expectations)),
    ...(seen.client === undefined ? [noClient()] : judgeClient(seen.client, counter, advice)),
  ];
}

function noOperator(isWanted: boolean): Finding {
  const mend = "set OPERATOR_TOKEN to the Worker's secret of that name";
  return isWanted
    ? warned("operator.bearer", {
        what: "no operator's bearer: nothing of the operator's was looked at",
        mend,
      })
    : skipped("operator.bearer", "no operator's bearer to look further with", mend);
}

function notRefreshed(): Finding {
  const what = "nothing was listed anew: that takes the operator's bearer";
  return failed("operator.refresh", { what, mend: "set OPERATOR_TOKEN to the Worker's secret of that name" });
}

function judgeOperator(seen: OperatorSeen, { config, nowMs, advice }: Expectations): readonly Finding[] {
  const bearer = judgeOperatorBearer(seen);
  // Every route would say the same.
  if (bearer.level === "fail") return [bearer];
  const status = routeJson("operator.status", "/admin/status", seen.status, advice);
  const current = status.ok && config !== undefined ? judgeCurrent(status.value, config) : undefined;
  const running = current?.level === "pass" ? config : undefined;
  const tokens = routeJson("operator.tokens", "/admin/tokens", seen.tokens, advice);
  const approvals = routeJson("operator.approvals", "/admin/approvals", seen.approvals, advice);
  return [
    bearer,
    ...(seen.refresh === undefined ? [] : [judgeRefresh(seen.refresh, advice)]),
    ...(current === undefined ? [] : [current]),
    ...(status.ok ? judgeStatus(status.value, running?.gateway.refresh_interval_s, advice) : [status.reason]),
    ...judgeCatalog(seen.catalog, status.ok ? status.value : undefined, running, advice),
    ...(tokens.ok ? judgeTokens(tokens.value, nowMs) : [tokens.reason]),
    approvals.ok ? judgeApprovals(approvals.value) : approvals.reason,
    judgeMetrics(seen.metrics, advice),
  ];
}

/** Whether the deployment has the configuration's servers; nobody tells more of what it runs with. */
function judgeCurrent(status: unknown, { mcpServers }: Config): Finding {
  const told = toldServers(status).map(({ name }) => name);
  const named = Object.keys(mcpServers);
  if (told.length === named.length && told.every((name, index) => name === named[index])) {
    return passed("config.current", "the deployment has the configuration's servers");
  }
  return warned("config.current", {
    what: `the deployment's servers are not the configuration's: ${listOf(told)} there, ${listOf(named)} here`,
    mend: "deploy it, or name what was deployed with --config",
  });
}

const NAMES_SHOWN = 8;

function listOf(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > NAMES_SHOWN ? `, … (${names.length})` : "";
  return (
    names
      .slice(0, NAMES_SHOWN)
      .map((name) => shown(name))
      .join(", ") + more
  );
}
