import { keyOf } from "../../../src/config.ts";
import { memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import { failed, type Finding, passed, warned } from "../finding.ts";
import { shown } from "../shown.ts";

/** What a status says of a server's candidate, where the server has one and is in use. */
export function judgeCandidate(server: unknown, advice: Advice): readonly Finding[] {
  if (memberOf(server, "status") === "disabled") return [];
  const name = shown(memberOf(server, "name"));
  if (memberOf(server, "target") === "candidate") return [serving(name)];
  const candidate = memberOf(server, "candidate");
  return candidate === undefined ? [] : [judgeWaiting(name, candidate, advice)];
}

/** The status then tells of the server that was replaced: how that one fares matters to nobody any more. */
function serving(name: string): Finding {
  return passed("operator.servers", "its candidate serves", {
    subject: name,
    mend: `to finish, make the candidate's address (and its headers, if it has its own) the server's: ${keyOf(["mcpServers", name, "url"])}; then remove the candidate block`,
  });
}

function judgeWaiting(name: string, candidate: unknown, { refresh }: Advice): Finding {
  const standing = memberOf(candidate, "status");
  if (standing === "rejected") {
    const reason = memberOf(candidate, "reason");
    return warned("operator.servers", {
      subject: name,
      what: `its candidate was rejected${typeof reason === "string" ? `: ${shown(reason)}` : ""}`,
      mend: `look at ${keyOf(["mcpServers", name, "candidate", "url"])} and the credential that is sent there; then refresh (${refresh})`,
    });
  }
  const comparison = memberOf(candidate, "comparison");
  if (standing !== "listed") return outOfDate(name, `status ${shown(standing)}`);
  switch (comparison) {
    case "identical":
    case "compatible":
      return passed("operator.servers", `its candidate is ${comparison} and waits for a promotion`, {
        subject: name,
        mend: `\`POST /admin/upstreams/${pathPart(name)}/promote\` moves the calls there`,
      });
    case "breaking":
      return warned("operator.servers", {
        subject: name,
        what: "its candidate differs: promoting it would break callers",
        mend: "what differs: `GET /admin/status?render=json` and `POST /admin/refresh`",
      });
    case "unknown":
      return warned("operator.servers", {
        subject: name,
        what: "its candidate could not be compared: nobody knows whether promoting it would break callers",
        mend: `look at the server itself; then refresh (${refresh})`,
      });
    default:
      return outOfDate(name, `comparison ${shown(comparison)}`);
  }
}

function outOfDate(name: string, what: string): Finding {
  return failed("operator.servers", {
    subject: name,
    what: `its candidate has the ${what}, which is none`,
    mend: "deploy this checkout, or use the doctor of the version that runs there",
  });
}

/** A name as a part of a path, where it needs no dressing for that. */
function pathPart(name: string): string {
  return /^[A-Za-z0-9._~-]+$/.test(name) ? name : "{name}";
}
