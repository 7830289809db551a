import { literalText } from "./encode.ts";
import type { TemplateVariable, UriTemplate } from "./parse-template.ts";

/** What a template is to a URI, from left to right: text that must stand there, and places where values stand. */
export type Atom =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "slot";
      readonly variable: TemplateVariable;
      /** Stands before the value, and is part of the slot: `.` of `{.ext}`. */
      readonly mark: string;
      /** Whether the slot may be left out, its mark too. */
      readonly optional: boolean;
    }
  /** The variables of one `{;…}`, `{?…}` or `{&…}`, in any order and none of them needed. */
  | {
      readonly kind: "pairs";
      readonly variables: readonly TemplateVariable[];
      readonly operator: ";" | "?" | "&";
    };

/** The atoms of a template; text as it stands in the URI, escaped. */
export function atomsOf(template: UriTemplate): readonly Atom[] {
  const atoms: Atom[] = [];
  for (const part of template.parts) {
    if ("literal" in part) {
      atoms.push({ kind: "text", text: literalText(part.literal) });
      continue;
    }
    const { operator, variables } = part;
    if (operator === ";" || operator === "?" || operator === "&") {
      atoms.push({ kind: "pairs", variables, operator });
      continue;
    }
    variables.forEach((variable, index) => {
      atoms.push({ kind: "slot", variable, mark: markOf(operator, index), optional: operator === "." });
    });
  }
  return atoms;
}

function markOf(operator: "" | "+" | "#" | "." | "/", index: number): string {
  if (operator === "." || operator === "/") return operator;
  if (index > 0) return ",";
  return operator === "#" ? "#" : "";
}
