import type { GatewayFailure } from "../errors.ts";
import { memberOf } from "../json.ts";
import { BROWSE_TOP_K_MAX } from "../limits.ts";
import { ok, type Result } from "../result.ts";
import {
  SELECTION_FORMATS,
  type SelectionFormat,
  selectionSchema,
  type SelectionSchema,
} from "../routing/selection/selection-schema.ts";
import { lookUp } from "./admitted-lookup.ts";
import type { CallContext } from "./call-context.ts";
import { judgeArguments, refuseArguments } from "./judge-arguments.ts";
import type { GatewayPorts } from "./ports.ts";
import { search } from "./search.ts";
import { browseCompleted, browseFailed } from "./telling/browse-event.ts";

/** The answer of `POST /api/route` (CONTRACTS "Operator"). */
export interface Route {
  /** As `tool_browse` gives them in JSON. */
  readonly cards: readonly unknown[];
  readonly ambiguous: boolean;
  readonly weak: boolean;
  /** `null` where there is nothing to choose. */
  readonly schema: SelectionSchema | null;
}

const ROUTE_SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string" },
    top_k: { type: "integer", minimum: 1, maximum: BROWSE_TOP_K_MAX },
    format: { type: "string", enum: SELECTION_FORMATS },
  },
  required: ["query"],
  additionalProperties: false,
};

interface RouteArguments {
  readonly query: string;
  /** `undefined`: the configuration's. */
  readonly topK: number | undefined;
  readonly format: SelectionFormat;
}

/**
 * What a query means, for a program that lets a model choose by itself: the cards of `tool_browse` and the schema that
 * holds the choice to them. Best first, always: there is no session whose order could be kept stable.
 */
export async function route(
  body: unknown,
  context: CallContext,
  ports: GatewayPorts,
): Promise<Result<Route, GatewayFailure>> {
  const asked = readRoute(body);
  if (!asked.ok) {
    context.tell(browseFailed(null, asked.reason));
    return asked;
  }
  const { query, topK, format } = asked.value;
  const queryChars = query.length;
  const looked = await lookUp(
    (catalog) => search(query, topK ?? ports.settings.topK, catalog, context.sees),
    () => undefined,
    context,
    ports,
  );
  if (!looked.ok) {
    context.tell(browseFailed({ queryChars }, looked.reason));
    return looked;
  }
  const { found, generation } = looked.value;
  context.tell(browseCompleted({ queryChars }, { ...found, generation }));
  const { cards, ambiguous, weak } = found;
  const schema = selectionSchema(
    cards.map(({ id }) => id),
    format,
  );
  return ok({
    cards: cards.map(({ json }): unknown => JSON.parse(json)),
    ambiguous,
    weak,
    schema: schema.ok ? schema.value : null,
  });
}

function readRoute(body: unknown): Result<RouteArguments, GatewayFailure> {
  const problems = judgeArguments(ROUTE_SCHEMA, body);
  if (problems.length > 0) {
    return refuseArguments(ROUTE_SCHEMA, problems, "the body does not satisfy the schema of /api/route");
  }
  const topK = memberOf(body, "top_k");
  const format = memberOf(body, "format");
  return ok({
    query: String(memberOf(body, "query")),
    topK: typeof topK === "number" ? topK : undefined,
    format: SELECTION_FORMATS.find((known) => known === format) ?? "json_schema",
  });
}
