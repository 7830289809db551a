import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactUpload } from "../../../src/firewall/artifacts/artifact.ts";
import { ARTIFACT_PART_BYTES } from "../../../src/limits.ts";
import { artifactRig, valueOf } from "../../support/artifact-rig.ts";

const part = new Uint8Array(ARTIFACT_PART_BYTES).fill(1);
const last = new Uint8Array(10).fill(2);

type Step = (upload: ArtifactUpload) => Promise<unknown>;

describe("an upload", () => {
  it("of one part is one put", async () => {
    for (const bytes of [new Uint8Array(), last, part]) {
      const { store, bucket, operations } = artifactRig();
      const upload = store.openUpload("ada");
      valueOf(await upload.finish(bytes));
      expect(operations()).toEqual(["put"]);
      expect(bucket.objects.get(`d7/ada/${upload.storedAs.slice(3)}`)?.size).toBe(bytes.length);
    }
  });

  it("of more is in parts, and nothing of it is seen before its end", async () => {
    const { store, bucket, operations } = artifactRig();
    const upload = store.openUpload("ada");
    valueOf(await upload.part(part));
    valueOf(await upload.part(part));
    expect(bucket.objects.size).toBe(0);
    valueOf(await upload.finish(last));
    expect(operations()).toEqual(["create", "part", "part", "part", "complete"]);
    const { storedAs } = upload;
    const tail = valueOf(await store.read("ada", { handle: "", storedAs }, 2 * ARTIFACT_PART_BYTES - 1, 99));
    expect(tail).toEqual(Uint8Array.of(1, ...last));
  });

  it("that is given up leaves nothing behind, however far it came and whatever was under way", async () => {
    const steps: Step[] = [
      (upload) => upload.part(part),
      (upload) => upload.part(part),
      (upload) => upload.finish(last),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat({ max: steps.length }),
        fc.boolean(),
        fc.option(fc.nat({ max: 5 })),
        async (scheduler, done, alsoUnderWay, failing) => {
          const { store, bucket } = artifactRig();
          const upload = store.openUpload("ada");
          for (const step of steps.slice(0, done)) await step(upload);
          let left = failing ?? Infinity;
          bucket.before = async (operation) => {
            await scheduler.schedule(Promise.resolve(), operation);
            // Giving up is best effort: what it cannot undo the bucket's rules end.
            if (operation !== "abort" && operation !== "delete" && (left -= 1) < 0)
              throw new Error("internal error (10001)");
          };
          const underWay = alsoUnderWay ? steps[done]?.(upload) : undefined;
          const aborted = Promise.all([upload.abort(), upload.abort()]);
          await scheduler.waitFor(Promise.all([underWay, aborted]));
          expect([bucket.objects.size, bucket.unfinished.size]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has a name of its own, in the class and folder of whoever writes it", async () => {
    const { storeOf, bucket } = artifactRig();
    const names = new Set<string>();
    for (const days of [1, 7, 30] as const) {
      const upload = storeOf(days).openUpload("ada");
      expect(upload.storedAs).toMatch(new RegExp(`^d${days}/x[0-9a-z]{32}$`));
      names.add(upload.storedAs);
      await upload.finish(last);
      expect(Array.from(bucket.objects.keys()).at(-1)).toBe(upload.storedAs.replace("/", "/ada/"));
    }
    expect(names.size).toBe(3);
  });
});
