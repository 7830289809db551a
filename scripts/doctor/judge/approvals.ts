import { isJsonArray, memberOf } from "../../../src/json.ts";
import { failed, type Finding, passed, warned } from "../finding.ts";
import { counted } from "../shown.ts";

/** `/admin/approvals`: calls that wait for a person. */
export function judgeApprovals(listed: unknown): Finding {
  const approvals = memberOf(listed, "approvals");
  if (!isJsonArray(approvals)) {
    return failed("operator.approvals", {
      subject: "/admin/approvals",
      what: "answers without a list of approvals",
      mend: "deploy this checkout, or use the doctor of the version that runs there",
    });
  }
  const waiting = approvals.filter((approval) => memberOf(approval, "state") === "pending").length;
  if (waiting === 0) return passed("operator.approvals", "no call waits for a person");
  const more = typeof memberOf(listed, "next") === "string" ? " or more" : "";
  return warned("operator.approvals", {
    what: `${counted(waiting, "call")}${more} waiting for a person`,
    mend: "`GET /admin/approvals` shows them; POST /admin/approvals/{id}/grant or /refuse decides",
  });
}
