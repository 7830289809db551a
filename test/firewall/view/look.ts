import { expect } from "vitest";
import { indexLines } from "../../../src/firewall/artifacts/line-index.ts";
import type { Shape, View, ViewProblem } from "../../../src/firewall/view/plan.ts";
import type { Selector } from "../../../src/firewall/view/selector.ts";
import { planView } from "../../../src/firewall/view/view.ts";
import { VIEW_MAX_BYTES, VIEW_SCAN_MAX_BYTES } from "../../../src/limits.ts";
import type { Result } from "../../../src/result.ts";

const encoder = new TextEncoder();

/** An artifact of the tests: its bytes and what is known of them. */
export interface Artifact {
  readonly bytes: Uint8Array;
  readonly shape: Shape;
}

export function textArtifact(content: string | Uint8Array, mediaType = "text/plain"): Artifact {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const { lines, index } = indexLines(bytes);
  return { bytes, shape: { mediaType, sizeBytes: bytes.length, lines, lineIndex: index } };
}

export function binaryArtifact(bytes: Uint8Array, mediaType = "image/png"): Artifact {
  return { bytes, shape: { mediaType, sizeBytes: bytes.length, lines: null, lineIndex: "" } };
}

/** Plans, reads one range as R2 does, and finishes; every bound of a view is looked at on the way. */
export function tryLook({ bytes, shape }: Artifact, selector: Selector): Result<View, ViewProblem> {
  const plan = planView(shape, selector);
  if (!plan.ok) return plan;
  const { offset, length, finish } = plan.value;
  expect(length).toBeGreaterThanOrEqual(0);
  expect(length).toBeLessThanOrEqual(VIEW_SCAN_MAX_BYTES);
  if (length > 0) {
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset + length).toBeLessThanOrEqual(bytes.length);
  }
  const shown = finish(length === 0 ? new Uint8Array() : bytes.slice(offset, offset + length));
  if (shown.ok && shown.value.text !== undefined) {
    expect(encoder.encode(shown.value.text).length).toBeLessThanOrEqual(VIEW_MAX_BYTES);
  }
  return shown;
}

export function look(artifact: Artifact, selector: Selector): View {
  const shown = tryLook(artifact, selector);
  if (!shown.ok) throw new Error(JSON.stringify(shown.reason));
  return shown.value;
}

export function refused(artifact: Artifact, selector: Selector): ViewProblem {
  const shown = tryLook(artifact, selector);
  if (shown.ok) throw new Error(`it was shown: ${shown.value.text?.slice(0, 200)}`);
  return shown.reason;
}

/** Every view from the first selector on, by following `next`. */
export function follow(
  artifact: Artifact,
  first: Selector,
  limit = artifact.bytes.length + 3,
): readonly View[] {
  const views: View[] = [];
  for (let selector: Selector | undefined = first; selector !== undefined;) {
    const shown: View = look(artifact, selector);
    views.push(shown);
    if (views.length > limit) throw new Error("it never ends");
    selector = shown.next;
  }
  return views;
}

export const textsOf = (views: readonly View[]): readonly string[] => views.map(({ text }) => text ?? "");

/** Whether every surrogate has its other half. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

export const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, "\uFFFD");

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
