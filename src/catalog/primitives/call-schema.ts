import { bareObject, isJsonArray, memberOf } from "../../json.ts";
import { isOptional, parseTemplate } from "../../uri-template/parse-template.ts";
import type { OtherKind } from "../catalog.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string" } as const;
/** A variable with `*` stands for several values (RFC 6570 §2.4.2). */
const TEXTS = { anyOf: [TEXT, { type: "array", items: TEXT }] } as const;

/** An object of exactly these members. Names are foreign: the table has no prototype that one could reach. */
function objectOf(properties: ReadonlyMap<string, Schema>, required: readonly string[]): Schema {
  const table = bareObject<Schema>();
  for (const [name, schema] of properties) table[name] = schema;
  return {
    type: "object",
    properties: table,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function templateSchema(text: string): Schema {
  const template = parseTemplate(text);
  const properties = new Map<string, Schema>();
  const required = new Set<string>();
  // A template that cannot be read has no variables: its server gets it as it stands.
  for (const variable of template.ok ? template.value.variables : []) {
    const { name } = variable;
    properties.set(name, properties.get(name) === TEXTS || variable.exploded ? TEXTS : TEXT);
    // What a query leaves out is left out of the URI; elsewhere it would leave a hole in it.
    if (!isOptional(variable)) required.add(name);
  }
  return objectOf(properties, [...required]);
}

/** An argument of a prompt, as far as its definition can be read. */
export interface PromptArgument {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The arguments that a prompt's definition names, each once, in their order; what has no name is none. */
export function promptArguments(definition: unknown): readonly PromptArgument[] {
  const listed = memberOf(definition, "arguments");
  const found = new Map<string, PromptArgument>();
  for (const entry of isJsonArray(listed) ? listed : []) {
    const name = memberOf(entry, "name");
    if (typeof name !== "string" || name === "" || found.has(name)) continue;
    const [title, description] = [textOf(memberOf(entry, "title")), textOf(memberOf(entry, "description"))];
    found.set(name, { name, title, description, required: memberOf(entry, "required") === true });
  }
  return [...found.values()];
}

function promptSchema(definition: unknown): Schema {
  const named = promptArguments(definition);
  const properties = new Map(
    named.map(({ name, description }): [string, Schema] => [
      name,
      description === "" ? TEXT : { ...TEXT, description },
    ]),
  );
  return objectOf(
    properties,
    named.flatMap(({ name, required }) => (required ? [name] : [])),
  );
}

/**
 * The schema (JSON Schema 2020-12) of the arguments that reading a resource or getting a prompt takes, made from its definition
 * as the upstream gave it: the variables of a resource template (a definition with `uriTemplate`), the arguments of a prompt,
 * nothing for a plain resource. Pure, and never throws, whatever the definition is.
 */
export function callSchema(kind: OtherKind, definition: unknown): Schema {
  if (kind === "prompt") return promptSchema(definition);
  const template = memberOf(definition, "uriTemplate");
  return typeof template === "string" ? templateSchema(template) : objectOf(new Map(), []);
}
