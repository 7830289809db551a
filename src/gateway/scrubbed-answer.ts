import type { Scrubber } from "../scrub/scrub.ts";
import type { ToolAnswer } from "../surface.ts";

/** An answer without any configured secret: the last thing that is done to it. */
export function scrubbedAnswer(answer: ToolAnswer, scrubber: Scrubber): ToolAnswer {
  const { content: _c, structuredContent: _s, isError: _e, _meta: _m, ...foreign } = answer;
  return {
    ...scrubber.record(foreign),
    content: answer.content.map((part) => scrubber.value(part)),
    ...(answer.structuredContent === undefined
      ? {}
      : { structuredContent: scrubber.value(answer.structuredContent) }),
    ...(answer.isError === undefined ? {} : { isError: answer.isError }),
    ...(answer["_meta"] === undefined ? {} : { _meta: scrubber.record(answer["_meta"]) }),
  };
}
