/**
 * The eight hex digits that stand for a definition's call shape. Prose and types are left out, so an edit of a
 * description does not change an id. Resources and prompts hash behind their kind, apart from each other.
 */
import { compareCodePoints } from "../code-points.ts";
import { asciiJson, sha256Hex } from "./digest.ts";
import { isRecord, memberOf } from "../json.ts";

/**
 * A tool's `hash8` (seed 000 §1.3): over the name as the upstream reports it and the names of its top-level
 * properties and required members. Whatever is not an object of properties or an array of strings is as good as
 * absent, so a broken schema still has a hash; repeats in `required` count, as in the original.
 */
export function toolHash8(upstreamName: string, inputSchema: unknown): string {
  return hash8(`${upstreamName}\n${inputShape(inputSchema)}`);
}

/** A resource's `hash8` (seed 000 §9.2): over its URI, or the URI template as written. */
export function resourceHash8(uri: string): string {
  return hash8(`resource\n${uri}`);
}

/**
 * A prompt's `hash8` (seed 000 §9.2): over the name that stands in its id, which is the sanitised one, and its
 * argument names in order. `promptArgumentNames` reads those out of a definition.
 */
export function promptHash8(name: string, argumentNames: readonly string[]): string {
  return hash8(`prompt\n${name}\n${asciiJson(sorted(argumentNames))}`);
}

/** The names in a prompt definition's `arguments`; entries without a non-empty string name do not count. */
export function promptArgumentNames(promptArguments: unknown): string[] {
  if (!Array.isArray(promptArguments)) return [];
  return promptArguments
    .map((argument: unknown) => memberOf(argument, "name"))
    .filter((name): name is string => typeof name === "string" && name !== "");
}

function inputShape(inputSchema: unknown): string {
  const properties = memberOf(inputSchema, "properties");
  const required = memberOf(inputSchema, "required");
  return asciiJson({
    properties: isRecord(properties) ? sorted(Object.keys(properties)) : [],
    required: Array.isArray(required)
      ? sorted(required.filter((name: unknown): name is string => typeof name === "string"))
      : [],
  });
}

function sorted(names: readonly string[]): string[] {
  return [...names].sort(compareCodePoints);
}

function hash8(text: string): string {
  return sha256Hex(text).slice(0, 8);
}
