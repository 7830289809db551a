import { COMPARISONS } from "../outbox/refresh-record.ts";
import { TARGET_NAMES } from "../server-target.ts";
import { LIFECYCLE_STATES } from "../spine/health/lifecycle.ts";
import { ROLLOUT_STATES } from "../spine/health/rollout-state.ts";
import { type MethodAggregate, NO_METHOD_CALLS } from "../spine/telemetry/aggregate.ts";
import { timedOutcomes } from "../spine/telemetry/counters.ts";
import type { OperationalLedger } from "../spine/telemetry/ledger.ts";
import type { LedgerView } from "./ledger-contract.ts";
import {
  counter,
  distinctLabels,
  type Family,
  gauge,
  gauges,
  type Labels,
  renderOpenMetrics,
  type Sample,
  secondsOf,
  states,
} from "./openmetrics.ts";
import { OVERALL_STATUSES, type OperatorReport, SERVER_STATUSES } from "./status.ts";

/** No method is called so: calls without a row of their own. */
const OTHERS = "*";

/** Errors that are no answer of the downstream's: what they are called, and what the labels mean. */
interface OwnOrigin {
  readonly label: string;
  readonly help: string;
}

const OWN_ORIGIN: OwnOrigin = {
  label: "host",
  help: "host is our own, before anything was sent; response is of what was sent, whether or not the server answered; recovery are calls that nobody saw end.",
};
const NO_ANSWER_ORIGIN: OwnOrigin = {
  label: "no_answer",
  help: "no_answer is where none came that could be used; response is the server's own error; recovery are calls that nobody saw end.",
};

/** Some calls under their labels. */
interface Account {
  readonly labels: Labels;
  readonly calls: MethodAggregate;
}

/**
 * The status as OpenMetrics, for a scraper. Counters are those of the ledger's whole life and go on where objects are
 * evicted; a server has no more series than its account has methods. Tools have none: there may be thousands.
 */
export function renderMetrics(report: OperatorReport, view: LedgerView): string {
  const { status, gateway } = report;
  const names = distinctLabels(report.servers.map((server) => server.status.name));
  const servers = report.servers.map((server, index) => ({
    ...server,
    labels: { server: names[index] ?? "" },
  }));
  return renderOpenMetrics([
    {
      name: "loomgate_build",
      type: "info",
      help: "The gateway's version.",
      samples: [{ suffix: "_info", labels: { version: status.version }, value: "1" }],
    },
    {
      name: "loomgate_status",
      type: "stateset",
      help: "The status that /admin/status shows, with the reasons.",
      samples: states("loomgate_status", {}, OVERALL_STATUSES, status.status),
    },
    ...callFamilies("loomgate", "calls of clients", OWN_ORIGIN, accountsOf(gateway, {})),
    ...callFamilies(
      "loomgate_upstream",
      "calls to upstream servers",
      NO_ANSWER_ORIGIN,
      servers.flatMap(({ ledger, labels }) => accountsOf(ledger, labels)),
    ),
    ...serverFamilies(servers),
    ...catalogFamilies(report),
    ...keptFamilies(status),
    ...ledgerFamilies(view),
  ]);
}

function callFamilies(
  prefix: string,
  what: string,
  own: OwnOrigin,
  accounts: readonly Account[],
): readonly Family[] {
  const each = (sample: (account: Account) => readonly Sample[]): readonly Sample[] =>
    accounts.flatMap(sample);
  return [
    {
      name: `${prefix}_requests`,
      type: "counter",
      help: `Begun ${what}, by method.`,
      samples: each(({ labels, calls }) => [counter(labels, calls.counters.request_count)]),
    },
    {
      name: `${prefix}_successes`,
      type: "counter",
      help: `Of ${what}, those that ended well.`,
      samples: each(({ labels, calls }) => [counter(labels, calls.counters.success_count)]),
    },
    {
      name: `${prefix}_errors`,
      type: "counter",
      help: `Of ${what}, those that ended in an error, by origin: ${own.help}`,
      samples: each(({ labels, calls: { counters } }) => [
        counter(
          { ...labels, origin: own.label },
          counters.error_count - counters.response_error_count - counters.recovery_error_count,
        ),
        counter({ ...labels, origin: "response" }, counters.response_error_count),
        counter({ ...labels, origin: "recovery" }, counters.recovery_error_count),
      ]),
    },
    {
      name: `${prefix}_retries`,
      type: "counter",
      help: `Attempts beyond the first, of ${what}.`,
      samples: each(({ labels, calls }) => [counter(labels, calls.counters.retry_count)]),
    },
    {
      name: `${prefix}_recovery_faults`,
      type: "counter",
      help: `Faults of the connection or the server itself, met by ${what}.`,
      samples: each(({ labels, calls }) => [counter(labels, calls.counters.recovery_fault_count)]),
    },
    {
      name: `${prefix}_latency_seconds`,
      type: "summary",
      unit: "seconds",
      help: `How long ${what} took, retries included.`,
      samples: each(({ labels, calls }) => [
        { suffix: "_count", labels, value: String(timedOutcomes(calls.counters)) },
        { suffix: "_sum", labels, value: secondsOf(calls.totalLatencyMs) },
      ]),
    },
    {
      name: `${prefix}_latency_max_seconds`,
      type: "gauge",
      unit: "seconds",
      help: `The longest of ${what} ever.`,
      samples: each(({ labels, calls }) => [{ suffix: "", labels, value: secondsOf(calls.maxLatencyMs) }]),
    },
  ];
}

