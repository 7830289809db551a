import type { Result } from "../../result.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import type { MoveAnswer, MoveRequest, RefreshAnswer, RefreshReason } from "../refresh/refresh-contract.ts";
import type { ContentKind } from "../snapshot/snapshot-store.ts";

/** The object gave no answer. */
export interface CatalogUnreachable {
  readonly reason: "catalog_unreachable";
  /** For the operator's log. */
  readonly detail: string;
}

/** The catalog's object, as the reader is handed it. Nothing here throws. */
export interface CatalogObjectPort {
  refresh(reason: RefreshReason, config: string): Promise<Result<RefreshAnswer, CatalogUnreachable>>;
  /** Moves a server's calls to its other target. */
  move(request: MoveRequest): Promise<Result<MoveAnswer, CatalogUnreachable>>;
  newest(config: string): Promise<Result<Pointer | undefined, CatalogUnreachable>>;
  content(kind: ContentKind, hash: string): Promise<Result<Uint8Array | null, CatalogUnreachable>>;
}
