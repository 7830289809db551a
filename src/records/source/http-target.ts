import { type Config, type ConfigProblem, type HttpRecordSource, keyOf } from "../../config.ts";
import { httpRecordSources } from "../../config-records-schema.ts";
import type { EnvLookup } from "../../config-env.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type AddressRefusal, type EgressRules, judgeUrl } from "../../upstream/egress.ts";

/** An external resource server as it is read. */
export interface HttpSourceTarget {
  readonly name: string;
  /** Without a slash at its end; `/v1/…` follows. */
  readonly base: string;
  readonly bearer: string;
  /** For one read, answer included. */
  readonly timeoutMs: number;
}

const ADVICE: Readonly<Record<AddressRefusal, string>> = {
  malformed: "is no address of a server",
  scheme: "must begin with https:// (http:// is for loopback on a development machine)",
  userinfo: "must not hold a user or password",
  port: "has a port that nothing can listen on",
  ip_literal: "must name a host, not an IP address",
  local_name: "names a host that only a private network knows: give the server a public name",
  single_label: "must name a host with its domain",
};

/** What RFC 6750 §2.1 lets stand behind `Bearer`. */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Our own bearers that are no client's. */
const OWN_WIDE_BEARER = /^lg_(?!(?:client|package)_)/;
/** Variables of our own whose values are nobody else's to see. */
const OWN_SECRETS = ["OPERATOR_TOKEN", "LOOMGATE_KEY", "LOOMGATE_KEY_PREVIOUS"] as const;

/** A configured source with its bearer; or what is wrong, which never shows a value. */
export function httpSourceTarget(
  source: HttpRecordSource,
  lookup: EnvLookup,
  rules: EgressRules,
): Result<HttpSourceTarget, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const key = (member: string) => keyOf(["records", "sources", source.name, member]);
  const judged = judgeUrl(source.url, rules);
  if (!judged.ok) problems.push({ key: key("url"), message: ADVICE[judged.reason] });
  const bearer = lookup(source.token_env)?.trim() ?? "";
  if (bearer === "") {
    problems.push({
      key: key("token_env"),
      message: `the environment variable ${source.token_env} is not set`,
    });
  } else if (!BEARER.test(bearer)) {
    problems.push({ key: key("token_env"), message: `what ${source.token_env} holds is no bearer` });
  } else if (OWN_WIDE_BEARER.test(bearer) || OWN_SECRETS.some((name) => lookup(name)?.trim() === bearer)) {
    problems.push({
      key: key("token_env"),
      message: `what ${source.token_env} holds is this deployment's own key, or a bearer that no grant narrows: put a client's bearer of that server there`,
    });
  }
  if (!judged.ok || problems.length > 0) return fail(problems);
  return ok({
    name: source.name,
    base: judged.value.href.replace(/\/$/, ""),
    bearer,
    timeoutMs: source.timeout_ms,
  });
}

/** Everything that is wrong with the external sources on this machine. */
export function httpSourceProblems(
  config: Config,
  lookup: EnvLookup,
  rules: EgressRules,
): readonly ConfigProblem[] {
  return httpRecordSources(config).flatMap((source) => {
    const target = httpSourceTarget(source, lookup, rules);
    return target.ok ? [] : target.reason;
  });
}
