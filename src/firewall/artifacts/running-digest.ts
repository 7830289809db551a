import { sha256 } from "@noble/hashes/sha2.js";

/** SHA-256 of bytes that go by, one piece after the other. */
export interface RunningDigest {
  update(bytes: Uint8Array): void | Promise<void>;
  /** 64 hexadecimal digits; the end. */
  finish(): string | Promise<string>;
}

/** In plain code: about 100 MB/s in an isolate, a tenth of what the platform's own stream does. */
export function createRunningDigest(): RunningDigest {
  const hash = sha256.create();
  return {
    update: (bytes) => {
      hash.update(bytes);
    },
    finish: () => hexOf(hash.digest()),
  };
}

export function hexOf(digest: Uint8Array): string {
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
