import { memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import { readJson, type Seen, wordsOf } from "../deployment/seen.ts";
import { failed, type Finding, passed, warned } from "../finding.ts";
import { shown } from "../shown.ts";

interface Health {
  readonly status: "ok" | "misconfigured";
  readonly version: string;
}

function readHealth(seen: Seen): Health | undefined {
  const json = readJson(seen);
  if (!json.ok) return undefined;
  const [status, version] = [memberOf(json.value, "status"), memberOf(json.value, "version")];
  if ((status !== "ok" && status !== "misconfigured") || typeof version !== "string") return undefined;
  return { status, version };
}

/** Whether this is a Loomgate that can answer more than its health. */
export function serves(health: Seen): boolean {
  return readHealth(health)?.status === "ok";
}

const LOOPBACK = /^(?:localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** Whether an address is this machine's own. */
export function isLoopback(origin: string): boolean {
  return LOOPBACK.test(new URL(origin).hostname);
}

/** Whether a bearer may be sent there: over TLS, or without leaving this machine. */
export function isSafeFor(origin: string): boolean {
  return new URL(origin).protocol === "https:" || isLoopback(origin);
}

/** The address and `/health`, and the version against this checkout's. */
export function judgeHealth(
  origin: string,
  seen: Seen,
  expected: string,
  advice: Advice,
): readonly Finding[] {
  const address = isSafeFor(origin)
    ? passed("deployment.address", origin)
    : failed("deployment.address", {
        subject: origin,
        what: "is http on a public name: bearers would travel in the clear, so none was sent",
        mend: "use its https address",
      });
  const health = readHealth(seen);
  if (health === undefined) {
    const what = readJson(seen).ok ? "answers, but not as a Loomgate does" : wordsOf(seen);
    const mend =
      seen.kind === "unreachable"
        ? "start it, or look for a mistake in its address"
        : "look for a mistake in its address, and for a proxy or a login page before it";
    return [address, failed("deployment.health", { subject: "/health", what, mend })];
  }
  if (health.status === "misconfigured") {
    return [
      address,
      failed("deployment.health", {
        subject: "/health",
        what: "misconfigured: its loomgate.jsonc is not usable, and every other route answers 503",
        mend: `mend the configuration that it was deployed with; its log names each key (${advice.log})`,
      }),
      judgeVersion(health.version, expected),
    ];
  }
  return [address, passed("deployment.health", "/health answers ok"), judgeVersion(health.version, expected)];
}

function judgeVersion(version: string, expected: string): Finding {
  if (version === expected) return passed("deployment.version", shown(version));
  return warned("deployment.version", {
    what: `runs ${shown(version)}, and this checkout is ${expected}`,
    mend: "deploy this checkout, or use the doctor of that version",
  });
}
