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

/**
 * Counts the work of one validation and stops it when it was enough. Units are charged each time a schema is applied
 * to a value, so an exponential schema ends at an exact count and not at a clock.
 */
export class WorkMeter {
  units = VALIDATION_WORK_MAX_UNITS;
  readonly patterns = { steps: PATTERN_WORK_MAX_STEPS };
  /** What looking at the widest object of the arguments costs each time it is looked at. */
  surcharge = 0;
  /** Whether some array of the arguments holds a duplicate; if none does, `uniqueItems` holds everywhere. */
  duplicates = false;
  /** What comparing the items of the arguments' worst array pairwise costs. */
  pairwise = 0;

  reset(): void {
    this.units = VALIDATION_WORK_MAX_UNITS;
    this.patterns.steps = PATTERN_WORK_MAX_STEPS;
    this.surcharge = 0;
    this.duplicates = false;
    this.pairwise = 0;
  }

  spend(units: number): void {
    this.units -= units;
    if (this.units < 0) throw new GuardTrip("work_exceeded");
  }
}
