/** What another server's tests run against their host: a harness to compare it with, and the laws it has to keep. */
export * from "./churn-host.ts";
export * from "./churn-harness.ts";
export * from "./churn-histories.ts";
export * from "./churn-laws.ts";
export * from "./replay-laws.ts";
export * from "./telemetry-laws.ts";
export * from "./result-laws.ts";
export type { Violation } from "./violation.ts";
export { type BadLine, type JsonLines, readJsonLines } from "../telemetry/jsonl-reader.ts";
