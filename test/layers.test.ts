import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import layers from "../layers.json";
import { ROOT, runTool } from "../scripts/check/run-tool.ts";
import { memberOf } from "../src/json.ts";

/** Files planted into an empty project that has nothing of the repository but its rules. */
const planted = new Map<string, string>();
let findings: ReadonlyMap<string, readonly string[]>;
let filesLookedAt: unknown;
let folder: string;

function plant(path: string, line: string): string {
  planted.set(path, `${line}\n`);
  return path;
}

const rooms = layers.tiers.flat();
const tierOf = (room: string): number => layers.tiers.findIndex((tier) => tier.includes(room));

const arrows = rooms.flatMap((from) =>
  rooms
    .filter((to) => to !== from)
    .map((to) => ({
      from,
      to,
      allowed: tierOf(to) > tierOf(from),
      path: plant(`src/${from}/to-${to}.ts`, `export { x } from "../${to}/thing.ts";`),
    })),
);

const platform = rooms.map((room) => ({
  room,
  path: plant(`src/${room}/reaches-platform.ts`, `export { env } from "cloudflare:workers";`),
}));

const bindingFiles = rooms
  .filter((room) => room !== "http")
  .flatMap((room) =>
    ["some-object.ts", "some-store.ts"].map((name) => ({
      room,
      name,
      path: plant(`src/${room}/${name}`, `export { env } from "cloudflare:workers";`),
    })),
  );

const packages = Object.entries(layers.packages).flatMap(([name, homes]) =>
  rooms
    .filter((room) => !homes.some((home) => home.startsWith(`src/${room}/**`)))
    .map((room) => ({
      name,
      room,
      path: plant(
        `src/${room}/imports-${name.replaceAll(/\W/g, "-")}.ts`,
        `export { x } from "${name}/part.js";`,
      ),
    })),
);

const homes = Object.entries(layers.packages).flatMap(([name, places]) =>
  places.map((place) =>
    plant(place.replace("**", `home-of-${name.replaceAll(/\W/g, "-")}.ts`), `export { x } from "${name}";`),
  ),
);

const impure = [
  "export const a = Date.now();",
  "export const a = Math.random();",
  "export const a = crypto.randomUUID();",
  "export const a = crypto.getRandomValues(new Uint8Array(1));",
  'export const a = fetch("https://example.com");',
  "export const a = setTimeout(() => undefined, 1);",
].flatMap((line, index) =>
  rooms
    .filter((room) => !["http", "mcp", "upstream"].includes(room))
    .map((room) => ({ line, path: plant(`src/${room}/impure-${index}.ts`, line) })),
);

const besideSpine = plant("src/beside-spine.ts", 'export { x } from "./spine/replay/thing.ts";');
const besideRooms = plant("src/beside.ts", 'export { x } from "./catalog/thing.ts";');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-layers-"));
  for (const file of ["oxlint.config.mjs", "layers.json"]) cpSync(join(ROOT, file), join(folder, file));
  // The type-aware half of the linter is found through node_modules.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of planted) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const report: unknown = JSON.parse(
    runTool("oxlint", ["-c", "oxlint.config.mjs", "--format", "json", "src"], folder).stdout,
  );
  filesLookedAt = memberOf(report, "number_of_files");
  const diagnostics = memberOf(report, "diagnostics");
  const byFile = new Map<string, string[]>();
  for (const diagnostic of Array.isArray(diagnostics) ? (diagnostics as unknown[]) : []) {
    const file = String(memberOf(diagnostic, "filename"));
    byFile.set(file, [...(byFile.get(file) ?? []), String(memberOf(diagnostic, "code"))]);
  }
  findings = byFile;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const IMPORT_RULE = "eslint(no-restricted-imports)";

describe("layer rules", () => {
  it("were asked about every planted file", () => {
    expect(filesLookedAt).toBe(planted.size);
  });

  it.each(arrows)("$from → $to", ({ path, allowed }) => {
    expect((findings.get(path) ?? []).includes(IMPORT_RULE)).toBe(!allowed);
  });

  it.each(platform)("$room reaches the platform only in its binding files", ({ room, path }) => {
    expect((findings.get(path) ?? []).includes(IMPORT_RULE)).toBe(room !== "http");
  });

  it.each(bindingFiles)("$name reaches the platform, in $room too unless it is pure", ({ room, path }) => {
    expect((findings.get(path) ?? []).includes(IMPORT_RULE)).toBe(layers.pure.includes(room));
  });

  it.each(packages)("$room does not import $name", ({ path }) => {
    expect(findings.get(path)).toContain(IMPORT_RULE);
  });

  it.each(homes)("%s may import its package", (path) => {
    expect(findings.get(path) ?? []).not.toContain(IMPORT_RULE);
  });

  it.each(impure)("a pure room takes it as an argument: $line ($path)", ({ path }) => {
    const codes = findings.get(path) ?? [];
    expect(
      codes.includes("eslint(no-restricted-properties)") || codes.includes("eslint(no-restricted-globals)"),
    ).toBe(true);
  });

  it("a file beside the rooms imports no room but the spine, whose words all speak", () => {
    expect(findings.get(besideRooms)).toContain(IMPORT_RULE);
    expect(findings.get(besideSpine) ?? []).not.toContain(IMPORT_RULE);
  });
});
