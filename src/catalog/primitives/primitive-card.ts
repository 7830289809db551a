import { CARD_NAME_MAX_CODE_POINTS } from "../../limits.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { firstSeen, orderedCard, type Card } from "../cards/card.ts";
import { displayText, firstCodePoints, wellFormed } from "../cards/display-text.ts";
import { MCP_TAG } from "../cards/tags.ts";
import type { OtherKind } from "../catalog.ts";

/** A resource, a template or a prompt as its card is made of it. */
export interface PrimitiveCardInput {
  readonly kind: OtherKind;
  /** The key in the catalog, `~N` included. */
  readonly id: string;
  readonly namespace: string;
  /** The URI, the template's text or the prompt's name. */
  readonly upstreamName: string;
  readonly definition: unknown;
  /** What `callSchema` makes of the definition. */
  readonly schema: unknown;
}

/**
 * What a call takes, by its schema, as the line of a card shows it (`cardLine`): in order, with `?` what may be left out. A mark
 * in a name that could be read as the end of the list, or of the name, is a space.
 */
export function argumentLabels(schema: unknown): readonly string[] {
  const properties = memberOf(schema, "properties");
  const required = memberOf(schema, "required");
  const needed = new Set(isJsonArray(required) ? required : []);
  return Object.keys(isRecord(properties) ? properties : {}).flatMap((name) => {
    const text = displayText(name.replace(/[(),?…]/g, " "));
    return text === "" ? [] : [needed.has(name) ? text : `${text}?`];
  });
}

/**
 * The card of a resource or a prompt (seed 000 §9.4): reading changes nothing, so it has neither a safety word nor side
 * effects. The description is in full; what it takes comes to stand behind it with the line. Never throws.
 */
export function primitiveCard({
  kind,
  id,
  namespace,
  upstreamName,
  definition,
  schema,
}: PrimitiveCardInput): Card {
  const own = (key: string): unknown => memberOf(definition, key);
  const name = own("name");
  const shownName = typeof name === "string" && displayText(name) !== "" ? name : upstreamName;
  const properties = memberOf(schema, "properties");
  return orderedCard({
    id,
    name: firstCodePoints(wellFormed(shownName), CARD_NAME_MAX_CODE_POINTS),
    description: firstSeen([own("description"), own("title"), name, upstreamName, id]),
    tags: [MCP_TAG],
    kind,
    namespace,
    has_schema: isRecord(properties) && Object.keys(properties).length > 0,
    cost_hint: 0,
    side_effects: false,
    safety: "",
  });
}
