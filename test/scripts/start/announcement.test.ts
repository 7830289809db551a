import { describe, expect, it } from "vitest";
import { refreshLines } from "../../../scripts/start/announcement.ts";

describe("what a refresh found, as the start tells it", () => {
  it("counts what each server has, of every kind", () => {
    const servers = [
      { name: "all", status: "ok", tools: 13, resources: 1, prompts: 2 },
      { name: "handbook", status: "ok", tools: 0, resources: 3 },
      { name: "down", status: "failed", tools: 0, reason: "it did not answer" },
    ];
    expect(refreshLines({ servers })).toEqual([
      "all: ok, 13 tools, 1 resource, 2 prompts",
      "handbook: ok, 3 resources",
      "down: failed, 0 tools (it did not answer)",
    ]);
  });
});
