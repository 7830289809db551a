import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import { REASON_SHOWN_MAX_CHARS, REFRESH_MISSED_MAX_COUNT } from "../bounds.ts";
import { failed, type Finding, orPassed, passed, warned } from "../finding.ts";
import { counted, shown } from "../shown.ts";
import { judgeCandidate } from "./candidate.ts";

const REASONS_SHOWN = 3;

/** The servers that a status tells of: those that run, by the names that the configuration gives them. */
export function toldServers(status: unknown): readonly { readonly name: string; readonly status: unknown }[] {
  return membersOf(status, "servers").flatMap((server) => {
    const name = memberOf(server, "name");
    return typeof name === "string" ? [{ name, status: memberOf(server, "status") }] : [];
  });
}

/** What `/admin/status` says. `intervalSeconds`: how often the catalog should be made anew, where that is known. */
export function judgeStatus(
  status: unknown,
  intervalSeconds: number | undefined,
  advice: Advice,
): readonly Finding[] {
  const servers = membersOf(status, "servers");
  return [
    judgeOverall(status),
    ...judgeAge(memberOf(status, "catalog"), intervalSeconds, advice),
    ...orPassed(
      servers.flatMap((server) => judgeServer(server, advice)),
      "operator.servers",
      counted(toldServers(status).length, "server"),
    ),
    ...servers.flatMap((server) => judgeCandidate(server, advice)),
    ...judgeLedger(status, advice),
  ];
}

function judgeOverall(status: unknown): Finding {
  const overall = memberOf(status, "status");
  const reasons = membersOf(status, "reasons");
  const why = reasons.slice(0, REASONS_SHOWN).map((reason) => shown(reason, REASON_SHOWN_MAX_CHARS));
  const rest = reasons.length - why.length;
  const words = {
    what: [
      `${shown(overall)}${why.length === 0 ? "" : `: ${why.join("; ")}`}`,
      rest > 0 ? `and ${rest} more` : "",
    ]
      .filter((part) => part !== "")
      .join("; "),
    mend: "`GET /admin/status` shows all of it",
  };
  switch (overall) {
    case "ok":
      return passed("operator.status", "ok");
    case "degraded":
      return warned("operator.status", words);
    case "failing":
      return failed("operator.status", words);
    default:
      return failed("operator.status", {
        subject: "/admin/status",
        what: `says ${shown(overall)}, which is no status`,
        mend: "deploy this checkout, or use the doctor of the version that runs there",
      });
  }
}

function judgeAge(
  catalog: unknown,
  intervalSeconds: number | undefined,
  { refresh, log }: Advice,
): readonly Finding[] {
  const findings: Finding[] = [];
  const failure = memberOf(catalog, "failure");
  if (typeof failure === "string") {
    findings.push(
      failed("operator.status", {
        subject: "catalog",
        what: `nothing could be published: ${shown(failure)}`,
        mend: `mend that and refresh (${refresh})`,
      }),
    );
  }
  const age = memberOf(catalog, "age_s");
  if (intervalSeconds !== undefined && isNumber(age) && age > REFRESH_MISSED_MAX_COUNT * intervalSeconds) {
    findings.push(
      warned("operator.status", {
        subject: "catalog",
        what: `the last refresh was ${age} s ago, and one is due every ${intervalSeconds} s`,
        mend: `refresh (${refresh}); if it ages again, the Worker's log says why (${log})`,
      }),
    );
  }
  return findings;
}

