import { literalText } from "./encode.ts";
import type { TemplatePart, UriTemplate } from "./parse-template.ts";

/** What every URI of a template begins and ends with; the whole of it where it has no variable. */
export function literalEnds({ parts }: UriTemplate): { readonly prefix: string; readonly suffix: string } {
  return { prefix: literalOf(parts[0]), suffix: literalOf(parts.at(-1)) };
}

function literalOf(part: TemplatePart | undefined): string {
  return part !== undefined && "literal" in part ? literalText(part.literal) : "";
}
