import type { PolicyRule } from "../../config.ts";
import { parsePrimitiveId } from "../../identity/primitive-id.ts";
import { globTest, idForms, withoutRank } from "../globs.ts";
import type { ToolFacts } from "./facts.ts";

/** Who wants to do what with which tool. */
export interface PolicySubject extends ToolFacts {
  /** The meta-tool that is called: `tool_execute`, `tool_view`, … */
  readonly metaTool: string;
  readonly principal: string;
}

/** A subject with what several rules ask of it worked out once. */
export interface JudgedSubject extends PolicySubject {
  readonly ids: readonly string[];
  /** Every name that a lost tool may have had upstream, each `/` as `.`; empty for one whose name is known. */
  readonly lostNames: readonly string[];
  /** Its name as its id has it, which is what callers and operators are shown; `null` where the id is none. */
  readonly shownName: string | null;
}

export type SubjectTest = (subject: JudgedSubject) => boolean;

export function prepareSubject(subject: PolicySubject): JudgedSubject {
  const parsed = parsePrimitiveId(withoutRank(subject.toolId));
  return {
    ...subject,
    ids: idForms(subject.toolId),
    lostNames: lostNames(subject),
    shownName: parsed.ok ? parsed.value.name : null,
  };
}

/**
 * A rule's `match` as a test; every key that is written has to fit. What is not known for certain errs on the safe side: a
 * rule that denies or demands approval matches where it may fit, a rule that allows only where it does.
 */
export function compileMatch({ match, action }: PolicyRule): SubjectTest {
  const restricts = action !== "allow";
  const tests: SubjectTest[] = [];
  const { meta_tool: metaTool, server, tool, tags, read_only: readOnly, principal } = match;
  if (metaTool !== undefined) tests.push((subject) => subject.metaTool === metaTool);
  if (server !== undefined)
    tests.push(({ servers, serverKnown }) => (serverKnown || restricts) && servers.includes(server));
  if (tool !== undefined) tests.push(toolTest(tool, restricts));
  for (const tag of tags ?? []) tests.push(tagTest(tag, restricts));
  if (readOnly !== undefined)
    tests.push((subject) =>
      subject.hintsTrusted ? isReadOnly(subject) === readOnly : restricts && !readOnly,
    );
  if (principal !== undefined) {
    const names = globTest(principal, restricts);
    tests.push((subject) => names(subject.principal));
  }
  return (subject) => tests.every((test) => test(subject));
}

/**
 * A glob names a tool by its id or by its upstream's name. A rule that restricts holds for the name in the id too: there a
 * server's prefix is dropped and a `/` is a `.`, and whoever writes `delete_*` means `github.delete_repo`, shown as `github:delete_repo`.
 */
function toolTest(source: string, restricts: boolean): SubjectTest {
  const names = globTest(source, restricts);
  const mayName = globTest(source.replaceAll("/", "."), restricts);
  const namesFolded = globTest(source.toLowerCase(), restricts);
  const folds = ({ ids, upstreamName }: JudgedSubject): boolean =>
    [...ids, upstreamName ?? ""].some((name) => namesFolded(name.toLowerCase()));
  return (subject) => {
    const { ids, upstreamName, lostNames, shownName, inAnyCase } = subject;
    if (ids.some(names) || (upstreamName !== null && names(upstreamName))) return true;
    if (!restricts) return false;
    const isShown = shownName !== null && mayName(shownName);
    return isShown || lostNames.some(mayName) || (inAnyCase === true && folds(subject));
  };
}

/**
 * Whether a tool has a tag. The safety tags repeat its server's hints, and where those are not believed the tool counts as
 * one that may write and destroy.
 */
function tagTest(tag: string, restricts: boolean): SubjectTest {
  switch (safetyOfTag(tag)) {
    case "destructive":
      return (subject) => (subject.hintsTrusted ? isDestructive(subject) : restricts);
    case "read_only":
      return (subject) => subject.hintsTrusted && !isDestructive(subject) && callsItselfReadOnly(subject);
    case undefined:
      return ({ tags, serverKnown }) => tags.includes(tag) || (restricts && !serverKnown);
  }
}

/** Cards know the safety tags in any case, and the second in two spellings. */
function safetyOfTag(tag: string): "destructive" | "read_only" | undefined {
  switch (tag.toLowerCase()) {
    case "destructive":
      return "destructive";
    case "read-only":
    case "read_only":
      return "read_only";
    default:
      return undefined;
  }
}

function isDestructive({ destructive, tags }: ToolFacts): boolean {
  return destructive || tags.some((tag) => safetyOfTag(tag) === "destructive");
}

function isReadOnly(facts: ToolFacts): boolean {
  return facts.readOnly && !isDestructive(facts);
}

function callsItselfReadOnly({ readOnly, tags }: ToolFacts): boolean {
  return readOnly || tags.some((tag) => safetyOfTag(tag) === "read_only");
}

/**
 * An id keeps the upstream's name but for a server's prefix, which may have been there, and for each `/`, which may have
 * become a `.`. So names are compared with every `/` as `.`, which can only make more of them match.
 */
function lostNames({ toolId, upstreamName, servers }: ToolFacts): readonly string[] {
  const parsed = upstreamName === null ? parsePrimitiveId(withoutRank(toolId)) : undefined;
  if (parsed?.ok !== true) return [];
  const { namespace, name } = parsed.value;
  const prefixes = new Set([namespace, ...servers.map((server) => server.replaceAll("/", "."))]);
  return [name, ...[...prefixes].map((prefix) => `${prefix}.${name}`)];
}
