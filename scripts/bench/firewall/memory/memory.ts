import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memberOf } from "../../../../src/json.ts";
import { FRAMINGS, type Framing } from "./large-upstream.ts";
import type { AnswerFigures } from "./one-answer.ts";
import { type Way, WAYS } from "./ways.ts";

const NODE_OPTIONS = ["--expose-gc", "--import", "tsx"];
const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));

export interface MemoryFigures extends AnswerFigures {
  readonly way: Way;
  readonly framing: Framing;
  readonly body_bytes: number;
}

/** Takes an answer of so many bytes each way, in a process each: what one has once occupied it does not give back. */
export async function measureMemory(
  bodyBytes: number,
  progress: (line: string) => void,
): Promise<MemoryFigures[]> {
  const figures: MemoryFigures[] = [];
  for (const framing of FRAMINGS) {
    for (const way of WAYS) {
      progress(`firewall: ${way} takes ${bodyBytes} bytes (${framing})`);
      figures.push({ way, framing, body_bytes: bodyBytes, ...(await inChild(way, framing, bodyBytes)) });
    }
  }
  return figures;
}

/** A child that fails ends the bench with what it said. */
async function inChild(way: Way, framing: Framing, bodyBytes: number): Promise<AnswerFigures> {
  const asked = [CHILD, way, framing, String(bodyBytes)];
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE_OPTIONS, ...asked]);
  const figures: unknown = JSON.parse(stdout);
  const counted = memberOf(figures, "counted_bytes");
  return {
    text_bytes: Number(memberOf(figures, "text_bytes")),
    peak_bytes: Number(memberOf(figures, "peak_bytes")),
    live_bytes: Number(memberOf(figures, "live_bytes")),
    counted_bytes: typeof counted === "number" ? counted : null,
    ms: Number(memberOf(figures, "ms")),
  };
}
