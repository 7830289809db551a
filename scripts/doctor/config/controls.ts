import { type Config, keyOf } from "../../../src/config.ts";
import { memberOf } from "../../../src/json.ts";
import { readJsonc } from "../../../src/jsonc.ts";
import { httpServers } from "../../../src/server-target.ts";
import { type Finding, orPassed, passed, warned } from "../finding.ts";
import { covers } from "./covers.ts";

/** Settings that are legal and do nothing, or not what whoever wrote them will have meant. */
export function judgeControls(text: string, config: Config): readonly Finding[] {
  return [
    ...judgeCache(config),
    ...judgeRetry(text, config),
    ...judgeGlobOrder(config),
    judgePinSetting(config),
  ];
}

function judgeCache({ gateway: { cache }, mcpServers }: Config): readonly Finding[] {
  const found: Finding[] = [];
  const idle = (["shared", "allow"] as const).filter((key) => cache[key].length > 0);
  if (!cache.read_only && idle.length > 0) {
    found.push(
      warned("config.cache", {
        subject: "gateway.cache",
        what: `${idle.join(" and ")} without read_only: nothing is cached`,
        mend: '"read_only": true turns the cache on',
      }),
    );
  }
  if (cache.read_only && cache.allow.length === 0 && !Object.values(mcpServers).some(isTrusted)) {
    found.push(
      warned("config.cache", {
        subject: "gateway.cache.read_only",
        what: "nothing is cached: no server has trust_hints, and allow names no tool",
        mend: "name tools in allow, or set trust_hints where a server's annotations may be believed",
      }),
    );
  }
  return orPassed(found, "config.cache", cache.read_only ? "the cache can be used" : "the cache is off");
}

function isTrusted(block: Config["mcpServers"][string]): boolean {
  return block.type === "http" && block.trust_hints && !block.disabled;
}

function judgeRetry(text: string, { gateway: { retry } }: Config): readonly Finding[] {
  const found: Finding[] = [];
  const json = readJsonc(text);
  const written = json.ok ? memberOf(memberOf(json.value, "gateway"), "retry") : undefined;
  const idle = ["retryable_codes", "base_delay_ms", "max_delay_ms", "jitter"].filter(
    (key) => memberOf(written, key) !== undefined,
  );
  if (retry.max_attempts === 1 && idle.length > 0) {
    found.push(
      warned("config.retry", {
        subject: "gateway.retry",
        what: `max_attempts is 1: ${idle.join(", ")} mean nothing`,
        mend: "set max_attempts to 2 or more, or remove them",
      }),
    );
  }
  if (retry.max_attempts > 1 && retry.retryable_codes.length === 0) {
    found.push(
      warned("config.retry", {
        subject: "gateway.retry.retryable_codes",
        what: "names no code: nothing is tried again",
        mend: "remove the key, or name codes",
      }),
    );
  }
  if (retry.base_delay_ms > retry.max_delay_ms) {
    found.push(
      warned("config.retry", {
        subject: "gateway.retry.base_delay_ms",
        what: "is more than max_delay_ms: every wait is max_delay_ms",
        mend: "make it less",
      }),
    );
  }
  const what = retry.max_attempts === 1 ? "nothing is tried again" : `up to ${retry.max_attempts} tries`;
  return orPassed(found, "config.retry", what);
}

/** JavaScript puts such keys before all others, so the order of the file is not that of the object. */
const INDEX = /^(?:0|[1-9][0-9]*)$/;

/** In maps of globs the first match counts: a glob behind one that covers it is never asked. */
function judgeGlobOrder(config: Config): readonly Finding[] {
  const maps: [readonly PropertyKey[], Readonly<Record<string, unknown>>][] = [
    [["gateway", "rate_limits", "tools"], config.gateway.rate_limits.tools],
    [["gateway", "artifacts", "inline"], config.gateway.artifacts.inline],
    [["gateway", "artifacts", "keep"], config.gateway.artifacts.keep],
    ...httpServers(config).map(
      ([name, { replay }]): [readonly PropertyKey[], Readonly<Record<string, unknown>>] => [
        ["mcpServers", name, "replay"],
        replay,
      ],
    ),
  ];
  const found = maps.flatMap(([path, map]) => {
    const globs = Object.keys(map);
    return globs.flatMap((glob, index) => {
      const earlier = globs.find((other, at) => at < index && !INDEX.test(other) && covers(other, glob));
      if (earlier === undefined) return [];
      return [
        warned("config.globs", {
          subject: keyOf([...path, glob]),
          what: `is never asked: ${keyOf([...path, earlier])} comes first and matches all that it matches`,
          mend: "write the narrower glob first, or remove it",
        }),
      ];
    });
  });
  return orPassed(found, "config.globs", "no glob stands behind one that matches all it matches");
}

function judgePinSetting({ gateway: { pin } }: Config): Finding {
  if (pin === null) return passed("config.pin", "no catalog is pinned");
  return passed(
    "config.pin",
    pin.mode === "strict"
      ? "only the pinned catalog is published"
      : "another catalog than the pinned one is told of",
  );
}
