import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { memberOf } from "../src/json.ts";
import { ROOT } from "../scripts/check/run-tool.ts";

const documents = [
  "README.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
];
const files = ["src", "test", "scripts", "docs", "migrations"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
);
const scripts = Object.keys(
  memberOf(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")), "scripts") ?? {},
);

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(ROOT, document), "utf8");

  it("names only files that exist", () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|docs|migrations)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    const missing = named.filter((path) => !files.some((file) => `${file}/`.startsWith(path)));
    expect(missing).toEqual([]);
  });

  it("links only to documents that exist", () => {
    const linked = [...text.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, path = ""]) => path);
    expect(linked.filter((path) => !existsSync(join(ROOT, dirname(document), path)))).toEqual([]);
  });

  it("names only commands that exist", () => {
    const named = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

describe("the README", () => {
  it("has at most 150 lines and no placeholder", () => {
    const text = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(150);
    expect(text).not.toMatch(/@@|to be pasted|see below/);
  });
});