/** By method, in the ledger's own order; faults that belong to no method stand with the methods that have no row. */
function accountsOf(ledger: OperationalLedger, labels: Labels): readonly Account[] {
  const accounts = Array.from(ledger.methods, ([method, calls]) => ({
    labels: { ...labels, method },
    calls,
  }));
  const other = ledger.other ?? NO_METHOD_CALLS;
  const faults = accounts.reduce(
    (rest, { calls }) => rest - calls.counters.recovery_fault_count,
    ledger.totals.recovery_fault_count,
  );
  if (ledger.other === null && faults === 0) return accounts;
  const calls = { ...other, counters: { ...other.counters, recovery_fault_count: faults } };
  return [...accounts, { labels: { ...labels, method: OTHERS }, calls }];
}

type LabelledServer = OperatorReport["servers"][number] & { readonly labels: Labels };

function serverFamilies(servers: readonly LabelledServer[]): readonly Family[] {
  const each = (sample: (server: LabelledServer) => readonly Sample[]): readonly Sample[] =>
    servers.flatMap(sample);
  return [
    {
      name: "loomgate_upstream_state",
      type: "stateset",
      help: "How a server fares, from what its calls and listings came to.",
      samples: each(({ status, labels }) =>
        states("loomgate_upstream_state", labels, LIFECYCLE_STATES, status.health.state),
      ),
    },
    {
      name: "loomgate_upstream_listing",
      type: "stateset",
      help: "What came of a server's last listing; unknown where none was told.",
      samples: each(({ status, labels }) =>
        states("loomgate_upstream_listing", labels, SERVER_STATUSES, status.status),
      ),
    },
    {
      name: "loomgate_upstream_consecutive_failures",
      type: "gauge",
      help: "Recovery faults of a server's calls and listings since one of them last succeeded; a good listing ends the row while calls fail.",
      samples: each(({ status, labels }) => [gauge(labels, status.health.consecutive_failures)]),
    },
    {
      name: "loomgate_upstream_generation",
      type: "gauge",
      help: "Which of a server's targets serves.",
      samples: each(({ status, labels }) => [gauge(labels, status.health.generation)]),
    },
    {
      name: "loomgate_upstream_target",
      type: "stateset",
      help: "Where a server's calls go.",
      samples: each(({ status, labels }) =>
        states("loomgate_upstream_target", labels, TARGET_NAMES, status.target),
      ),
    },
    {
      name: "loomgate_upstream_other_target",
      type: "stateset",
      help: "How a server's other target compares with that, or that it was rejected; absent without one.",
      samples: each(({ status: { candidate }, labels }) =>
        candidate === undefined
          ? []
          : states(
              "loomgate_upstream_other_target",
              labels,
              [...COMPARISONS, "rejected"],
              candidate.comparison ?? candidate.status,
            ),
      ),
    },
    {
      name: "loomgate_upstream_rollout",
      type: "stateset",
      help: "Whether another target of a server is about to take over; stable where it has none.",
      samples: each(({ status, labels }) =>
        states("loomgate_upstream_rollout", labels, ROLLOUT_STATES, status.health.rollout ?? "stable"),
      ),
    },
    {
      name: "loomgate_upstream_restarts",
      type: "counter",
      help: "How often another target took over from a server's last one.",
      samples: each(({ status, labels }) => [counter(labels, status.health.restart_count)]),
    },
    {
      name: "loomgate_upstream_tools",
      type: "gauge",
      help: "A server's tools in the catalog.",
      samples: each(({ status, labels }) => [gauge(labels, status.tools)]),
    },
    {
      name: "loomgate_upstream_resources",
      type: "gauge",
      help: "A server's resources and their templates in the catalog; absent where it has none.",
      samples: each(({ status, labels }) => gauges(labels, status.resources)),
    },
    {
      name: "loomgate_upstream_prompts",
      type: "gauge",
      help: "A server's prompts in the catalog; absent where it has none.",
      samples: each(({ status, labels }) => gauges(labels, status.prompts)),
    },
    {
      name: "loomgate_upstream_findings",
      type: "gauge",
      help: "What is wrong with a server's tools.",
      samples: each(({ status, labels }) => [gauge(labels, status.finding_count)]),
    },
  ];
}

