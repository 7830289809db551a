import { redactResult } from "../firewall/result/redact-result.ts";
import { readToolResult, type ToolResult } from "../firewall/result/tool-result.ts";
import { withScrubbedResource } from "../firewall/result/text-blob.ts";
import { isJsonArray, memberOf } from "../json.ts";
import { ok, type Result } from "../result.ts";
import type { GatewayPorts } from "./ports.ts";

/** A result that is legal and has no secret in it. */
export interface CleanResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly judged: ToolResult;
  /** How many secrets were taken out for their looks. */
  readonly redactions: number;
}

/**
 * Scrubs a server's result, and redacts it where the operator asked for that: before anything else is made of it, so that no
 * secret gets into an artifact or into what a handle is made of. Fails for what is no legal result, with the text for the log.
 */
export function cleanResult(
  result: Readonly<Record<string, unknown>>,
  server: string,
  { scrubber, redactor }: Pick<GatewayPorts, "scrubber" | "redactor">,
): Result<CleanResult, string> {
  // Judged before the scrubber walks it, and again as it will be shown: the first bounds the walk.
  const judged = readToolResult(result);
  if (!judged.ok) return judged;
  const scrubbed = scrubber.record(withScrubbedBlobs(result, scrubber));
  const redacting = redactor(server);
  const redacted =
    redacting === undefined ? { result: scrubbed, count: 0 } : redactResult(scrubbed, redacting);
  const clean = redacted.result === result ? judged : readToolResult(redacted.result);
  return clean.ok ? ok({ result: redacted.result, judged: clean.value, redactions: redacted.count }) : clean;
}

function withScrubbedBlobs(
  result: Readonly<Record<string, unknown>>,
  scrubber: GatewayPorts["scrubber"],
): Readonly<Record<string, unknown>> {
  const content = memberOf(result, "content");
  if (!isJsonArray(content)) return result;
  const scrubbed = content.map((part) => withScrubbedResource(part, scrubber));
  return scrubbed.every((part, index) => part === content[index]) ? result : { ...result, content: scrubbed };
}
