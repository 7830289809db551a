import { memberOf } from "../../../src/json.ts";
import type { Advice } from "../advice.ts";
import type { Observations } from "../deployment/look.ts";
import { readJson, type Seen, wordsOf } from "../deployment/seen.ts";
import { failed, type Finding, passed, skipped } from "../finding.ts";
import { shown } from "../shown.ts";

const RESOURCE_METADATA = /\bresource_metadata="([^"\\]{1,2048})"/;

function namedAddress(seen: Seen): string | undefined {
  return seen.kind === "answer" ? RESOURCE_METADATA.exec(seen.challenge)?.[1] : undefined;
}

/** The metadata's address that a challenge names (RFC 9728 §5.1), if it is of this origin: no other is asked. */
export function metadataAddress(seen: Seen, origin: string): string | undefined {
  const address = namedAddress(seen);
  if (address === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.origin === origin ? url.href : undefined;
}

/** What `/mcp` answers to whoever has no bearer, and to a page of another origin. */
export function judgeAccess(
  {
    origin,
    noBearer,
    metadata,
    strangeOrigin,
  }: Pick<Observations, "origin" | "noBearer" | "metadata" | "strangeOrigin">,
  advice: Advice,
): readonly Finding[] {
  if (noBearer === undefined || strangeOrigin === undefined) return [];
  return [
    judgeChallenge(noBearer, advice),
    judgeMetadata(origin, noBearer, metadata),
    judgeStrangeOrigin(strangeOrigin, advice),
  ];
}

function judgeChallenge(seen: Seen, advice: Advice): Finding {
  const subject = "POST /mcp without a bearer";
  if (seen.kind !== "answer" || seen.status !== 401)
    return refused("deployment.challenge", subject, seen, 401, advice);
  if (namedAddress(seen) === undefined) {
    return failed("deployment.challenge", {
      subject,
      what: "answers 401 without resource_metadata in WWW-Authenticate: clients cannot learn what it wants",
      mend: "look for a proxy that takes the header off",
    });
  }
  return passed("deployment.challenge", "/mcp without a bearer answers 401 and names its metadata");
}

/** Anything but the refusal that was to come; the words are worst where what was asked was done. */
function refused(
  check: "deployment.challenge" | "deployment.origin",
  subject: string,
  seen: Seen,
  status: number,
  advice: Advice,
): Finding {
  if (seen.kind === "answer" && seen.status < 300) {
    return failed(check, {
      subject,
      what: `answers ${seen.status} where it has to refuse with ${status}: it is open to others`,
      mend: "take the deployment down until you know what answers there",
    });
  }
  return failed(check, {
    subject,
    what: `${wordsOf(seen)}, not ${status}`,
    mend: `the Worker's log says why (${advice.log}); look for a proxy that answers in its place`,
  });
}

function judgeMetadata(origin: string, noBearer: Seen, metadata: Seen | undefined): Finding {
  const named = namedAddress(noBearer);
  if (named === undefined) return skipped("deployment.metadata", "no address of it is named");
  if (metadata === undefined) {
    const other = URL.canParse(named) ? `another origin, ${shown(new URL(named).origin)}` : "no address";
    return failed("deployment.metadata", {
      subject: "WWW-Authenticate",
      what: `names metadata at ${other}, which was not asked`,
      mend: `reach the deployment by the name that clients use; a proxy before it has to pass the Host on`,
    });
  }
  const json = readJson(metadata);
  if (!json.ok) {
    return failed("deployment.metadata", {
      subject: "/.well-known/oauth-protected-resource/mcp",
      what: json.reason,
      mend: "look for a proxy that serves /.well-known itself",
    });
  }
  const resource = memberOf(json.value, "resource");
  if (resource !== `${origin}/mcp`) {
    return failed("deployment.metadata", {
      subject: "/.well-known/oauth-protected-resource/mcp",
      what: `is about ${shown(resource)}, not ${origin}/mcp: clients will not believe it (RFC 9728 §3.3)`,
      mend: "reach the deployment by the name that clients use; a proxy before it has to pass the Host on",
    });
  }
  return passed("deployment.metadata", "the protected resource's metadata answers");
}

function judgeStrangeOrigin(seen: Seen, advice: Advice): Finding {
  const subject = "/mcp from a page of another origin";
  if (seen.kind === "answer" && seen.status === 403) {
    return passed("deployment.origin", `${subject} is refused`);
  }
  if (seen.kind === "answer" && seen.status === 401) {
    return failed("deployment.origin", {
      subject,
      what: "is asked for a bearer where it has to be refused with 403",
      mend: "look for a proxy that takes the Origin header off",
    });
  }
  return refused("deployment.origin", subject, seen, 403, advice);
}