function catalogFamilies({ status: { catalog } }: OperatorReport): readonly Family[] {
  const refreshedAtMs = Date.parse(catalog?.refreshed_at ?? "");
  const figures = catalog === null ? [] : [catalog];
  return [
    {
      name: "loomgate_catalog_generation",
      type: "gauge",
      help: "The published catalog's number; 0 where none has been published.",
      samples: figures.map(({ generation }) => gauge({}, generation)),
    },
    {
      name: "loomgate_catalog_failed",
      type: "gauge",
      help: "1 where the last refresh could publish nothing, so that the catalog stays as it is; 0 where it could.",
      samples: figures.map(({ failure }) => gauge({}, failure === undefined ? 0 : 1)),
    },
    {
      name: "loomgate_catalog_tools",
      type: "gauge",
      help: "Tools in the published catalog.",
      samples: figures.map(({ tools }) => gauge({}, tools)),
    },
    {
      name: "loomgate_catalog_resources",
      type: "gauge",
      help: "Resources and their templates in the published catalog; absent where there are none.",
      samples: figures.flatMap(({ resources }) => gauges({}, resources)),
    },
    {
      name: "loomgate_catalog_prompts",
      type: "gauge",
      help: "Prompts in the published catalog; absent where there are none.",
      samples: figures.flatMap(({ prompts }) => gauges({}, prompts)),
    },
    {
      name: "loomgate_catalog_refreshed_timestamp_seconds",
      type: "gauge",
      unit: "seconds",
      help: "When the catalog was last refreshed, since 1970.",
      samples: Number.isNaN(refreshedAtMs)
        ? []
        : [{ suffix: "", labels: {}, value: secondsOf(refreshedAtMs) }],
    },
    {
      name: "loomgate_catalog_pin_matches",
      type: "gauge",
      help: "1 where the catalog is the pinned one, 0 where it is not; absent without a pin.",
      samples: figures.flatMap(({ pin }) => (pin === undefined ? [] : [gauge({}, pin.matches ? 1 : 0)])),
    },
  ];
}

function keptFamilies({ kept }: OperatorReport["status"]): readonly Family[] {
  const family = (name: string, help: string, sum: number, most: number, max: number): Family => ({
    name: `loomgate_kept_${name}`,
    type: "gauge",
    help: `${help} that are kept of results: of all principals, of the one that has most, and what one may have.`,
    samples: [gauge({ of: "all" }, sum), gauge({ of: "fullest" }, most), gauge({ of: "limit" }, max)],
  });
  return [
    family("artifacts", "Artifacts", kept.artifacts, kept.most_artifacts, kept.max_artifacts),
    family("bytes", "Bytes", kept.bytes, kept.most_bytes, kept.max_bytes),
  ];
}

function ledgerFamilies({
  events,
  ledger,
  heard_at_ms: heardAtMs,
  uptime_ms: uptimeMs,
}: LedgerView): readonly Family[] {
  return [
    {
      name: "loomgate_events",
      type: "counter",
      help: "Events told, by name.",
      samples: Object.entries(events.counts).map(([event, count]) => counter({ event }, count)),
    },
    {
      name: "loomgate_events_kept",
      type: "gauge",
      help: "Events that /admin/events still has.",
      samples: [gauge({}, events.kept)],
    },
    {
      name: "loomgate_ledger_uptime_seconds",
      type: "gauge",
      unit: "seconds",
      help: "How long the ledger's object has been awake; counters are older.",
      samples: [{ suffix: "", labels: {}, value: secondsOf(uptimeMs) }],
    },
    {
      name: "loomgate_ledger_heard_timestamp_seconds",
      type: "gauge",
      unit: "seconds",
      help: "When anything was last told, since 1970.",
      samples: heardAtMs === null ? [] : [{ suffix: "", labels: {}, value: secondsOf(heardAtMs) }],
    },
    {
      name: "loomgate_ledger_sources",
      type: "gauge",
      help: "Outboxes that have told something in the last thirty days.",
      samples: [gauge({}, ledger.sources)],
    },
    {
      name: "loomgate_ledger_dropped_entries",
      type: "counter",
      help: "Entries that an outbox had no room for: their calls count nowhere.",
      samples: [counter({}, ledger.dropped)],
    },
    {
      name: "loomgate_ledger_unreadable_entries",
      type: "counter",
      help: "Entries that another version wrote: their calls count nowhere.",
      samples: [counter({}, ledger.unreadable)],
    },
    {
      name: "loomgate_ledger_refused_operations",
      type: "counter",
      help: "Counts that could not be counted: a counter at its end, a fault of another generation.",
      samples: [counter({}, ledger.refused)],
    },
    {
      name: "loomgate_ledger_restarted_accounts",
      type: "counter",
      help: "Accounts that could not be read back and began anew.",
      samples: [counter({}, ledger.restarted)],
    },
  ];
}
