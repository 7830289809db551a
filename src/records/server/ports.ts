import type { Coverage } from "../grant/coverage.ts";
import type { Seal } from "../seal/seal.ts";

/** A value that SQLite takes. */
export type SqlValue = string | number | null;

/** One statement with its values in their order; at most 100 of them, which is D1's bound. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Reads named versions of records, which are never written again: whatever manifest counts by now, they say the same. */
  readonly isByVersion?: true;
}

export type Row = Readonly<Record<string, unknown>>;

/** The database, as far as reading goes. It throws where D1 does; the server's entry turns that into `api_error`. */
export interface Sql {
  /** Runs the statements in one round trip and one transaction: all see the same state. */
  read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
}

/** Bodies that were too large for a row, by their key in the bucket. */
export interface BodyReader {
  read(objectKey: string): Promise<string | undefined>;
}

/** What the embedded resource server works with. One instance serves one request. */
export interface ServerPorts {
  readonly coverage: Coverage;
  readonly sql: Sql;
  readonly bodies: BodyReader;
  readonly seal: Seal;
  readonly now: () => number;
  /** Hears what a backend threw; the caller only hears that it did. */
  readonly log: (error: unknown) => void;
}
