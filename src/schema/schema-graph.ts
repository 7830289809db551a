import { SCHEMA_MAX_BRANCHES, SCHEMA_MAX_CHAIN } from "../limits.ts";
import type { Dialect } from "./dialect.ts";
import type { FindingCode } from "./finding.ts";
import { isRecord, type JsonObject, memberOf } from "../json.ts";
import { extendPath } from "./bounded-path.ts";
import { subschemas } from "./keywords.ts";
import { documentResource, identify, type Resource, resolveReference } from "./references.ts";

/** One schema of a document: where it stands, what it refers to, and which schemas judge the same value as it. */
export interface GraphNode {
  readonly schema: JsonObject;
  readonly path: string;
  readonly resource: Resource;
  /** Targets of `$ref`, and of `$dynamicRef` and `$recursiveRef` where only one target is possible. */
  readonly targets: unknown[];
  readonly inPlace: unknown[];
}

export interface SchemaGraph {
  readonly dialect: Dialect;
  readonly root: unknown;
  /** Keyed by the schema object itself, in the order of discovery: parents before what they hold. */
  readonly nodes: ReadonlyMap<JsonObject, GraphNode>;
}

export type Report = (code: FindingCode, path: string, fatal: boolean) => void;

interface Visit {
  readonly schema: unknown;
  readonly path: string;
  readonly resource: Resource;
  readonly keyword: string;
}

/** Draft 4 has schemas `true` and `false` only where they say whether more may follow. */
const DRAFT_4_FLAGS: ReadonlySet<string> = new Set(["additionalItems", "additionalProperties"]);

/**
 * Finds every schema of a document, from the root and through references to places that only a reference makes a
 * schema, and resolves all references. Reads each once and without recursion; the caller has bounded the document's size and depth.
 */
export function buildGraph(root: unknown, dialect: Dialect, report: Report): SchemaGraph {
  const nodes = new Map<JsonObject, GraphNode>();
  const resources = new Map<string, Resource>();
  const dynamic = new Map<string, number>();
  const base = documentResource(root);
  resources.set(base.uri, base);
  let unresolved: GraphNode[] = [];
  let visits: Visit[] = [{ schema: root, path: "", resource: base, keyword: "" }];
  while (visits.length > 0) {
    unresolved = [];
    for (const visit of visits) {
      for (const node of discover(visit, dialect, nodes, resources, dynamic, report)) unresolved.push(node);
    }
    visits = [];
    const isWhole = new Set([...resources.values()].map((resource) => resource.root)).size === 1;
    for (const node of unresolved)
      visits.push(...resolveOf(node, resources, { anchors: dynamic, isWhole }, report));
    visits = visits.filter(({ schema }) => isRecord(schema) && !nodes.has(schema));
  }
  return { dialect, root, nodes };
}

/** All schemas under one, found by keyword. */
function discover(
  start: Visit,
  dialect: Dialect,
  nodes: Map<JsonObject, GraphNode>,
  resources: Map<string, Resource>,
  dynamic: Map<string, number>,
  report: Report,
): GraphNode[] {
  const found: GraphNode[] = [];
  const pending: Visit[] = [start];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { schema, path } = visit;
    if (typeof schema === "boolean") {
      if (dialect === "4" && !DRAFT_4_FLAGS.has(visit.keyword)) report("not_well_formed", path, true);
      continue;
    }
    if (!isRecord(schema)) {
      report("not_well_formed", path, true);
      continue;
    }
    if (nodes.has(schema)) continue;
    const resource = enter(schema, visit, dialect, resources, report);
    const { anchors, dynamicAnchor } = identify(schema, resource.uri, dialect);
    for (const anchor of anchors) {
      if (resource.anchors.has(anchor)) report("duplicate_id", path, false);
      else resource.anchors.set(anchor, schema);
    }
    if (dynamicAnchor !== undefined) dynamic.set(dynamicAnchor, (dynamic.get(dynamicAnchor) ?? 0) + 1);
    const node: GraphNode = { schema, path, resource, targets: [], inPlace: [] };
    nodes.set(schema, node);
    found.push(node);
    for (const sub of subschemas(schema, dialect)) {
      const holder = extendPath(path, sub.keyword);
      const place = sub.token === undefined ? holder : extendPath(holder, sub.token);
      pending.push({ schema: sub.schema, path: place, resource, keyword: sub.keyword });
      if (sub.inPlace) node.inPlace.push(sub.schema);
    }
  }
  return found;
}

