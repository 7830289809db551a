/**
 * The operational spine, for any MCP server: pure, without dependencies, and the same code that the gateway runs. A fault
 * never grants a replay, counters never lie, and what a model reads is bounded and true.
 */
// What may run again.
export * from "./replay/contract.ts";
export * from "./replay/knowledge.ts";
export * from "./replay/probe.ts";
export * from "./replay/allowance.ts";
export * from "./replay/disposition.ts";
export * from "./replay/transition.ts";
export * from "./replay/execution.ts";
export * from "./replay/methods.ts";
export * from "./replay/registry.ts";
export * from "./replay/tool-contract.ts";

// What went wrong, and what a caller is told of it.
export * from "./fault/generation.ts";
export * from "./fault/fault-class.ts";
export * from "./fault/fault-code.ts";
export * from "./fault/numbered-code.ts";
export * from "./fault/recovery-hint.ts";
export * from "./fault/fault.ts";
export * from "./fault/surface.ts";

// JSON-RPC messages, strictly.
export * from "./frame/request-id.ts";
export * from "./frame/frame-limit.ts";
export * from "./frame/frame-problem.ts";
export * from "./frame/message.ts";
export * from "./frame/frame.ts";
export * from "./frame/frame-lines.ts";

// How a server is.
export * from "./health/lifecycle.ts";
export * from "./health/rollout-state.ts";
export * from "./health/worker-handshake.ts";
export * from "./health/reported-state.ts";
export * from "./health/snapshot.ts";
export * from "./health/extension.ts";
export * from "./health/succession.ts";

// What happened, counted and in events.
export * from "./telemetry/counters.ts";
export type { MethodAggregate, OutcomeProblem } from "./telemetry/aggregate.ts";
export * from "./telemetry/ledger.ts";
export * from "./telemetry/operation.ts";
export * from "./telemetry/batch.ts";
export * from "./telemetry/ledger-json.ts";
export * from "./telemetry/snapshot.ts";
export * from "./telemetry/hot-paths.ts";
export * from "./telemetry/hot-paths-json.ts";
export * from "./telemetry/event-vocabulary.ts";
export * from "./telemetry/events.ts";
export * from "./telemetry/tool-events.ts";
export * from "./telemetry/event-accounts.ts";
export * from "./telemetry/jsonl.ts";
export * from "./telemetry/jsonl-log.ts";
export * from "./telemetry/jsonl-reader.ts";

// What a model reads.
export * from "./render/mode.ts";
export * from "./render/bounds.ts";
export * from "./render/truncate.ts";
export * from "./render/porcelain.ts";
export * from "./render/preview.ts";
export * from "./render/table.ts";
export * from "./render/notes.ts";
export * from "./render/path.ts";
export * from "./render/projection.ts";
export * from "./render/presentation-schema.ts";

// What is unambiguous, read exactly.
export * from "./normalise/integer.ts";
export * from "./normalise/local-path.ts";
export * from "./normalise/method-token.ts";
export * from "./normalise/aliases.ts";

// JSON whose numbers stay as they were written.
export * from "../exact-json/exact-number.ts";
export * from "../exact-json/parse.ts";
export * from "../exact-json/plain.ts";
export * from "../exact-json/write.ts";

// What everything above is bounded by.
export * from "../limits/spine.ts";

export type { JsonObject } from "../json.ts";
export { fail, ok, type Result } from "../result.ts";
