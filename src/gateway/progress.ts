import { UPSTREAM_PROGRESS_MAX_COUNT, UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS } from "../limits.ts";
import type { CallLine, Progress } from "../surface.ts";
import type { GatewayPorts } from "./ports.ts";
import { upstreamWords } from "./upstream-words.ts";

type WordPorts = Pick<GatewayPorts, "scrubber" | "redactor" | "log">;

/** An upstream's progress as its caller is told it: the numbers as they are, the words as they may be heard. */
function toldProgress(
  { progress, total, message }: Progress,
  server: string | undefined,
  ports: Pick<WordPorts, "scrubber" | "redactor">,
): Progress {
  const words =
    message === undefined ? "" : upstreamWords(message, UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS, server, ports);
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(words === "" ? {} : { message: words }),
  };
}

/**
 * The way of a call's progress to its caller; absent where the caller did not ask. Only what is further than all before is
 * told (MCP: progress must rise), since a call that is tried again begins anew; and of all tries together no more than
 * `UPSTREAM_PROGRESS_MAX_COUNT`. What is given never throws: a call does not fail for it.
 */
export function relayProgress(
  line: CallLine | undefined,
  serverOf: () => string | undefined,
  ports: WordPorts,
): { readonly onProgress?: (progress: Progress) => void } {
  const tell = line?.onProgress;
  if (tell === undefined) return {};
  let furthest = -Infinity;
  let told = 0;
  return {
    onProgress: (progress) => {
      if (progress.progress <= furthest || told >= UPSTREAM_PROGRESS_MAX_COUNT) return;
      told += 1;
      furthest = progress.progress;
      try {
        tell(toldProgress(progress, serverOf(), ports));
      } catch (error) {
        ports.log(`progress could not be told: ${String(error)}`);
      }
    },
  };
}
