import type { OutputUnit } from "@cfworker/json-schema";
import { ARGUMENT_ERRORS_MAX_COUNT } from "../limits.ts";
import { boundedPath } from "./bounded-path.ts";
import { buildFailureTree, type Failure, locationSteps } from "./failure-tree.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { appendToken, resolvePointer } from "./json-pointer.ts";
import type { PreparedSchema } from "./prepared-schema.ts";
import type { StoodIn } from "./stand-ins.ts";
import { brokenRule, type ValueRules } from "./value-rules.ts";

/**
 * One thing wrong with arguments (CONTRACTS, "Errors"): a JSON Pointer to the value, or to the member that is missing or
 * not allowed, and the keyword that it does not satisfy. Never a value: those may be secret.
 */
export interface ArgumentError {
  readonly path: string;
  readonly keyword: string;
}

/** Keywords that fail only because something inside them does. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "dependentSchemas",
  "items",
  "prefixItems",
  "properties",
]);
/** Keywords that say what may be beyond what is named. */
const REMAINDERS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const KINDS: ReadonlySet<string> = new Set(["type", "const", "enum"]);

/** What the caller has to mend: the innermost failures, each once, in the schema's order, at most `ARGUMENT_ERRORS_MAX_COUNT`. */
export function explainErrors(
  units: readonly OutputUnit[],
  instance: unknown,
  schema: PreparedSchema,
  numbers: StoodIn["numbers"],
): readonly ArgumentError[] {
  const explanation = new Explanation(instance, schema, numbers);
  const errors = explanation.all(buildFailureTree(units));
  const unique = new Map<string, ArgumentError>();
  for (const { path, keyword } of errors) {
    const error = { path: boundedPath(path), keyword };
    unique.set(`${keyword} ${error.path}`, error);
    if (unique.size >= ARGUMENT_ERRORS_MAX_COUNT) break;
  }
  return [...unique.values()];
}

class Explanation {
  private readonly instance: unknown;
  private readonly schema: PreparedSchema;
  private readonly numbers: StoodIn["numbers"];
  private rules: ReadonlyMap<unknown, ValueRules> | undefined;

  constructor(instance: unknown, schema: PreparedSchema, numbers: StoodIn["numbers"]) {
    this.instance = instance;
    this.schema = schema;
    this.numbers = numbers;
  }

  all(failures: readonly Failure[]): readonly ArgumentError[] {
    return failures.flatMap((failure) => this.one(failure));
  }

  private one(failure: Failure): readonly ArgumentError[] {
    const { keyword, path, children } = failure;
    const self: ArgumentError = { path, keyword };
    if (keyword === "pattern" && this.numbers.size > 0) return [{ path, keyword: this.broken(failure) }];
    if (keyword === "required") return this.missing(failure) ?? [self];
    if (keyword === "dependentRequired") return this.missingDependents(failure) ?? [self];
    if (keyword === "propertyNames") return [{ path: children[0]?.path ?? path, keyword }];
    if (children.length === 0 || keyword === "contains") return [self];
    if (WRAPPERS.has(keyword)) return this.all(children);
    if (REMAINDERS.has(keyword)) return this.remainder(failure);
    if (keyword === "anyOf" || keyword === "oneOf") return this.choice(failure);
    return [self];
  }

  /** Beside exact numbers one check stands for all that is asked of a value. */
  private broken(failure: Failure): string {
    this.rules ??= new Map(this.schema.valueRules.map((rule): [unknown, ValueRules] => [rule.made, rule]));
    const rule = this.rules.get(this.schemaAt(failure));
    const value = resolvePointer(this.instance, failure.path)?.value;
    if (rule === undefined || typeof value !== "string") return failure.keyword;
    return brokenRule(rule, value, this.numbers.get(value), () => false) ?? failure.keyword;
  }

