import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { listTools } from "../../../scripts/capture/list-tools.ts";

const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "loomgate-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A server that answers `initialize` as it should and `tools/list` with what `answer` makes of the cursor; no answer
 * where that is nothing. It writes its process id and environment to a file first.
 */
function serverThat(name: string, answer: string) {
  const script = join(folder, `${name}.mjs`);
  const trace = join(folder, `${name}.json`);
  writeFileSync(
    script,
    `import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
writeFileSync(process.env.TRACE, JSON.stringify({ pid: process.pid, home: process.env.HOME, cwd: process.cwd(), env: Object.keys(process.env), args: process.argv.slice(2) }));
console.error("a word on standard error");
const answer = (cursor) => (${answer});
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } }
    : answer(params?.cursor);
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
if (process.argv.includes("linger")) setInterval(() => undefined, 1000);
`,
  );
  const launch = { name, script, args: ["{folder}/a"], env: { TRACE: trace } };
  return { launch, trace: () => Trace.parse(JSON.parse(readFileSync(trace, "utf8"))) };
}

const Trace = z.object({
  pid: z.number(),
  home: z.string(),
  cwd: z.string(),
  env: z.array(z.string()),
  args: z.array(z.string()),
});

const TOOL = `{ name: "t" + (cursor ?? ""), inputSchema: { type: "object" }, unheard: 1, outputSchema: { type: "object", properties: { a: { type: "no type" } } } }`;
const patient = { signal: new AbortController().signal, timeout: PATIENCE_MS };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

// A process starts and ends in its own time on a busy machine.
vi.setConfig({ testTimeout: PATIENCE_MS });

describe("listing a server's tools", () => {
  it("reads every page, keeps what is not known, and leaves neither process nor folder", async () => {
    const pages = `{ tools: [${TOOL}], ...(cursor === undefined ? { nextCursor: "2" } : {}) }`;
    const { launch, trace } = serverThat("pages", pages);
    const tools = await listTools(launch, patient);
    expect(tools.map(({ name, unheard }) => [name, unheard])).toEqual([
      ["t", 1],
      ["t2", 1],
    ]);
    const { pid, home, cwd, args } = trace();
    expect(isAlive(pid)).toBe(false);
    expect(cwd).toBe(home);
    expect(args).toEqual([`${home}/a`]);
    expect(existsSync(home)).toBe(false);
  });

  it("gives the server nothing of the person's own environment", async () => {
    process.env["LOOMGATE_TEST_SECRET"] = "secret";
    const { launch, trace } = serverThat("environment", `{ tools: [] }`);
    await listTools(launch, patient);
    delete process.env["LOOMGATE_TEST_SECRET"];
    expect(trace().env).not.toContain("LOOMGATE_TEST_SECRET");
    expect(trace().home).not.toBe(process.env["HOME"]);
  });

  it("ends with an error on a repeated cursor", async () => {
    const { launch } = serverThat("again", `{ tools: [], nextCursor: "same" }`);
    await expect(listTools(launch, patient)).rejects.toThrow(
      /again could not be listed: cursor same came twice/,
    );
  });

  it("ends a server that does not answer, not even to the end of its input", async () => {
    const { launch, trace } = serverThat("silent", `undefined`);
    const stop = new AbortController();
    const listing = listTools(
      { ...launch, args: ["{folder}", "linger"] },
      { ...patient, signal: stop.signal },
    );
    listing.catch(() => undefined);
    await vi.waitFor(() => trace(), PATIENCE_MS);
    stop.abort(new Error("enough"));
    await expect(listing).rejects.toThrow(/silent could not be listed: enough/);
    await vi.waitFor(() => expect(isAlive(trace().pid)).toBe(false), PATIENCE_MS);
  });

  it("tells what a server that fails had to say", async () => {
    const script = join(folder, "broken.mjs");
    writeFileSync(script, `console.error("no such database"); process.exit(3);`);
    const launch = { name: "broken", script, args: [], env: {} };
    await expect(listTools(launch, patient)).rejects.toThrow(
      /broken could not be listed: .*\nno such database/,
    );
  });
});
