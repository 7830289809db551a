import type { CatalogTool } from "../catalog/catalog.ts";
import type { ArtifactAllowance } from "../dispatch/admission.ts";
import { createKeeper, discardLarge } from "../firewall/artifacts/keeper.ts";
import { createLargeSinks } from "../firewall/artifacts/large-sinks.ts";
import type { Keep } from "../firewall/present.ts";
import { sizeOf } from "../firewall/result/keepsake.ts";
import { openProjection } from "../firewall/streamed-projection.ts";
import { openSummariser } from "../firewall/summary/summariser.ts";
import { largePayloadsIn } from "../large-payloads.ts";
import { LARGE_SINKS_GRACE_MS } from "../limits.ts";
import type { LargePayload, LargeSinks } from "../large-result.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { fail } from "../result.ts";
import { inTurn } from "../scrub/scrub-stream.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";
import { presentationFor } from "./tool-artifacts.ts";

/** All that one call keeps: payloads while its answer is read, artifacts, and its first answer for a repetition. */
export interface CallKeeping {
  /** Where payloads of a tool's answer go that are too large to hold, for a call of that length. */
  sinks(tool: CatalogTool, timeoutMs: number): LargeSinks;
  /** How much may be kept from here on, in all. */
  allow(allowance: ArtifactAllowance | undefined): void;
  keep(tool: CatalogTool): Keep;
  /** Deletes the payloads of a result that were not kept, and gives the memory back. */
  end(result: unknown): Promise<void>;
}

export function callKeeping({ principal }: RequestContext, ports: GatewayPorts): CallKeeping {
  const owner = principalObjectName(principal);
  const store = ports.artifacts;
  const kept = new Set<LargePayload>();
  const rooms: { release(): void }[] = [];
  let isLarge = false;
  let left: ArtifactAllowance = { bytes: Infinity, count: Infinity };
  const take = (bytes: number): boolean => {
    if (left.count < 1 || bytes > left.bytes) return false;
    left = { ...left, bytes: left.bytes - bytes, count: left.count - 1 };
    return true;
  };
  return {
    sinks: (tool, timeoutMs) => {
      const redactor = ports.redactor(tool.server);
      const room = ports.buffers.open(timeoutMs + LARGE_SINKS_GRACE_MS);
      rooms.push(room);
      return createLargeSinks({
        room,
        openUpload: () => {
          isLarge = true;
          return store.openUpload(owner);
        },
        openSummariser,
        openProjection: () =>
          openProjection(presentationFor(ports.controls.gateway.artifacts, tool.id).keepPaths),
        openFilter: (name) => {
          const redacting = redactor?.stream(name);
          if (redacting === undefined) return ports.scrubber.stream();
          return { ...inTurn(ports.scrubber.stream(), redacting), count: () => redacting.count() };
        },
        openBinaryFilter: () => ports.scrubber.stream(),
        ...(ports.openDigest === undefined ? {} : { openDigest: ports.openDigest }),
      });
    },
    allow: (allowance) => {
      if (allowance !== undefined) left = allowance;
    },
    keep: (tool) => {
      const toolId = tool.id;
      const keeper = createKeeper({ store, ring: ports.artifactKeys, principal, owner, toolId });
      return async (keepsake) => {
        const size = sizeOf(keepsake);
        // Judged before anything is awaited, so that the first to ask are the first to get room.
        if (keepsake.large?.stored.ok !== false && !take(size)) {
          const detail = `${toolId}: the principal's quota has no room for ${size} bytes`;
          return fail({ reason: "not_kept", why: "quota", detail });
        }
        if (keepsake.large !== undefined) kept.add(keepsake.large);
        return keeper(keepsake, left.goneUntilMs);
      };
    },
    end: async (result) => {
      for (const room of rooms) room.release();
      if (!isLarge) return;
      const payloads = largePayloadsIn(result).filter((payload) => !kept.has(payload));
      await discardLarge({ store, owner }, payloads);
    },
  };
}
