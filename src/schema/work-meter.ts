import { PATTERN_WORK_MAX_STEPS, VALIDATION_WORK_MAX_UNITS } from "../limits.ts";

/** Why arguments were refused without being judged against the schema. */
export type Guard =
  | "arguments_not_json"
  | "arguments_too_deep"
  | "arguments_too_large"
  | "work_exceeded"
  | "validator_failed";

/** Thrown inside the validator to stop it, and caught at this room's edge; nobody outside ever sees it. */
export class GuardTrip extends Error {
  readonly guard: Guard;

  constructor(guard: Guard) {
    super(guard);
    this.name = "GuardTrip";
    this.guard = guard;
  }
}

/** What the arguments at hand make dear, however often a schema asks for it. */
export interface Dearness {
  /** What looking at the widest object costs each time it is looked at. */
  readonly surcharge: number;
  /** Members of the widest object. */
  readonly widest: number;
  /** Whether some array holds a duplicate; if none does, `uniqueItems` holds everywhere. */
  readonly duplicates: boolean;
  /** What comparing the items of the worst array pairwise costs. */
  readonly pairwise: number;
}

const NOTHING_DEAR: Dearness = { surcharge: 0, widest: 0, duplicates: false, pairwise: 0 };

/**
 * Counts the work of one validation and stops it when it was enough. Units are charged each time a schema is applied
 * to a value, so an exponential schema ends at an exact count and not at a clock.
 */
export class WorkMeter {
  units = VALIDATION_WORK_MAX_UNITS;
  readonly patterns = { steps: PATTERN_WORK_MAX_STEPS };
  dear: Dearness = NOTHING_DEAR;

  /** A whole budget again, for these arguments. */
  reset(dear: Dearness, units = VALIDATION_WORK_MAX_UNITS): void {
    this.units = units;
    this.patterns.steps = PATTERN_WORK_MAX_STEPS;
    this.dear = dear;
  }

  spend(units: number): void {
    this.units -= units;
    if (this.units < 0) throw new GuardTrip("work_exceeded");
  }
}