  /** A member that nothing allows is reported under the keyword that forbids it, not under the `false` that is its value. */
  private remainder({ keyword, children }: Failure): readonly ArgumentError[] {
    return children.flatMap((child) =>
      child.within === "/not" ? [{ path: child.path, keyword }] : this.one(child),
    );
  }

  /**
   * Of several alternatives the caller meant one: the only one whose kind of value it gave. If none or several could be meant,
   * what all of them complain of; if there is no such thing, that none fits.
   */
  private choice(failure: Failure): readonly ArgumentError[] {
    const self: ArgumentError = { path: failure.path, keyword: failure.keyword };
    const branches = new Map<string, Failure[]>();
    for (const child of failure.children) {
      const index = /^\/(\d+)/u.exec(child.within)?.[1] ?? "";
      const branch = branches.get(index);
      if (branch === undefined) branches.set(index, [child]);
      else branch.push(child);
    }
    if (branches.size < this.alternatives(failure)) return [self];
    const explained = [...branches.values()].map((branch) => this.all(branch));
    const meant = explained.filter((errors) => !errors.some((error) => isOtherKind(error, failure.path)));
    const [only] = meant;
    if (meant.length === 1 && only !== undefined) return only;
    const [first, ...others] = meant.length > 1 ? meant : explained;
    const common = (first ?? []).filter((error) =>
      others.every((errors) => errors.some((other) => isSame(other, error))),
    );
    return common.length > 0 ? common : [self];
  }

  private alternatives(failure: Failure): number {
    const branches = memberOf(this.schemaAt(failure) ?? {}, failure.keyword);
    return isJsonArray(branches) ? branches.length : 0;
  }

  private missing(failure: Failure): readonly ArgumentError[] | undefined {
    const required = memberOf(this.schemaAt(failure) ?? {}, "required");
    if (!isJsonArray(required)) return undefined;
    return this.absent(failure, required);
  }

  private missingDependents(failure: Failure): readonly ArgumentError[] | undefined {
    const dependents = memberOf(this.schemaAt(failure) ?? {}, "dependentRequired");
    const present = resolvePointer(this.instance, failure.path)?.value;
    if (!isRecord(dependents) || !isRecord(present)) return undefined;
    const asked = Object.entries(dependents).filter(([name]) => Object.hasOwn(present, name));
    return this.absent(
      failure,
      asked.flatMap(([, names]) => (isJsonArray(names) ? names : [])),
    );
  }

  private absent(
    { path, keyword }: Failure,
    names: readonly unknown[],
  ): readonly ArgumentError[] | undefined {
    const present = resolvePointer(this.instance, path)?.value;
    if (!isRecord(present)) return undefined;
    const absent = names.filter((name) => typeof name === "string" && !Object.hasOwn(present, name));
    return absent
      .slice(0, ARGUMENT_ERRORS_MAX_COUNT)
      .map((name) => ({ path: appendToken(path, String(name)), keyword }));
  }

  /** The schema whose keyword failed, found again by the way that led there. */
  private schemaAt(failure: Failure): Readonly<Record<string, unknown>> | undefined {
    let place: unknown = this.schema.root;
    for (const step of locationSteps(failure.location)) {
      if (isJsonArray(place)) place = place[Number(step)];
      else if (!isRecord(place)) return undefined;
      else if (step === "$ref" && typeof place["$ref"] === "string")
        place = this.schema.lookup[place["$ref"]];
      else place = memberOf(place, step);
    }
    return isRecord(place) ? place : undefined;
  }
}

/** The value itself, or a member of it that tells kinds apart, is of another kind than this alternative wants. */
function isOtherKind({ path, keyword }: ArgumentError, place: string): boolean {
  if (path === place) return KINDS.has(keyword);
  return keyword === "const" && path.slice(place.length + 1).split("/").length === 1;
}

function isSame(one: ArgumentError, other: ArgumentError): boolean {
  return one.path === other.path && one.keyword === other.keyword;
}
