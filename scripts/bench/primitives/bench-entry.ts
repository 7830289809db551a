import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { BenchTool } from "../tools/bench-tool.ts";

export const KINDS: readonly OtherKind[] = ["resource", "prompt"];

/** A resource, a template or a prompt to measure with, as its server lists it. */
export type BenchEntry = BenchTool;

/** What its server calls it: a resource's URI, a template's text, a prompt's name. */
export function keyOf({ definition }: BenchEntry): string {
  const { uri, uriTemplate, name } = definition;
  return [uri, uriTemplate, name].find((value) => typeof value === "string") ?? "";
}

export function isTemplate({ definition }: BenchEntry): boolean {
  return typeof definition["uriTemplate"] === "string";
}

/** A member that is a text; empty where it is not there. */
export function textOf({ definition }: BenchEntry, member: "name" | "title" | "description"): string {
  const value = definition[member];
  return typeof value === "string" ? value : "";
}

/** The arguments of a prompt. */
export function argumentsOf({ definition }: BenchEntry): Readonly<Record<string, unknown>>[] {
  const list = memberOf(definition, "arguments");
  return isJsonArray(list) ? list.filter(isRecord) : [];
}

/** Tells entries of all servers apart. */
export function placeOf(server: string, key: string): string {
  return JSON.stringify([server, key]);
}