/** The resource that a schema opens with its `$id`, or the one it stands in. The first to claim an address keeps it. */
function enter(
  schema: JsonObject,
  visit: Visit,
  dialect: Dialect,
  resources: Map<string, Resource>,
  report: Report,
): Resource {
  const { uri, unreadable } = identify(schema, visit.resource.uri, dialect);
  if (unreadable)
    report("annotation_malformed", extendPath(visit.path, dialect === "4" ? "id" : "$id"), false);
  if (uri === undefined) return visit.resource;
  if (visit.path === "") {
    // The document is known under both its addresses.
    const renamed: Resource = { uri, root: schema, anchors: visit.resource.anchors };
    resources.set(uri, renamed);
    return renamed;
  }
  if (resources.has(uri)) report("duplicate_id", visit.path, false);
  const opened: Resource = { uri, root: schema, anchors: new Map() };
  if (!resources.has(uri)) resources.set(uri, opened);
  return opened;
}

/** What a dynamic reference could lead to. */
interface DynamicTargets {
  /** How often each dynamic anchor is defined. */
  readonly anchors: ReadonlyMap<string, number>;
  /** The document is one resource. */
  readonly isWhole: boolean;
}

function resolveOf(
  node: GraphNode,
  resources: ReadonlyMap<string, Resource>,
  dynamic: DynamicTargets,
  report: Report,
): Visit[] {
  const visits: Visit[] = [];
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const reference = memberOf(node.schema, keyword);
    const path = extendPath(node.path, keyword);
    if (reference === undefined) continue;
    if (typeof reference !== "string") {
      report("not_well_formed", path, true);
      continue;
    }
    const resolved = resolveReference(reference, node.resource, resources);
    if (!resolved.ok) {
      report(resolved.reason, path, true);
      continue;
    }
    if (keyword !== "$ref" && !isStatic(keyword, reference, dynamic)) {
      report("dynamic_ref_unsupported", path, false);
      continue;
    }
    const { value, resource } = resolved.value;
    node.targets.push(value);
    node.inPlace.push(value);
    visits.push({ schema: value, path: targetPath(reference, node, resource), resource, keyword });
  }
  return visits;
}

/** A dynamic reference with one possible target is a plain one: `$recursiveRef` in a document of one resource, `$dynamicRef` to an anchor defined once. */
function isStatic(keyword: string, reference: string, { anchors, isWhole }: DynamicTargets): boolean {
  if (keyword === "$recursiveRef") return isWhole;
  const anchor = reference.slice(reference.indexOf("#") + 1);
  return (anchors.get(anchor) ?? 0) <= 1;
}

function targetPath(reference: string, node: GraphNode, resource: Resource): string {
  // Only a reference into the document itself says where in the document its target stands.
  const fragment = reference.startsWith("#/") && resource === node.resource ? reference.slice(1) : undefined;
  return fragment ?? extendPath(node.path, "$ref");
}

/**
 * Judges how schemas apply to one value inside each other: `ref_cycle` when that never ends, `chain_exceeded` and
 * `composition_exceeded` when it ends too late. Post-order over the graph, without recursion.
 */
export function judgeComposition(graph: SchemaGraph, report: Report): void {
  const done = new Map<JsonObject, { readonly chain: number; readonly branches: number }>();
  const open = new Set<JsonObject>();
  for (const start of graph.nodes.values()) {
    const stack: GraphNode[] = [start];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      const { schema } = node;
      if (done.has(schema)) {
        stack.pop();
        continue;
      }
      const next = node.inPlace.filter(isRecord);
      if (!open.has(schema)) {
        open.add(schema);
        const cyclic = next.some((child) => open.has(child));
        if (cyclic) {
          report("ref_cycle", node.path, true);
          return;
        }
        for (const child of next) {
          const childNode = graph.nodes.get(child);
          if (childNode !== undefined && !done.has(child)) stack.push(childNode);
        }
        continue;
      }
      stack.pop();
      open.delete(schema);
      const below = next.map((child) => done.get(child) ?? { chain: 0, branches: 1 });
      const chain = 1 + below.reduce((longest, child) => Math.max(longest, child.chain), 0);
      const branches = 1 + below.reduce((sum, child) => sum + child.branches, 0);
      done.set(schema, { chain, branches });
      if (chain <= SCHEMA_MAX_CHAIN && branches <= SCHEMA_MAX_BRANCHES) continue;
      if (chain > SCHEMA_MAX_CHAIN) report("chain_exceeded", node.path, true);
      else report("composition_exceeded", node.path, true);
      return;
    }
  }
}
