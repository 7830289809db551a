import { createHash } from "node:crypto";
import type { RunningDigest } from "../../../src/firewall/artifacts/running-digest.ts";

/** Node's own SHA-256, in the place of the Worker's own. */
export function nodeDigest(): RunningDigest {
  const hash = createHash("sha256");
  return {
    update: (bytes) => {
      hash.update(bytes);
    },
    finish: () => hash.digest("hex"),
  };
}