function judgeServer(server: unknown, { refresh }: Advice): readonly Finding[] {
  const subject = shown(memberOf(server, "name"));
  const reason = memberOf(server, "reason");
  const why = typeof reason === "string" ? `: ${shown(reason)}` : "";
  const found: Finding[] = [];
  const standing = memberOf(server, "status");
  switch (standing) {
    case "ok":
    case "disabled":
      break;
    case "failed":
      found.push(
        failed("operator.servers", {
          subject,
          what: `could not be listed, and none of its tools are there${why}`,
          mend: `look at the server, its address and its credential; then refresh (${refresh})`,
        }),
      );
      break;
    case "stale":
      found.push(
        warned("operator.servers", {
          subject,
          what: `could not be listed: its tools are those of an earlier listing${why}`,
          mend: `look at the server, its address and its credential; then refresh (${refresh})`,
        }),
      );
      break;
    case "unknown":
      found.push(
        warned("operator.servers", {
          subject,
          what: "no refresh has told of it yet",
          mend: `refresh (${refresh})`,
        }),
      );
      break;
    default:
      found.push(
        failed("operator.servers", {
          subject,
          what: `has the status ${shown(standing)}, which is none`,
          mend: "deploy this checkout, or use the doctor of the version that runs there",
        }),
      );
  }
  if (standing !== "disabled")
    found.push(...judgeCalls(subject, memberOf(server, "health")), ...judgeSkips(server, subject));
  return found;
}

function judgeCalls(subject: string, health: unknown): readonly Finding[] {
  if (memberOf(health, "state") !== "recovering") return [];
  const failures = memberOf(health, "consecutive_failures");
  const code = memberOf(memberOf(health, "last_fault"), "code");
  const last = typeof code === "string" ? `, the last ${shown(code)}` : "";
  return [
    warned("operator.servers", {
      subject,
      what: `is in recovery: ${isNumber(failures) ? counted(failures, "failure") : "failures"} since it last answered${last}`,
      mend: "look at the server; `POST /admin/refresh` says whether it can be listed, `GET /admin/events?kind=execute.failed` which calls failed",
    }),
  ];
}

function judgeSkips(server: unknown, subject: string): readonly Finding[] {
  const skips = memberOf(server, "skipped");
  if (!isNumber(skips) || skips === 0) return [];
  return [
    warned("operator.servers", {
      subject,
      what: `${counted(skips, "tool")} left out of the catalog`,
      mend: "`POST /admin/refresh` says which and why; exclude them where that is as it should be",
    }),
  ];
}

const lostWords = (log: string): readonly (readonly [string, string, string])[] => [
  [
    "dropped",
    "events had no room and count nowhere",
    `the ledger was out of reach for long: the Worker's log says why (${log})`,
  ],
  [
    "unreadable",
    "events are of another version and count nowhere",
    "nothing, if a deployment was replaced just then",
  ],
  ["refused", "counts could not be counted", `the Worker's log names them (${log})`],
  [
    "restarted",
    "accounts could not be read back and began anew: what they had counted is gone",
    `nothing, if it was once; the Worker's log says when (${log})`,
  ],
];

function judgeLedger(status: unknown, { refresh, log }: Advice): readonly Finding[] {
  if (typeof memberOf(status, "as_of") !== "string") {
    return [
      warned("operator.ledger", {
        what: "nothing has ever reached the ledger: no refresh and no call is accounted for",
        mend: `refresh (${refresh}) and look again; if it stays so, the Worker's log says why (${log})`,
      }),
    ];
  }
  const ledger = memberOf(status, "ledger");
  if (isLongAgo(memberOf(ledger, "lost_at"), memberOf(status, "as_of"))) {
    return [passed("operator.ledger", "nothing was lost on the way to the ledger within the last day")];
  }
  const found = lostWords(log).flatMap(([key, what, mend]) => {
    const count = memberOf(ledger, key);
    return isNumber(count) && count > 0
      ? [warned("operator.ledger", { what: `${count} ${what}`, mend })]
      : [];
  });
  return orPassed(found, "operator.ledger", "nothing was lost on the way to the ledger");
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What was lost stays counted for ever, and can be mended for a day. */
function isLongAgo(lostAt: unknown, asOf: unknown): boolean {
  if (typeof lostAt !== "string" || typeof asOf !== "string") return lostAt === null;
  return Date.parse(asOf) - Date.parse(lostAt) > DAY_MS;
}

function membersOf(value: unknown, key: string): readonly unknown[] {
  const members = memberOf(value, key);
  return isJsonArray(members) ? members : [];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
