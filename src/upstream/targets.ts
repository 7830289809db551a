import { type Config, type ConfigProblem, keyOf, type ServerConfig } from "../config.ts";
import { type EnvLookup, expandTarget } from "../config-env.ts";
import { fail, ok, type Result } from "../result.ts";
import { httpServers, serverTarget, type ServerTarget, type TargetName } from "../server-target.ts";
import { type AddressRefusal, type EgressRules, judgeUrl } from "./egress.ts";
import type { UpstreamTarget } from "./upstream-io.ts";

/** RFC 9110 §5.6.2: what a header's name is made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that the transport or the runtime sets for each request; a configured one would be lost or break it. */
const OWNED_HEADERS: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding connection content-encoding content-length content-type expect host keep-alive " +
    "last-event-id mcp-method mcp-name mcp-protocol-version mcp-session-id proxy-connection te trailer " +
    "transfer-encoding upgrade"
  ).split(" "),
);

const ADDRESS_ADVICE: Readonly<Record<AddressRefusal, string>> = {
  malformed: "is no URL: write the server's Streamable HTTP address, like https://mcp.example.com/mcp",
  scheme: "must begin with https:// (http:// is for loopback on a development machine)",
  userinfo:
    'must not hold a user or password: send them as "headers": {"Authorization": "Basic ${env:NAME}"}',
  port: "has a port that nothing can listen on",
  ip_literal: "must name a host, not an IP address",
  local_name: "names a host that only a private network knows: give the server a public name",
  single_label: "must name a host with its domain",
};

function nameProblem(name: string, earlier: ReadonlySet<string>): string | undefined {
  if (!TOKEN.test(name)) return "is no header name: write letters, digits and dashes";
  if (OWNED_HEADERS.has(name.toLowerCase())) return "is set by the gateway for every request: remove it";
  return earlier.has(name.toLowerCase()) ? "is there twice, in another case: keep one" : undefined;
}

function valueProblem(value: string): string | undefined {
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index);
    if (unit === 0x0a || unit === 0x0d)
      return "has a line end in its value, perhaps at the end of a variable: remove it";
    if ((unit < 0x20 && unit !== 0x09) || unit === 0x7f)
      return "has a control character in its value: remove it";
    if (unit > 0xff) return "has a character in its value that HTTP cannot send: write it in ASCII";
  }
  return undefined;
}

/**
 * A configured server as it is called: variables put in, address and headers judged. Problems name their key and never
 * show a value, which may be a secret.
 */
export function upstreamTarget(
  name: string,
  server: ServerConfig,
  lookup: EnvLookup,
  rules: EgressRules,
  target: TargetName = "configured",
): Result<UpstreamTarget, readonly ConfigProblem[]> {
  const place = serverTarget(name, server, target);
  if (place === undefined) {
    const message = "has no candidate, and its calls were moved there";
    return fail([{ key: keyOf(["mcpServers", name]), message }]);
  }
  const problems: ConfigProblem[] = headerNameProblems(place);
  const expanded = expandTarget(place, lookup);
  if (!expanded.ok) return fail([...problems, ...expanded.reason]);
  const { url, headers } = expanded.value;
  const judged = judgeUrl(url, rules);
  if (!judged.ok) problems.push({ key: keyOf(place.urlKey), message: ADDRESS_ADVICE[judged.reason] });
  for (const [header, value] of Object.entries(headers)) {
    const message = valueProblem(value);
    if (message !== undefined) problems.push({ key: keyOf([...place.headersKey, header]), message });
  }
  if (problems.length > 0) return fail(problems);
  return ok({ name, url, headers, timeoutMs: server.timeout_ms });
}

function headerNameProblems({ headers, headersKey }: ServerTarget): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const seen = new Set<string>();
  for (const header of Object.keys(headers)) {
    const message = nameProblem(header, seen);
    if (message !== undefined) problems.push({ key: keyOf([...headersKey, header]), message });
    seen.add(header.toLowerCase());
  }
  return problems;
}

/**
 * All enabled servers that are called, as they are called, in the configuration's order; or everything that is wrong with any of them, and with
 * their candidates.
 */
export function upstreamTargets(
  config: Config,
  lookup: EnvLookup,
  rules: EgressRules,
): Result<readonly UpstreamTarget[], readonly ConfigProblem[]> {
  const targets: UpstreamTarget[] = [];
  const problems: ConfigProblem[] = [];
  for (const [name, server] of httpServers(config)) {
    if (server.disabled) continue;
    const target = upstreamTarget(name, server, lookup, rules);
    if (target.ok) targets.push(target.value);
    else problems.push(...target.reason);
    if (server.candidate === undefined) continue;
    const candidate = upstreamTarget(name, server, lookup, rules, "candidate");
    if (!candidate.ok) problems.push(...candidate.reason);
  }
  // Headers that both targets have are wrong once.
  const unique = new Map(problems.map((problem) => [`${problem.key} ${problem.message}`, problem]));
  return unique.size === 0 ? ok(targets) : fail([...unique.values()]);
}
