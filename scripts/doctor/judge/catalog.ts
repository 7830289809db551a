import type { Config } from "../../../src/config.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import { readJson, type Seen } from "../deployment/seen.ts";
import { failed, type Finding, passed, skipped, warned } from "../finding.ts";
import { counted, shown } from "../shown.ts";
import { judgeCatalogGlobs, type CatalogTool } from "./catalog-globs.ts";
import { routeJson, statusOf } from "./routes.ts";
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
  advice: Advice,
): readonly Finding[] {
  const [first] = pages;
  if (first === undefined) return [];
  const told = memberOf(status, "catalog");
  const json = routeJson("catalog.tools", "/admin/catalog", first, advice);
  // The status tells of a pin that keeps everything from being published, and then there is no catalog to ask.
  if (!json.ok) {
    const none = withoutCatalog(first, told, advice) ?? json.reason;
    return [none, ...pinFindings(undefined, told, config, advice)];
  }
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
    judgeCount(tools.length, whole, servers, advice),
    ...pinFindings(memberOf(json.value, "hash"), told, config, advice),
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
  { refresh }: Advice,
): Finding {
  if (count > 0) return passed("catalog.tools", `${counted(count, "tool")}${whole ? "" : " and more"}`);
  if (servers.some(({ status }) => status !== "disabled")) {
    return failed("catalog.tools", {
      what: "no tool is there, and servers are configured",
      mend: `see what is said of the servers, and their include and exclude; then refresh (${refresh})`,
    });
  }
  return warned("catalog.tools", {
    what: "no tool is there: no server is in use",
    mend: "name servers under mcpServers in loomgate.jsonc, and deploy",
  });
}

/** Where nothing was ever published, no asking again helps: something has to be mended first. */
function withoutCatalog(seen: Seen, told: unknown, { refresh }: Advice): Finding | undefined {
  if (statusOf(seen) !== 503 || memberOf(told, "generation") !== 0) return undefined;
  const isPinned = memberOf(memberOf(told, "pin"), "matches") === false;
  return failed("catalog.tools", {
    subject: "/admin/catalog",
    what: "answers 503: no catalog has been published",
    mend: isPinned
      ? "do what is said of catalog.pin: nothing is published before that"
      : `mend what operator.status and operator.servers say, then refresh (${refresh})`,
  });
}

/** `hash`: of the catalog that is served, undefined where there is none. What is told of the catalog says more. */
function pinFindings(
  hash: unknown,
  told: unknown,
  config: Config | undefined,
  { refresh }: Advice,
): readonly Finding[] {
  const pin = memberOf(told, "pin");
  const isTold = memberOf(pin, "matches") !== undefined;
  const set = config?.gateway.pin ?? undefined;
  if (hash === undefined && !isTold) return [];
  if (!isTold && set === undefined) return [passed("catalog.pin", "no catalog is pinned")];
  const matches = isTold ? memberOf(pin, "matches") === true : hash === set?.hash;
  if (matches) return [passed("catalog.pin", "the catalog is the pinned one")];
  const strict = (isTold ? memberOf(pin, "mode") : set?.mode) === "strict";
  const actual = isTold ? memberOf(pin, "actual") : hash;
  const tell = strict ? failed : warned;
  if (actual === null) {
    return [
      tell("catalog.pin", {
        subject: "gateway.pin",
        what: "the catalog could not be compared with the pin: a required server is missing",
        mend: `look at the servers (operator.servers says which); then refresh (${refresh})`,
      }),
    ];
  }
  const expected = shown(isTold ? memberOf(pin, "expected") : set?.hash);
  const kept = memberOf(told, "generation") === 0 ? "nothing is served" : "the pinned one is served on";
  return [
    tell("catalog.pin", {
      subject: "gateway.pin",
      what: `${expected} is pinned, and the servers offer ${shown(actual)}${strict ? `: ${kept}` : ""}`,
      mend: "look at what changed (`GET /admin/status`, diff); if it is as it should be, pin the one that they offer and deploy, else look at the servers",
    }),
  ];
}
