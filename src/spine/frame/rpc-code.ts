/** Codes of JSON-RPC errors that more than one room speaks of (JSON-RPC 2.0 §5.1). */
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** MCP 2025-11-25, "Resources", Error Handling. */
export const RESOURCE_NOT_FOUND = -32_002;
