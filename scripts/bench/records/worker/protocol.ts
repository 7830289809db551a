import { z } from "zod";

const values = z.array(z.union([z.string(), z.number(), z.null()]));
const statement = z.object({ sql: z.string(), values });
const samples = z.number();

/** What the bench asks its Worker: one batch of SQL; one statement, over and over; one read of a connection, over and over. */
export const askedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), statements: z.array(statement) }),
  z.object({ kind: z.literal("plain"), statement, samples }),
  z.object({
    kind: z.literal("read"),
    connection_id: z.string(),
    path: z.array(z.string()),
    query: z.array(z.tuple([z.string(), z.string()])),
    samples,
  }),
]);

export type Asked = z.infer<typeof askedSchema>;

export interface Timed {
  /** What was answered, as text. */
  readonly answer: string;
  /** Milliseconds by the clock, of one call each. */
  readonly ms: readonly number[];
  /** Of one call, as D1 counts and bills them. */
  readonly rows_read: number;
}
