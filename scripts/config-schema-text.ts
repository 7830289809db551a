import { z } from "zod";
import { configSchema } from "../src/config-schema.ts";

export const CONFIG_SCHEMA_FILE = "loomgate.schema.json";

/** The JSON Schema of `loomgate.jsonc` for editors: completion, descriptions and early warnings. */
export function configSchemaText(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-07" });
  return `${JSON.stringify({ title: "Loomgate configuration", ...schema }, null, 2)}\n`;
}
