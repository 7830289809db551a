import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isRecord, memberOf } from "../../src/json.ts";
import { runTool } from "./run-tool.ts";

/** Far below what Workers allow, so that start-up stays a matter of milliseconds. */
const BUNDLE_GZIP_MAX_BYTES = 1024 * 1024;
/**
 * A compiler of schemas, which Workers refuse to run; the tokenizer's half a megabyte of ranks, which a static file has; and zod's
 * errors in fifty languages, which come along as soon as one file imports zod by name instead of as a namespace.
 */
const FORBIDDEN =
  /(?:^|\/)node_modules\/(?:(?:ajv|ajv-formats|js-tiktoken)\/|zod\/v4\/locales\/(?!en\.js$|index\.js$))/;

/** Builds the Worker as a deployment would and judges what came out. */
export function bundle(): string[] {
  const outdir = mkdtempSync(join(tmpdir(), "loomgate-bundle-"));
  try {
    const metafile = join(outdir, "meta.json");
    const run = runTool("wrangler", ["deploy", "--dry-run", "--outdir", outdir, "--metafile", metafile]);
    if (run.code !== 0) return [run.output];
    const code = readdirSync(outdir).filter((name) => name !== "meta.json" && !/\.(?:map|md)$/.test(name));
    const bytes = code.reduce((sum, name) => sum + gzipSync(readFileSync(join(outdir, name))).length, 0);
    return judgeBundle(bytes, inputsOf(JSON.parse(readFileSync(metafile, "utf8"))));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** What is wrong with a bundle of this size made from these files. */
export function judgeBundle(gzipBytes: number, inputs: readonly string[]): string[] {
  const problems = inputs.filter((path) => FORBIDDEN.test(path)).map((path) => `${path} must not be bundled`);
  if (!inputs.some((path) => path.endsWith("src/worker.ts")))
    problems.push("src/worker.ts is not in the bundle");
  if (gzipBytes > BUNDLE_GZIP_MAX_BYTES) {
    problems.push(`${gzipBytes} bytes of gzip are over the budget of ${BUNDLE_GZIP_MAX_BYTES}`);
  }
  return problems;
}

/** The files of which something is left in what is deployed. */
function inputsOf(metafile: unknown): string[] {
  const outputs = memberOf(metafile, "outputs");
  return Object.values(isRecord(outputs) ? outputs : {}).flatMap((output) => {
    const inputs = memberOf(output, "inputs");
    return Object.entries(isRecord(inputs) ? inputs : {})
      .filter(([, input]) => memberOf(input, "bytesInOutput") !== 0)
      .map(([path]) => path);
  });
}
