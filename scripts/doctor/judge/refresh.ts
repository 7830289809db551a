import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import type { Seen } from "../deployment/seen.ts";
import { failed, type Finding, passed } from "../finding.ts";
import { counted, shown } from "../shown.ts";
import { routeJson } from "./routes.ts";

/** What came of `POST /admin/refresh`; how each server fared is the status's to tell. */
export function judgeRefresh(seen: Seen, advice: Advice): Finding {
  const json = routeJson("operator.refresh", "POST /admin/refresh", seen, advice);
  if (!json.ok) return json.reason;
  const failure = memberOf(json.value, "failure");
  if (typeof failure === "string") {
    return failed("operator.refresh", {
      subject: "POST /admin/refresh",
      what: `nothing could be published: ${shown(failure)}`,
      mend: "see what is said of the servers",
    });
  }
  const servers = memberOf(json.value, "servers");
  if (!isJsonArray(servers)) {
    return failed("operator.refresh", {
      subject: "POST /admin/refresh",
      what: "answers without a report",
      mend: "deploy this checkout, or use the doctor of the version that runs there",
    });
  }
  const news = memberOf(json.value, "changed") === true ? "the catalog changed" : "nothing changed";
  return passed("operator.refresh", `${counted(servers.length, "server")} listed anew: ${news}`);
}
