/**
 * Stands in for `ajv` and `ajv-formats` in the bundle. The MCP SDK imports both at module scope; Workers forbid the code
 * generation they rest on. Using either fails loudly here instead of in production.
 */
export default function ajvIsAbsent(): never {
  throw new Error("ajv cannot run on Workers: pass the MCP SDK a jsonSchemaValidator");
}
