import { exactJsonText } from "../exact-json/write.ts";
import { memberOf } from "../json.ts";
import { largePayloadsIn } from "../large-payloads.ts";
import { ok } from "../result.ts";
import { cacheFacts, mayCache } from "./cache/may-cache.ts";
import { cacheQuestion, type CacheQuestion } from "./cache/question.ts";
import type { Hydrated } from "./hydrate.ts";
import type { DispatchTool, ExecutePorts } from "./ports.ts";
import type { Sent } from "./send.ts";
import type { ToolStanding } from "./tool-standing.ts";
import type { Verb } from "./verb.ts";

type Answers = Pick<ExecutePorts<DispatchTool, unknown>, "results" | "now">;

const NOBODY: string[] = [];

/** Under what a call's answer is kept; nothing where it is not to be. */
export function cacheable(
  { kind }: Verb,
  { catalog, tool, definition, isUnlisted }: Hydrated<DispatchTool>,
  args: unknown,
  { facts }: ToolStanding,
  { controls, principal }: Pick<ExecutePorts<DispatchTool, unknown>, "controls" | "principal">,
): CacheQuestion | undefined {
  const settings = controls.gateway.cache;
  const annotations = memberOf(definition.definition, "annotations");
  const said = cacheFacts(tool.id, annotations, facts.hintsTrusted);
  // What is read-only by the protocol has no hints to say so.
  const known =
    kind === "tool" ? said : { ...said, readOnly: true, destructive: false, explicitlyWrites: false };
  if (!mayCache(settings, known)) return undefined;
  // What no list has may be one session's alone: only the operator's own word keeps it, and for its principal alone.
  if (isUnlisted === true && settings.allow.length === 0) return undefined;
  const sharing = isUnlisted === true ? { ...settings, shared: NOBODY } : settings;
  const { schemaHash: definitionHash } = definition;
  const catalogVersion = catalog.version;
  return cacheQuestion(sharing, { catalogVersion, toolId: tool.id, definitionHash, args, principal });
}

/** The answer that an equal call got from the upstream a while ago. */
export function recall(question: CacheQuestion | undefined, { results, now }: Answers): Sent | undefined {
  const answer = question === undefined ? undefined : results.get(question, now());
  return answer === undefined
    ? undefined
    : { result: ok(answer), session: null, attempts: 0, overcome: [], knowledge: "completed" };
}

export function remember(
  question: CacheQuestion | undefined,
  result: Readonly<Record<string, unknown>>,
  { results, now }: Answers,
): void {
  // Of what is too large to hold nothing is here that could be used again.
  if (question === undefined || largePayloadsIn(result).length > 0) return;
  results.put(question, result, exactJsonText(result).length, now());
}
