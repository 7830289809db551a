import * as z from "zod";
import { DELIVERY_ENTRIES_MAX_COUNT, ENTRY_MAX_CHARS } from "../limits.ts";

/**
 * What a source and the ledger say to each other. A source is one outbox from its creation on: the object that has it, and
 * an epoch drawn at random, so that one whose storage was deleted and begins at 1 again is another source.
 *
 * Nothing is forgotten by the source before the ledger has answered for it, and the ledger remembers the last number with
 * what it counted: so each entry counts once, however often it is sent.
 */
export const deliverySchema = z.object({
  version: z.literal(1),
  source: z.string().min(1).max(256),
  /** The number of the first entry; the others follow without a gap. */
  from: z.number().int().positive(),
  entries: z.array(z.string().max(ENTRY_MAX_CHARS)).max(DELIVERY_ENTRIES_MAX_COUNT),
  /**
   * The last number that the ledger has answered for. A ledger that knows less has lost it with what it counted, and goes on
   * from here: the source has nothing before it to send again.
   */
  acknowledged: z.number().int().nonnegative(),
  /** Entries that the source could not keep, in all of its life. */
  dropped: z.number().int().nonnegative(),
  /** What the source keeps of results, and when the last of it expires; absent where it says nothing new. */
  kept: z
    .object({
      count: z.number().int().nonnegative(),
      bytes: z.number().int().nonnegative(),
      untilMs: z.number().int().nonnegative(),
    })
    .optional(),
});

export type KeptLevel = Readonly<NonNullable<Delivery["kept"]>>;

export type Delivery = z.output<typeof deliverySchema>;

/** `last`: everything up to this number counts and may be forgotten. `expected`: send again from here. */
export type Receipt =
  | { readonly version: 1; readonly taken: true; readonly last: number }
  | { readonly version: 1; readonly taken: false; readonly reason: "gap"; readonly expected: number }
  | { readonly version: 1; readonly taken: false; readonly reason: "malformed" };

/** The ledger's object, as a source sees it. */
export interface LedgerDoor {
  deliver(delivery: Delivery): Promise<Receipt>;
}

/** There is one ledger. */
export const LEDGER_OBJECT_NAME = "ledger-1";

/** What this room needs of the Worker's environment: the platform's namespace, as far as it is used. */
export interface OutboxBindings {
  readonly LEDGER: { getByName(name: string): LedgerDoor };
}
