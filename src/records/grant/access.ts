import type { LearnedSource } from "../source/learned-source.ts";
import type { Coverage } from "./coverage.ts";

/** What a bearer may read, as D1 has it now. */
export type ReaderAccess =
  /** Revoked, or nowhere known. */
  | { readonly standing: "token_revoked" }
  /** A client that has never had a grant. */
  | { readonly standing: "no_grant" }
  /** There were grants, and all are revoked. */
  | { readonly standing: "grants_revoked" }
  | ReaderGrants;

export interface ReaderGrants {
  readonly standing: "covered";
  /** Everything of the embedded server at once, as `/v1` reads it. */
  readonly whole: Coverage;
  /** Of the embedded server: one for each living grant of a connection, of that grant alone. Empty for an owner. */
  readonly embedded: readonly { readonly grantId: string; readonly coverage: Coverage }[];
  /** External sources of the configuration that living grants name. */
  readonly external: readonly { readonly grantId: string; readonly source: string }[];
  /** What these were last known to have. */
  readonly learned: readonly LearnedSource[];
}
