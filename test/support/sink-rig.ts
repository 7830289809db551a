import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { createLargeSinks, type LargeSinksPorts } from "../../src/firewall/artifacts/large-sinks.ts";
import type { LargePayload } from "../../src/large-result.ts";
import { artifactRig, valueOf } from "./artifact-rig.ts";

export const MEBIBYTE = 1_048_576;

/** A summariser that says what it was given. */
export function recorder() {
  let text = "";
  return {
    push: (piece: string) => {
      text += piece;
    },
    finish: () => text,
  };
}

/** Room for so many bytes, and the most of it that was taken at a time. */
function roomOf(maxBytes: number) {
  const room = {
    held: 0,
    most: 0,
    hold: (bytes: number) => {
      if (room.held + bytes > maxBytes) return false;
      room.held += bytes;
      room.most = Math.max(room.most, room.held);
      return true;
    },
    free: (bytes: number) => {
      room.held -= bytes;
    },
  };
  return room;
}

export function sinkRig(overrides: Partial<LargeSinksPorts> = {}, roomBytes = 24 * MEBIBYTE) {
  const artifacts = artifactRig();
  const room = roomOf(roomBytes);
  const hints: unknown[] = [];
  const sinks = createLargeSinks({
    openUpload: () => artifacts.store.openUpload("ada"),
    room,
    openSummariser: (hint) => {
      hints.push(hint);
      return recorder();
    },
    ...overrides,
  });
  return { ...artifacts, room, hints, sinks };
}

/** Bytes are compared as a whole: taking them one by one is slow. */
export function expectBytes(stored: Uint8Array | null, bytes: Uint8Array) {
  expect(stored !== null && Buffer.compare(stored, bytes) === 0).toBe(true);
}

/** What the store has of a payload. */
export async function storedOf({ store }: ReturnType<typeof sinkRig>, { stored, sizeBytes }: LargePayload) {
  const { storedAs } = valueOf(stored);
  return valueOf(await store.read("ada", { handle: "", storedAs }, 0, sizeBytes));
}

export function piecesOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = cuts[turn % cuts.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
export const cuts = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 5 });
export const longText = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9_000 }))
  .map(([unit, times]) => `\ufeff${`${unit}\n`.repeat(times)}`);
