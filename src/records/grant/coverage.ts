import type { StreamManifest, StreamSlots } from "../manifest/manifest.ts";

/** Who reads, as the schema document tells it. */
export type Holder =
  | { readonly kind: "client"; readonly tokenId: string; readonly grantId: string }
  | { readonly kind: "package"; readonly tokenId: string; readonly packageId: string }
  | { readonly kind: "owner"; readonly tokenId: string };

/** One stream of one connection that may be read, with everything that narrows it. Nothing outside of these is ever asked of D1. */
export interface CoveredFeed {
  /** The row of `record_feeds`. */
  readonly feedId: number;
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly connectorId: string;
  /** The connector's own name. */
  readonly connectorName: string | null;
  /** The connection's label. */
  readonly displayName: string | null;
  /** Null for the owner, who needs none. */
  readonly grantId: string | null;
  readonly stream: StreamManifest;
  /** Whether its rows are being put in another order: lists of it wait for the end of that, and the stream has no cursor field. */
  readonly isReordered?: boolean;
  /** Of the manifest that says so: a read is held to it. Undefined where nobody loads another meanwhile. */
  readonly manifestHash?: string | undefined;
  readonly slots: StreamSlots;
  /** Null: every field. Else the granted ones, what the schema requires among them. */
  readonly fields: ReadonlySet<string> | null;
  /** Null: every record. Else the keys that may be read. */
  readonly resources: readonly string[] | null;
  /** Canonical times (`canonical-time.ts`) of the stream's consent time: from `since` on, before `until`. A record without that time is not covered where either is set. */
  readonly since: string | null;
  readonly until: string | null;
}

/** All that a bearer may read of the embedded server. */
export interface Coverage {
  readonly holder: Holder;
  /** By connector key, connection and the stream's place in its manifest. */
  readonly feeds: readonly CoveredFeed[];
}
