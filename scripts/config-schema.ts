import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CONFIG_SCHEMA_FILE, configSchemaText } from "./config-schema-text.ts";

writeFileSync(join(resolve(import.meta.dirname, ".."), CONFIG_SCHEMA_FILE), configSchemaText());
