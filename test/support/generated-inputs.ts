import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** What generated inputs are drawn by; drawn itself where there is none. */
    readonly inputSeed: number | undefined;
  }
}

const seed = inject("inputSeed");
if (seed !== undefined) fc.configureGlobal({ seed });
