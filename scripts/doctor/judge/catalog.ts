import type { Config } from "../../../src/config.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { readJson, type Seen } from "../deployment/seen.ts";
import { failed, type Finding, passed, skipped, warned } from "../finding.ts";
import { counted, shown } from "../shown.ts";
import { judgeCatalogGlobs, type CatalogTool } from "./catalog-globs.ts";
import { routeJson } from "./routes.ts";
import { toldServers } from "./status.ts";

/** Ids are shorter by far; what is longer is not asked for. */
const AFTER_MAX_CHARS = 1024;

/** What the next page begins after. */
export function nextOf(page: Seen): string | undefined {
  const json = readJson(page);
  const next = json.ok ? memberOf(json.value, "next") : undefined;
  return typeof next === "string" && next.length <= AFTER_MAX_CHARS ? next : undefined;
}

/** `/admin/catalog`: what is there to be found, whether it is what is pinned, and whether the configuration's globs mean any of it. */
export function judgeCatalog(
  pages: readonly Seen[],
  status: unknown,
  config: Config | undefined,
): readonly Finding[] {
  const [first] = pages;
  if (first === undefined) return [];
  const json = routeJson("catalog.tools", "/admin/catalog", first);
  if (!json.ok) return [json.reason];
  const tools = pages.flatMap((page) => toolsOf(page));
  const servers = toldServers(status);
  const whole =
    pages.every((page) => readJson(page).ok) &&
    pages.every((page, at) => (nextOf(page) !== undefined) === at < pages.length - 1);
  const globs = (): readonly Finding[] => {
    if (config === undefined)
      return [skipped("catalog.globs", "what runs there is not the configuration that was judged")];
    if (!whole) return [skipped("catalog.globs", "the catalog could not be read to its end")];
    return judgeCatalogGlobs(
      tools,
      config,
      new Set(servers.flatMap(({ name, status: standing }) => (standing === "ok" ? [name] : []))),
    );
  };
  return [
    judgeCount(tools.length, whole, servers),
    judgePin(memberOf(json.value, "hash"), memberOf(memberOf(status, "catalog"), "pin"), config),
    ...globs(),
  ];
}

function toolsOf(page: Seen): readonly CatalogTool[] {
  const json = readJson(page);
  const tools = json.ok ? memberOf(json.value, "tools") : undefined;
  return (isJsonArray(tools) ? tools : []).flatMap((tool) => {
    const [id, server] = [memberOf(tool, "id"), memberOf(tool, "server")];
    const upstreamName = memberOf(tool, "upstream_name");
    const isTool = typeof id === "string" && typeof server === "string" && typeof upstreamName === "string";
    return isTool ? [{ id, server, upstreamName }] : [];
  });
}

function judgeCount(
  count: number,
  whole: boolean,
  servers: readonly { readonly status: unknown }[],
): Finding {
  if (count > 0) return passed("catalog.tools", `${counted(count, "tool")}${whole ? "" : " and more"}`);
  if (servers.some(({ status }) => status !== "disabled")) {
    return failed("catalog.tools", {
      what: "no tool is there, and servers are configured",
      mend: "see what is said of the servers, and their include and exclude; then refresh (`npm run doctor -- --refresh`)",
    });
  }
  return warned("catalog.tools", {
    what: "no tool is there: no server is in use",
    mend: "name servers under mcpServers in loomgate.jsonc, and deploy",
  });
}

function judgePin(hash: unknown, told: unknown, config: Config | undefined): Finding {
  const isTold = memberOf(told, "matches") !== undefined;
  const pin = config?.gateway.pin ?? undefined;
  if (!isTold && pin === undefined) return passed("catalog.pin", "no catalog is pinned");
  const matches = isTold ? memberOf(told, "matches") === true : hash === pin?.hash;
  if (matches) return passed("catalog.pin", "the catalog is the pinned one");
  const strict = (isTold ? memberOf(told, "mode") : pin?.mode) === "strict";
  const actual = isTold ? memberOf(told, "actual") : hash;
  const tell = strict ? failed : warned;
  return tell("catalog.pin", {
    subject: "gateway.pin",
    what: `the servers' catalog is ${shown(actual)}, not the pinned one${strict ? ": it is not published" : ""}`,
    mend: "look at what changed (`GET /admin/status`, diff); if it is as it should be, pin that hash and deploy",
  });
}
