/**
 * Every bound of the system, with its unit in the name and the reason for the number. A file a room, one place to import from.
 */
export * from "./limits/http.ts";
export * from "./limits/config.ts";
export * from "./limits/identity.ts";
export * from "./limits/tokens.ts";
export * from "./limits/catalog.ts";
export * from "./limits/routing.ts";
export * from "./limits/glob.ts";
export * from "./limits/access.ts";
export * from "./limits/principal.ts";
export * from "./limits/schema.ts";
export * from "./limits/upstream.ts";
export * from "./limits/gateway.ts";
export * from "./limits/firewall.ts";
export * from "./limits/scrub.ts";
export * from "./limits/dispatch.ts";
export * from "./limits/exact-json.ts";
export * from "./limits/ledger.ts";
export * from "./limits/mcp.ts";
export * from "./limits/uri-template.ts";
export * from "./limits/native-uri.ts";
export * from "./limits/records.ts";
