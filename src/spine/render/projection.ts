import { PROJECTION_PATH_MAX_CHARS } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { SurfaceKind } from "./bounds.ts";
import { partsOf } from "./members.ts";
import { cutPlain, quoteJson } from "./quote.ts";

/** What a surface promises not to show. */
export interface ProjectionPolicy {
  readonly kind: SurfaceKind;
  /** The surface names things and gives none of their content. */
  readonly referenceOnly: boolean;
  /**
   * Members `id` and `…_id` are refused, for surfaces whose things have names that a model can say. Off by default: where
   * ids are the handles of the next call, they must be shown.
   */
  readonly forbidOpaqueIds: boolean;
}

export const PROJECTION_RULES = ["opaque_id", "reference_only", "list_payload"] as const;

export type ProjectionRule = (typeof PROJECTION_RULES)[number];

/** The first member that breaks the policy, by code point of the names on the way: `$.a[0].b`. */
export interface ProjectionBreach {
  readonly rule: ProjectionRule;
  /** At most `PROJECTION_PATH_MAX_CHARS` code points, cut at the end and marked. */
  readonly path: string;
}

/** What {@link ProjectionPolicy.referenceOnly} refuses. */
export const REFERENCE_ONLY_KEYS: readonly string[] = ["body", "content", "text", "bytes"];
/** What a listing leaves to the surface that reads one thing. */
export const LIST_PAYLOAD_KEYS: readonly string[] = ["body", "payload_preview", "analysis", "rationale"];

/** The policy of a kind of surface, with nothing forbidden beyond the kind's own. */
export function projectionPolicy(
  kind: SurfaceKind,
  more: Partial<Omit<ProjectionPolicy, "kind">> = {},
): ProjectionPolicy {
  return { kind, referenceOnly: more.referenceOnly ?? false, forbidOpaqueIds: more.forbidOpaqueIds ?? false };
}

/** Where the walk stands; the root has no parent. */
interface Place {
  readonly value: unknown;
  readonly parent: Place | undefined;
  readonly step: string | number;
}

/** Judges everything that would be shown, at any depth, before it is. The value itself comes back where it may be. */
export function checkProjection<Value>(
  value: Value,
  policy: ProjectionPolicy,
): Result<Value, ProjectionBreach> {
  const seen = new Set<unknown>();
  const open: Place[] = [{ value, parent: undefined, step: "" }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const rule = typeof place.step === "string" ? brokenRule(place.step, policy) : undefined;
    if (rule !== undefined && place.parent !== undefined) return fail({ rule, path: pathOf(place) });
    // What stands in many places was judged with the first.
    if (typeof place.value !== "object" || seen.has(place.value)) continue;
    seen.add(place.value);
    const parts = partsOf(place.value);
    // The last one pushed is the next one judged.
    if (parts.kind === "array") {
      for (let step = parts.items.length - 1; step >= 0; step -= 1)
        open.push({ value: parts.items[step], parent: place, step });
    } else if (parts.kind === "object") {
      for (const step of parts.keys.toReversed()) open.push({ value: parts.of[step], parent: place, step });
    }
  }
  return ok(value);
}

function brokenRule(key: string, policy: ProjectionPolicy): ProjectionRule | undefined {
  if (policy.forbidOpaqueIds && (key === "id" || key.endsWith("_id"))) return "opaque_id";
  if (policy.referenceOnly && REFERENCE_ONLY_KEYS.includes(key)) return "reference_only";
  return policy.kind === "list" && LIST_PAYLOAD_KEYS.includes(key) ? "list_payload" : undefined;
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) steps.push(stepText(at.step));
  return cutPlain(`$${steps.toReversed().join("")}`, PROJECTION_PATH_MAX_CHARS);
}

function stepText(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return PLAIN_NAME.test(step) ? `.${step}` : `[${quoteJson(step, PROJECTION_PATH_MAX_CHARS).text}]`;
}
