import { fail, ok, type Result } from "../../../result.ts";
import type { Coverage, CoveredFeed } from "../../grant/coverage.ts";
import type { FieldDeclaration, Relationship } from "../../manifest/manifest.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { orderProblem } from "../feeds.ts";
import type { Parameters } from "../parameters.ts";

/** A relation that a request follows, one hop, within one connection. */
export interface Expansion {
  readonly relationship: Relationship;
  readonly child: CoveredFeed;
  readonly foreignKey: FieldDeclaration;
  /** Children a parent, at most. */
  readonly limit: number;
}

/** What stands between a relation and its use; the schema says it too. */
export type ExpansionObstacle = "related_stream_unknown" | "related_stream_not_granted" | "field_not_granted";

/** Who the children are, where they may be read: they come out of a feed of their own, with its own fields, keys and times. */
export function childOf(
  { feeds }: Coverage,
  parent: CoveredFeed,
  { stream, foreignKey }: Relationship,
): Result<{ readonly child: CoveredFeed; readonly foreignKey: FieldDeclaration }, ExpansionObstacle> {
  const child = feeds.find(
    (feed) => feed.connectionId === parent.connectionId && feed.stream.name === stream,
  );
  if (child === undefined) return fail("related_stream_not_granted");
  const field = child.stream.fields.get(foreignKey);
  if (field === undefined) return fail("related_stream_unknown");
  // That a record is the child of this parent says what its foreign key holds.
  if (child.fields?.has(foreignKey) === false) return fail("field_not_granted");
  return ok({ child, foreignKey: field });
}

/** The relations that a request follows; `invalid_expand` for what the stream does not offer. */
export function expansionsOf(
  coverage: Coverage,
  feed: CoveredFeed,
  parameters: Parameters,
): Result<readonly Expansion[], PdppProblem> {
  const names = parameters.list("expand") ?? [];
  const limits = new Map(parameters.keyed("expand_limit").map((limit) => [limit.key, limit]));
  const expansions: Expansion[] = [];
  for (const name of names) {
    const relationship = feed.stream.relationships.find((known) => known.name === name);
    if (relationship === undefined || relationship.expand === null) {
      const offered = feed.stream.relationships.filter(({ expand }) => expand !== null);
      return invalid(
        offered.length === 0
          ? `${feed.stream.name} offers no relation to expand.`
          : `${feed.stream.name} has no such relation. Known: ${offered.map((known) => known.name).join(", ")}.`,
      );
    }
    const found = childOf(coverage, feed, relationship);
    if (!found.ok) return fail(obstacleProblem(found.reason, relationship));
    const unordered = orderProblem([found.value.child]);
    if (unordered !== undefined) return fail(unordered);
    const limit = limitOfExpansion(relationship, relationship.expand, limits.get(name)?.value);
    if (!limit.ok) return limit;
    expansions.push({ relationship, ...found.value, limit: limit.value });
  }
  for (const { key, operator } of limits.values()) {
    if (operator !== null || !names.includes(key)) {
      return invalid("expand_limit[relation]=n goes with expand=relation.");
    }
  }
  return ok(expansions);
}

function limitOfExpansion(
  { name, cardinality }: Relationship,
  { defaultLimit, maxLimit }: NonNullable<Relationship["expand"]>,
  asked: string | undefined,
): Result<number, PdppProblem> {
  if (asked === undefined) return ok(cardinality === "has_one" ? 1 : defaultLimit);
  if (cardinality === "has_one") return invalid(`${name} has one record: it takes no expand_limit.`);
  const limit = /^[0-9]{1,9}$/.test(asked) ? Number(asked) : 0;
  return limit >= 1 && limit <= maxLimit
    ? ok(limit)
    : invalid(`expand_limit[${name}] is a whole number from 1 to ${maxLimit}.`);
}

function obstacleProblem(
  obstacle: ExpansionObstacle,
  { name, stream, foreignKey }: Relationship,
): PdppProblem {
  switch (obstacle) {
    case "related_stream_unknown":
      return problem("invalid_expand", `${name} leads to a stream that has no field ${foreignKey}.`);
    case "related_stream_not_granted":
      return problem("grant_stream_not_allowed", `${name} leads to ${stream}, which is not granted.`);
    case "field_not_granted":
      return problem("field_not_granted", `${name} goes by ${stream}.${foreignKey}, which is not granted.`);
  }
}

function invalid(message: string): Result<never, PdppProblem> {
  return fail(problem("invalid_expand", message));
}
