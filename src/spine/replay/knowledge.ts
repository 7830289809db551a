/** What is known of a request's effect, from before it is sent until it has its one terminal answer. */
export const EXECUTION_KNOWLEDGE = ["not_dispatched", "in_flight", "completed", "outcome_unknown"] as const;

export type ExecutionKnowledge = (typeof EXECUTION_KNOWLEDGE)[number];

export function isExecutionKnowledge(value: unknown): value is ExecutionKnowledge {
  return EXECUTION_KNOWLEDGE.some((known) => known === value);
}
