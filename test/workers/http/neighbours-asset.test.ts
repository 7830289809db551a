import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { readNeighbours } from "../../../src/http/neighbours-asset.ts";
import { ROUTING_NEIGHBOURS_MAX_BYTES } from "../../../src/limits.ts";

function recorder() {
  const lines: string[] = [];
  return { lines, log: (text: string) => void lines.push(text) };
}

const answering = (answer: () => Response | Promise<Response>) => ({
  fetch: () => Promise.resolve().then(answer),
});

describe("the neighbour table as a static file", () => {
  it("is read through the binding", async () => {
    const { lines, log } = recorder();
    const table = await readNeighbours(env.ASSETS, log);
    expect(lines).toEqual([]);
    expect(table?.words).toContain("folder");
  });

  it("is read from inside a Durable Object", async () => {
    const { lines, log } = recorder();
    const words = await runInDurableObject(
      env.CATALOGS.getByName("neighbours"),
      async () => (await readNeighbours(env.ASSETS, log))?.words.length,
    );
    expect(lines).toEqual([]);
    expect(words).toBeGreaterThan(20_000);
  });
});

describe("a neighbour table that cannot be had", () => {
  it.each<[string, () => Response | Promise<Response>, string]>([
    ["missing", () => new Response("no", { status: 404 }), "status 404"],
    ["empty", () => new Response(null), "NOT_A_TABLE"],
    ["something else", () => new Response("<!doctype html>".repeat(100)), "NOT_A_TABLE"],
    [
      "too large",
      () => new Response(new Uint8Array(ROUTING_NEIGHBOURS_MAX_BYTES + 1)),
      "more than 2621440 bytes",
    ],
    ["behind a failing binding", () => Promise.reject(new Error("no such service")), "no such service"],
  ])("is told to the log and gives none: %s", async (_, answer, told) => {
    const { lines, log } = recorder();
    expect(await readNeighbours(answering(answer), log)).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(told);
  });

  it("is given up while it comes: an endless file is not read to its end", async () => {
    const { log } = recorder();
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    expect(
      await readNeighbours(
        answering(() => new Response(endless)),
        log,
      ),
    ).toBeUndefined();
    expect(pulled).toBeLessThan(2 * (ROUTING_NEIGHBOURS_MAX_BYTES / 65_536));
  });
});
