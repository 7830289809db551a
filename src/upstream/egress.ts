import { UPSTREAM_URL_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";

/** Why an address may not be reached. */
export type AddressRefusal =
  | "malformed"
  | "scheme"
  | "userinfo"
  | "port"
  | "ip_literal"
  | "local_name"
  | "single_label";

export interface EgressRules {
  /** Development only: 127.0.0.0/8, `[::1]` and `localhost` become reachable, over http too. */
  readonly allowLoopback: boolean;
}

/** Blank and control characters, which the URL parser would drop without a word: two readers, two addresses. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const BLANK_OR_CONTROL = /[\u0000-\u0020\u007f-\u00a0]/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const LABEL_MAX_CHARS = 63;
const NAME_MAX_CHARS = 253;

/** Last labels that resolvers answer locally or not at all: RFC 6761, 6762, 7686, 8375, 9476 and common private use. */
const LOCAL_TOP_LABELS: ReadonlySet<string> = new Set([
  ..."localhost local localdomain internal intranet private corp home lan".split(" "),
  ..."arpa onion i2p alt test invalid svc consul".split(" "),
]);

/** Public names of services that answer with the private address spelt in the name, or with loopback. */
const REBINDING_SERVICES = ["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me"];

/**
 * Whether the Worker may send a request to `text`, an absolute URL. The URL parser (WHATWG) folds every spelling of an
 * address first — decimal, octal, hexadecimal and short IPv4, full-width digits, percent-encoding — so the judgement is
 * on its result, which is also what is returned and fetched. Any port but 0 passes: addresses come from reviewed
 * configuration, MCP servers use many ports, and TLS to a foreign protocol fails in the handshake.
 */
export function judgeUrl(text: string, { allowLoopback }: EgressRules): Result<URL, AddressRefusal> {
  if (text.length > UPSTREAM_URL_MAX_CHARS || BLANK_OR_CONTROL.test(text)) return fail("malformed");
  const url = parsed(text);
  if (url === undefined) return fail("malformed");
  if (url.username !== "" || url.password !== "") return fail("userinfo");
  if (url.protocol !== "https:" && url.protocol !== "http:") return fail("scheme");
  if (url.port === "0") return fail("port");
  if (allowLoopback && isLoopback(url.hostname)) return ok(url);
  if (url.protocol !== "https:") return fail("scheme");
  const refusal = refusedHost(url.hostname);
  return refusal === undefined ? ok(url) : fail(refusal);
}

/** Not by `URL.canParse`: Node's compiled form of it misreads addresses with letters of Latin-1 once it is hot. */
function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The three spellings a developer writes; a mapped or embedded address is no spelling of them. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname === "[::1]" || (IPV4.test(hostname) && hostname.startsWith("127."))
  );
}

function refusedHost(hostname: string): AddressRefusal | undefined {
  if (hostname.startsWith("[")) return "ip_literal";
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  if (IPV4.test(name)) return "ip_literal";
  const labels = name.split(".");
  if (name.length > NAME_MAX_CHARS) return "malformed";
  if (!labels.every((label) => label.length <= LABEL_MAX_CHARS && LABEL.test(label))) return "malformed";
  const top = labels.at(-1) ?? "";
  if (LOCAL_TOP_LABELS.has(top)) return "local_name";
  if (labels.length === 1) return "single_label";
  if (labels[0] === "metadata") return "local_name";
  if (REBINDING_SERVICES.some((service) => name === service || name.endsWith(`.${service}`)))
    return "local_name";
  return undefined;
}
