import {
  UPSTREAM_BUFFERS_MAX_BYTES,
  UPSTREAM_BUFFERS_RESERVE_ANSWER_BYTES,
  UPSTREAM_BUFFERS_RESERVE_BYTES,
} from "../limits.ts";
import { createBufferBudget } from "../upstream/buffer-budget.ts";

/** The isolate's one budget for upstreams' answers: numbers only, so requests may share it. */
export const buffers = createBufferBudget(UPSTREAM_BUFFERS_MAX_BYTES, () => Date.now(), {
  bytes: UPSTREAM_BUFFERS_RESERVE_BYTES,
  accountBytes: UPSTREAM_BUFFERS_RESERVE_ANSWER_BYTES,
});
