import { type AttemptCount, readAttemptCount } from "../../../src/spine/index.ts";

export function attempts(count: number): AttemptCount {
  const read = readAttemptCount(count);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}
