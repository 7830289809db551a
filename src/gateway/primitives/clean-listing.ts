import { redactResult } from "../../firewall/result/redact-result.ts";
import { withScrubbedBlob, withScrubbedResource } from "../../firewall/result/text-blob.ts";
import { readToolResult } from "../../firewall/result/tool-result.ts";
import { seen } from "../../firewall/summary/neutral.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { ok, type Result } from "../../result.ts";
import type { RedactedValue, Redactor } from "../../scrub/redactor.ts";
import type { Scrubber } from "../../scrub/scrub.ts";
import type { GatewayPorts } from "../ports.ts";

type Members = Readonly<Record<string, unknown>>;
type Ports = Pick<GatewayPorts, "scrubber" | "redactor">;

/** How the list that a result is made of is cleaned, each thing in it as what it is. */
export interface Listing {
  readonly member: "contents" | "messages";
  /** Only what would be spoilt if it were scrubbed as any other member. */
  readonly scrub: (one: unknown, scrubber: Scrubber) => unknown;
  readonly redact: (one: unknown, redactor: Redactor) => RedactedValue;
}

/** Of `resources/read` (MCP 2025-11-25, "Resource Contents"). */
export const CONTENTS: Listing = {
  member: "contents",
  scrub: withScrubbedBlob,
  redact: (resource, redactor) => {
    const { result, count } = redactResult({ content: [{ type: "resource", resource }] }, redactor);
    return { value: memberOf(firstOf(result), "resource"), count };
  },
};

/** Of `prompts/get` (MCP 2025-11-25, "PromptMessage"). */
export const MESSAGES: Listing = {
  member: "messages",
  scrub: (message, scrubber) => {
    if (!isRecord(message)) return message;
    const { content } = message;
    const scrubbed = isJsonArray(content)
      ? content.map((part) => withScrubbedResource(part, scrubber))
      : withScrubbedResource(content, scrubber);
    return { ...message, content: scrubbed };
  },
  redact: (message, redactor) => {
    const content = memberOf(message, "content");
    if (!isRecord(message) || content === undefined) return redactor.value(message);
    const isList = isJsonArray(content);
    const { result, count } = redactResult({ ...message, content: isList ? content : [content] }, redactor);
    return { value: isList ? result : { ...result, content: firstOf(result) }, count };
  },
};

/**
 * A server's result without secrets, each text of it cleaned whole: before anything is made of it, since what is cut first
 * may end within a secret, and is then one no more that can be found. Fails for what is nested too deep, with the text for the
 * log.
 */
export function cleanListing(
  { member, scrub, redact }: Listing,
  result: Members,
  server: string,
  { scrubber, redactor }: Ports,
): Result<{ readonly result: Members; readonly redactions: number }, string> {
  const nesting = readToolResult({ result });
  if (!nesting.ok) return nesting;
  const scrubbed = scrubber.record(withList(result, member, (one) => scrub(one, scrubber)));
  const redacting = redactor(server);
  if (redacting === undefined) return ok({ result: scrubbed, redactions: 0 });
  const { [member]: list, ...others } = scrubbed;
  if (!isJsonArray(list)) {
    const { value, count } = redacting.value(scrubbed);
    return ok({ result: isRecord(value) ? value : scrubbed, redactions: count });
  }
  const rest = redacting.value(others);
  let redactions = rest.count;
  const cleaned = list.map((one) => {
    const { value, count } = redact(one, redacting);
    redactions += count;
    return value;
  });
  return ok({ result: { ...(isRecord(rest.value) ? rest.value : others), [member]: cleaned }, redactions });
}

/** One bounded line of a server's text, for what the gateway composes. */
export type Line = (text: string, maxCodePoints?: number) => string;

/** Lines without secrets: also without one that is one only as a line, its escape sequences gone. */
export function lineOf(server: string, { scrubber, redactor }: Ports): Line {
  const clean = (text: string): string => {
    const scrubbed = scrubber.text(text);
    return redactor(server)?.text(scrubbed).text ?? scrubbed;
  };
  return (text, maxCodePoints = Infinity) => seen(clean(seen(clean(text), Infinity)), maxCodePoints);
}

function withList(result: Members, member: string, change: (one: unknown) => unknown): Members {
  const list = memberOf(result, member);
  return isJsonArray(list) ? { ...result, [member]: list.map(change) } : result;
}

function firstOf(result: Members): unknown {
  const content = memberOf(result, "content");
  return isJsonArray(content) ? content[0] : undefined;
}
