import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";

/** What the spine may import beside itself; its own limits, and not everybody's. */
const ROOM = "src/spine/";
const SHARED = ["src/exact-json/"];
const SHARED_FILES = new Set(["src/result.ts", "src/json.ts", "src/code-points.ts", "src/limits/spine.ts"]);
/** What those files need themselves. */
const BENEATH = new Set(["src/limits/exact-json.ts"]);

/**
 * Globals of platforms, and those that give another answer each time, in whatever way they are used; a member or a property
 * may be called so. What every engine has is free.
 */
const PLATFORM =
  /(?<![\w$.])(?:process|Buffer|__dirname|require|setTimeout|setInterval|setImmediate|queueMicrotask|fetch|caches|performance|crypto|console|navigator|self|WebSocketPair|DurableObject|globalThis|eval|Function|Date|Math\.random)(?![\w$]|\??:)/;

interface Import {
  readonly from: string;
  /** The path from the repository's root, or the specifier as it is where it is no relative one. */
  readonly to: string;
}

const IMPORT =
  /\b(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*(?:\(\s*)?(["'`])([^"'`]+)\1|\bimport\s*\(\s*(?!["'`])([^)]*)/g;

/** A string of one line, or a comment: where one begins, the other's marks mean nothing. */
const STRING_OR_COMMENT = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Comments say `import` and `from` as they like. */
function withoutComments(source: string): string {
  return source.replaceAll(STRING_OR_COMMENT, (_, string?: string) => string ?? "");
}

/** Texts speak of processes and dates. */
function codeAlone(source: string): string {
  return source.replaceAll(STRING_OR_COMMENT, (_, string?: string) => (string === undefined ? "" : '""'));
}

function importsOf(root: string, from: string): readonly Import[] {
  const source = withoutComments(readFileSync(join(root, from), "utf8"));
  return Array.from(source.matchAll(IMPORT), ([, , specifier, computed]) => {
    const to = specifier ?? `computed: ${computed ?? ""}`;
    return { from, to: to.startsWith(".") ? posix.join(dirname(from), to) : to };
  });
}

function filesUnder(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(root.length + 1), entry.name))
    .sort();
}

/** Every import that takes the spine out of its bounds, its own and those of what it stands on, and every platform's global. */
function violations(root: string): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const open = [...filesUnder(root, ROOM)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (file.startsWith(ROOM) && PLATFORM.test(codeAlone(readFileSync(join(root, file), "utf8"))))
      found.push(`${file} reaches a platform`);
    for (const { from, to } of importsOf(root, file)) {
      const isShared = SHARED_FILES.has(to) || SHARED.some((folder) => to.startsWith(folder));
      const allowed = from.startsWith(ROOM) ? to.startsWith(ROOM) || isShared : isShared || BENEATH.has(to);
      if (allowed) open.push(to);
      else found.push(`${from} imports ${to}`);
    }
  }
  return found.sort();
}

const ROOT = join(import.meta.dirname, "../..");

describe("the spine", () => {
  it("stands on its own: it imports itself, exact JSON and four shared files", () => {
    expect(filesUnder(ROOT, ROOM).length).toBeGreaterThan(40);
    expect(violations(ROOT)).toEqual([]);
  });

  it.each([
    ['import { x } from "../../config.ts";', "src/config.ts"],
    ['import { x } from "../../errors.ts";', "src/errors.ts"],
    ['import { X_BYTES } from "../../limits.ts";', "src/limits.ts"],
    ['import type { x } from "../../dispatch/x.ts";', "src/dispatch/x.ts"],
    ['import {\n  x,\n  y,\n} from "../../identity/x.ts";', "src/identity/x.ts"],
    ['export * from "../../limits/http.ts";', "src/limits/http.ts"],
    ['export { x } from "../../limits/exact-json.ts";', "src/limits/exact-json.ts"],
    ['import "../../../test/support.ts";', "test/support.ts"],
    ['import { env } from "cloudflare:workers";', "cloudflare:workers"],
    ['import { join } from "node:path";', "node:path"],
    ["import * as z from 'zod';", "zod"],
    ['export const x = await import("hono");', "hono"],
    ["export const x = await import(`zod`);", "zod"],
    ['const a = "src/*"; import z from "zod"; const b = "*/";', "zod"],
    ['const a = "a //"; import z from "zod";', "zod"],
    ['import z from /* here */ "zod";', "zod"],
    ["export const x = await import(name);", "computed: name"],
    ['import { x } from "../replay/../../http/app.ts";', "src/http/app.ts"],
  ])("is found out with %j", (line, target) => {
    expect(planted({ "src/spine/render/planted.ts": line })).toEqual([
      `src/spine/render/planted.ts imports ${target}`,
    ]);
  });

  it("is found out through what it stands on", () => {
    expect(
      planted({
        "src/spine/a.ts": 'import { x } from "../exact-json/x.ts";',
        "src/exact-json/x.ts": 'import { y } from "../http/y.ts";',
      }),
    ).toEqual(["src/exact-json/x.ts imports src/http/y.ts"]);
  });

  it.each([
    "const a = process.env;",
    "const { env } = process;",
    "setTimeout(f, 1);",
    "queueMicrotask(f);",
    "const c = crypto.randomUUID();",
    "const c = crypto?.subtle;",
    'fetch("x");',
    "const f = fetch;",
    "const g = globalThis?.caches;",
    "const now = Date.now();",
    "const now = new Date();",
    "const r = Math.random();",
    "const s = `${process.pid}`;",
    "console.log(1);",
  ])("is found out with the platform's %j", (line) => {
    expect(planted({ "src/spine/frame/planted.ts": line })).toEqual([
      "src/spine/frame/planted.ts reaches a platform",
    ]);
  });

  it("may import what it is built of, and speak of anything in comments", () => {
    const source = [
      'import { ok } from "../../result.ts";',
      'import type { Fault } from "../fault/fault.ts";',
      'import { x } from "../../exact-json/x.ts";',
      '// import { x } from "../../config.ts"; process.exit()',
      '/** import { x } from "zod" */',
      'const url = "https://example.com";',
      'const text = "the process has a Date, and may fetch";',
      "const table = { process: 1, fetch: Math.max(1, 2), Date: 2 };",
      "const own = table.process + port.fetch(1);",
      "interface Port { readonly fetch?: () => number; readonly fetched: number }",
    ].join("\n");
    const files = {
      "src/spine/render/planted.ts": source,
      "src/spine/fault/fault.ts": "",
      "src/result.ts": "",
      "src/exact-json/x.ts": 'import { Y_BYTES } from "../limits/exact-json.ts";',
      "src/limits/exact-json.ts": "",
    };
    expect(planted(files)).toEqual([]);
  });
});

/** The violations of a repository that has nothing but these files. */
function planted(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), "spine-"));
  try {
    for (const [path, source] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    return violations(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}
