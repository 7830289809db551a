import { fail, ok } from "../../result.ts";
import { INVALID_PARAMS } from "../../spine/frame/rpc-code.ts";
import type { Surface, ToolAnswer } from "../../surface.ts";
import { VERSION } from "../../version.ts";
import { callAggregate } from "./aggregate.ts";
import { refusal } from "./answers.ts";
import { type ReadArguments, readArguments } from "./arguments.ts";
import type { RecordsContext } from "./context.ts";
import { callFetch } from "./fetch.ts";
import { RECORDS_INSTRUCTIONS } from "./instructions.ts";
import { callQueryRecords } from "./query-records.ts";
import { callSchema } from "./schema/schema.ts";
import { callSearch } from "./search.ts";
import { RECORD_TOOL_NAMES, type RecordToolName, toolsOver } from "./tool-definitions.ts";

type Call = (args: ReadArguments, context: RecordsContext) => Promise<ToolAnswer>;

const CALLS: Readonly<Record<RecordToolName, Call>> = {
  schema: callSchema,
  query_records: callQueryRecords,
  aggregate: callAggregate,
  search: callSearch,
  fetch: callFetch,
};

/**
 * The read surface (seeds 002 and 003): five tools over any source of records. It keeps nothing between calls, and all that a
 * call reads goes through the context's source, once, with the caller's own grant.
 */
export function recordsSurface(): Surface<RecordsContext> {
  return {
    name: "loomgate-records",
    version: VERSION,
    instructions: RECORDS_INSTRUCTIONS,
    admitting: new Set(),
    async tools({ source }, cursor) {
      // There is one page.
      if (cursor !== undefined) return fail({ code: INVALID_PARAMS, message: "Unknown cursor" });
      return ok({ tools: toolsOver(source.describe()) });
    },
    async call(name, args, context) {
      const tool = RECORD_TOOL_NAMES.find((known) => known === name);
      if (tool === undefined) return undefined;
      const read = readArguments(tool, args, toolsOver(context.source.describe()));
      return read.ok ? CALLS[tool](read.value, context) : refusal(read.reason);
    },
  };
}
