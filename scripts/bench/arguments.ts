import { resolve } from "node:path";
import { readCommandLine, Told } from "../command-line.ts";

export const SECTIONS = ["retrieval", "tokens", "primitives", "firewall", "records", "latency"] as const;
export type Section = (typeof SECTIONS)[number];

export interface BenchArguments {
  readonly catalog: string | undefined;
  readonly json: boolean;
  readonly sections: readonly Section[];
  readonly quick: boolean;
}

const USAGE = `usage: npm run bench -- [--catalog FILE] [--only ${SECTIONS.join("|")}] [--quick] [--json]
  --catalog FILE  real tools to measure with, as npm run eval reads them (those of the servers that it captures)
  --only SECTION  one part; may be repeated (all)
  --quick         fewer sizes and fewer runs: under a minute, and rougher
  --json          for machines`;

/** Reads the command line of `npm run bench`; paths become absolute. */
export function readArguments(argv: readonly string[], cwd: string): BenchArguments {
  const { values, positionals } = readCommandLine(argv, USAGE, {
    catalog: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  });
  const [surplus] = positionals;
  if (surplus !== undefined) throw new Told(`what is ${surplus}?\n${USAGE}`);
  const unknown = values.only.find((name) => !SECTIONS.some((section) => section === name));
  if (unknown !== undefined) throw new Told(`--only takes ${SECTIONS.join(", ")}, not "${unknown}"`);
  const { catalog, quick, json, only } = values;
  return {
    catalog: catalog === undefined ? undefined : resolve(cwd, catalog),
    json,
    sections: SECTIONS.filter((section) => only.length === 0 || only.includes(section)),
    quick,
  };
}
