import { compareCodePoints } from "../../code-points.ts";
import { memberOf } from "../../json.ts";
import { OPERATION_NAME_MAX_CHARS } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type ReplayContract, readReplayContract } from "./contract.ts";

/** One thing that a surface does for its callers, and what it promises about doing it twice. */
export interface Operation {
  /** A set of names of its own: the meta-tools, the routes of one API. */
  readonly surface: string;
  readonly operation: string;
  readonly contract: ReplayContract;
}

/** Why a declaration is refused. `index` counts the declarations from 0. */
export type RegistrationRefusal = { readonly index: number } & Refusal;

type Refusal =
  | { readonly reason: "invalid_name" }
  | {
      readonly reason: "no_contract" | "unknown_contract" | "duplicate";
      readonly surface: string;
      readonly operation: string;
    };

export interface OperationRegistry {
  contractOf(surface: string, operation: string): ReplayContract | undefined;
  /** By surface, then by operation, in the order of code points; frozen. */
  readonly operations: readonly Operation[];
}

/**
 * Registers every operation or none: a surface that starts without one of its contracts would be asked for it in the
 * middle of a recovery. All refusals come at once. Declare with `satisfies readonly Operation[]`; what is judged here is
 * what a program that no compiler has seen hands in.
 */
export function registerOperations(
  declared: readonly unknown[],
): Result<OperationRegistry, readonly RegistrationRefusal[]> {
  const surfaces: Surfaces = new Map();
  const refusals: RegistrationRefusal[] = [];
  for (const [index, declaration] of declared.entries()) {
    const judged = judge(declaration, surfaces);
    if (judged.ok) add(judged.value, surfaces);
    else refusals.push({ index, ...judged.reason });
  }
  if (refusals.length > 0) return fail(refusals);
  const operations = [...surfaces.values()]
    .flatMap((names) => Array.from(names.values()))
    .sort(compareOperations);
  return ok(
    Object.freeze({
      contractOf: (surface: string, operation: string) => surfaces.get(surface)?.get(operation)?.contract,
      operations: Object.freeze(operations),
    }),
  );
}

type Surfaces = Map<string, Map<string, Operation>>;

function judge(declaration: unknown, surfaces: Surfaces): Result<Operation, Refusal> {
  const surface = memberOf(declaration, "surface");
  const operation = memberOf(declaration, "operation");
  if (!isName(surface) || !isName(operation)) return fail({ reason: "invalid_name" });
  const stated = memberOf(declaration, "contract");
  if (stated === undefined) return fail({ reason: "no_contract", surface, operation });
  const contract = readReplayContract(stated);
  if (!contract.ok) return fail({ reason: "unknown_contract", surface, operation });
  if (surfaces.get(surface)?.has(operation) === true)
    return fail({ reason: "duplicate", surface, operation });
  return ok(Object.freeze({ surface, operation, contract: contract.value }));
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= OPERATION_NAME_MAX_CHARS;
}

function add(operation: Operation, surfaces: Surfaces): void {
  const names = surfaces.get(operation.surface) ?? new Map<string, Operation>();
  surfaces.set(operation.surface, names.set(operation.operation, operation));
}

function compareOperations(left: Operation, right: Operation): number {
  return compareCodePoints(left.surface, right.surface) || compareCodePoints(left.operation, right.operation);
}
