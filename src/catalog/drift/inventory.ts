import { isRecord } from "../../json.ts";
import { contentHash } from "../snapshot/snapshot-store.ts";
import type { DefinitionParts } from "./definition-parts.ts";

/** What a pin holds a tool to. */
export interface PinnedTool {
  readonly id: string;
  /** The configured server's name. */
  readonly server: string;
  /** Of the whole definition as canonical JSON. */
  readonly definitionHash: string;
}

/** A tool as a later catalog is compared with it. */
export interface InventoryTool extends PinnedTool {
  readonly upstreamName: string;
  /** Absent in what an older version judged. */
  readonly parts?: DefinitionParts;
}

/** All tools of one catalog, by id in code point order. */
export type Inventory = readonly InventoryTool[];

/**
 * The hash that `gateway.pin` names: sha256 in lower-case hex over the canonical JSON of `[[id, server, definitionHash], …]`, by
 * id in code point order. Everything a definition says is in it, and nothing of when, in which order or how it was listed.
 */
export function fingerprintOf(sorted: Iterable<PinnedTool>): Promise<string> {
  const rows = Array.from(sorted, ({ id, server, definitionHash }) => [id, server, definitionHash]);
  return contentHash(new TextEncoder().encode(JSON.stringify(rows)));
}

/** Raise it with the form of a kept inventory. */
const INVENTORY_FORMAT = 1;

/** An inventory as it is kept, under the fingerprint of its catalog. */
export function inventoryText(fingerprint: string, tools: Inventory): string {
  const rows = tools.map(({ id, server, upstreamName, definitionHash, parts }) => [
    id,
    server,
    upstreamName,
    definitionHash,
    ...(parts === undefined ? [] : [parts.form, parts.contract, parts.metadata]),
  ]);
  return JSON.stringify({ format: INVENTORY_FORMAT, fingerprint, tools: rows });
}

/** Reads a kept inventory back; undefined for another catalog's, and for one that is not whole. */
export function readInventory(text: string, fingerprint: string): Inventory | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || value["format"] !== INVENTORY_FORMAT || value["fingerprint"] !== fingerprint)
    return undefined;
  const rows = value["tools"];
  if (!Array.isArray(rows)) return undefined;
  const tools: InventoryTool[] = [];
  for (const row of rows as readonly unknown[]) {
    const tool = toolOf(row);
    if (tool === undefined) return undefined;
    tools.push(tool);
  }
  return tools;
}

function toolOf(row: unknown): InventoryTool | undefined {
  if (!Array.isArray(row)) return undefined;
  const [id, server, upstreamName, definitionHash, form, contract, metadata] = row as readonly unknown[];
  if (typeof id !== "string" || typeof server !== "string") return undefined;
  if (typeof upstreamName !== "string" || typeof definitionHash !== "string") return undefined;
  const tool = { id, server, upstreamName, definitionHash };
  if (typeof form !== "number" || typeof contract !== "string" || typeof metadata !== "string") return tool;
  return { ...tool, parts: { form, contract, metadata } };
}
