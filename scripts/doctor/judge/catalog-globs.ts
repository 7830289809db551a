import { type Config, keyOf } from "../../../src/config.ts";
import { globTest, idForms } from "../../../src/dispatch/globs.ts";
import { type Finding, orPassed, skipped, warned } from "../finding.ts";

export interface CatalogTool {
  readonly id: string;
  readonly server: string;
  readonly upstreamName: string;
}

/** A glob of the configuration: its key, and what it is tried on. */
interface PlacedGlob {
  readonly subject: string;
  readonly glob: string;
  readonly names: readonly string[];
}

/**
 * Globs of the configuration that match no tool of the catalog. Where a server's tools are not all known, nothing is said of
 * its globs, nor of those over the ids of all. A policy's glob with a star may be there for tools that are to come; one
 * without names a tool.
 */
export function judgeCatalogGlobs(
  tools: readonly CatalogTool[],
  { gateway, mcpServers }: Config,
  okServers: ReadonlySet<string>,
): readonly Finding[] {
  const enabled = Object.entries(mcpServers).filter(([, { disabled }]) => !disabled);
  const placed = enabled.flatMap(([server, block]): PlacedGlob[] => {
    if (block.type !== "http" || !okServers.has(server)) return [];
    const names = tools.filter((tool) => tool.server === server).map(({ upstreamName }) => upstreamName);
    return place(["mcpServers", server, "replay"], Object.keys(block.replay), names);
  });
  const allKnown = enabled.every(([server]) => okServers.has(server));
  if (allKnown) {
    const ids = tools.flatMap(({ id }) => idForms(id));
    const names = [...ids, ...tools.map(({ upstreamName }) => upstreamName)];
    const { artifacts, cache, rate_limits: limits, policy } = gateway;
    placed.push(
      ...place(["gateway", "cache", "allow"], cache.allow, ids, "list"),
      ...place(["gateway", "cache", "shared"], cache.shared, ids, "list"),
      // `inline` is of resources and prompts too, which are not looked at here.
      ...place(["gateway", "artifacts", "keep"], Object.keys(artifacts.keep), ids),
      ...place(["gateway", "rate_limits", "tools"], Object.keys(limits.tools), ids),
      ...policy.flatMap(({ match: { tool } }, index): PlacedGlob[] =>
        tool === undefined || tool.includes("*")
          ? []
          : [{ subject: keyOf(["gateway", "policy", index, "match", "tool"]), glob: tool, names }],
      ),
    );
  }
  const found = placed.flatMap(({ subject, glob, names }) => {
    const matches = globTest(glob, true);
    if (names.some((name) => matches(name))) return [];
    return [
      warned("catalog.globs", {
        subject,
        what: "matches no tool of the catalog",
        mend: "look for a mistake in it (`GET /admin/catalog` lists ids and upstream names), or remove it",
      }),
    ];
  });
  if (found.length === 0 && !allKnown) {
    return [skipped("catalog.globs", "not every server's tools are known")];
  }
  return orPassed(found, "catalog.globs", "every glob matches a tool");
}

function place(
  path: readonly string[],
  globs: readonly string[],
  names: readonly string[],
  shape: "map" | "list" = "map",
): PlacedGlob[] {
  return globs.map((glob, index) => ({
    subject: keyOf([...path, shape === "map" ? glob : index]),
    glob,
    names,
  }));
}
