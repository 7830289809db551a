import { isRecord } from "../json.ts";
import { redactSchema, type SchemaRedaction } from "./redact-schema.ts";
import { redactText } from "./redact-text.ts";
import { redactValue } from "./redact-value.ts";
import type { RedactedValue } from "./redaction.ts";

const strings = { whole: (text: string) => redactText(text, 1) };

const REDACTION: SchemaRedaction = {
  text: (text) => redactText(text),
  value: (value) => redactValue(value, strings),
  under: (value, regard) => redactValue(value, strings, regard),
};

const SCHEMAS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema"]);

/**
 * A tool's definition as a server lists it (MCP `Tool`), any JSON value, without secrets: its schemas stay schemas, all
 * else is redacted like any JSON. The definition itself where nothing was found. Its name too: whoever keeps tools by name
 * looks at it first.
 */
export function redactDefinition(tool: unknown): RedactedValue {
  if (!isRecord(tool)) return REDACTION.value(tool);
  const schemas = Object.entries(tool).filter(([key]) => SCHEMAS.has(key));
  const rest = Object.entries(tool).filter(([key]) => !SCHEMAS.has(key));
  const { value, count: inRest } = REDACTION.value(Object.fromEntries(rest));
  const clean = schemas.map(([key, schema]) => ({ key, schema: redactSchema(schema, REDACTION) }));
  const count = clean.reduce((sum, { schema }) => sum + schema.count, inRest);
  if (count === 0) return { value: tool, count };
  const members = isRecord(value) ? Object.entries(value) : [];
  return {
    value: Object.fromEntries([...members, ...clean.map(({ key, schema }) => [key, schema.value])]),
    count,
  };
}
