import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

/** What a module declares at its top level behind its first top-level `await`: it is not there yet while that runs. */
function lateConstants(text: string): readonly string[] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith("await "));
  return first < 0
    ? []
    : lines.slice(first).filter((line) => /^(?:export )?(?:const|let|class|enum)\b/.test(line));
}

describe("a command's constants", () => {
  it("are found where they stand too late", () => {
    const work = "await run(async () => {\n  const inner = 1;\n});\n";
    expect(lateConstants(`const A = 1;\n${work}\nfunction f() {}\n`)).toEqual([]);
    expect(lateConstants(`${work}\nconst B = 2;\nexport class C {}\n`)).toEqual([
      "const B = 2;",
      "export class C {}",
    ]);
  });

  it("stand in front of the work that needs them", () => {
    const files = readdirSync(resolve(ROOT, "scripts"), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts"),
    );
    expect(files.length).toBeGreaterThan(20);
    const late = files.flatMap((file) =>
      lateConstants(readFileSync(resolve(ROOT, "scripts", file), "utf8")).map((line) => `${file}: ${line}`),
    );
    expect(late).toEqual([]);
  });
});
