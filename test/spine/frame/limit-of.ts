import { type FrameLimit, frameLimit } from "../../../src/spine/frame/frame-limit.ts";

export function limitOf(bytes: number): FrameLimit {
  const limit = frameLimit(bytes);
  if (!limit.ok) throw new Error(limit.reason);
  return limit.value;
}
