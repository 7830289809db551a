import type { GatewayFailure } from "../errors.ts";
import type { ArtifactPlace } from "../firewall/artifacts/artifact.ts";
import { VIEW_ROOM_LIFETIME_MS } from "../limits.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { fail, type Result } from "../result.ts";
import { shownPath } from "./answers.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/** Which bytes of which artifact. */
export interface ArtifactRange {
  readonly place: ArtifactPlace;
  readonly offset: number;
  /** More than nothing. */
  readonly length: number;
}

/** Reads bytes of the caller's own artifact and makes something of them while their room is held. */
export async function withArtifactBytes<Made>(
  { place, offset, length }: ArtifactRange,
  make: (bytes: Uint8Array) => Result<Made, GatewayFailure>,
  { principal }: RequestContext,
  { artifacts, buffers }: Pick<GatewayPorts, "artifacts" | "buffers">,
): Promise<Result<Made, GatewayFailure>> {
  const { handle } = place;
  const room = buffers.open(VIEW_ROOM_LIFETIME_MS);
  if (!room.hold(length)) {
    room.release();
    return fail(artifactsNotReady(handle, `no room to read ${length} bytes of an artifact`));
  }
  try {
    const bytes = await artifacts.read(principalObjectName(principal), place, offset, length);
    if (!bytes.ok) return fail(artifactsNotReady(handle, bytes.reason.detail));
    return bytes.value === null ? fail({ reason: "no_artifact", path: handle }) : make(bytes.value);
  } finally {
    room.release();
  }
}

export function artifactsNotReady(
  handle: string,
  detail: string,
): Extract<GatewayFailure, { reason: "not_ready" }> {
  return { reason: "not_ready", path: shownPath(handle), what: "artifacts", detail };
}
