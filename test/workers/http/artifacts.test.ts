import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { r2ArtifactStore } from "../../../src/firewall/artifacts/artifact-store.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { principalObjectName } from "../../../src/principal/object-name.ts";
import { browsed, entry } from "../../ledger/entries.ts";
import { readOpenMetrics } from "../../ledger/openmetrics-grammar.ts";
import { principal } from "../artifact-client.ts";
import { freshStorage } from "../fresh-storage.ts";
import { stubOf } from "../principal-client.ts";
import { OPERATOR, send } from "./client.ts";
import { answersByCaller, ask, OPERATOR_ALONE, textOf } from "./operator.ts";

const DAY_MS = 86_400_000;
const words = new TextEncoder().encode("what was kept");
const QUOTA = { maxBytes: 1 << 30, maxCount: 10_000, onFull: "evict" } as const;
const store = r2ArtifactStore(env.ARTIFACTS);
const handles = [1, 2, 3].map(handleOf);

beforeEach(async () => {
  await freshStorage();
});

function handleOf(number: number): string {
  return String(number).padStart(27, "0");
}

/** As calls leave them. */
async function keep(name: string, kept: readonly string[]): Promise<void> {
  const records = [];
  for (const handle of kept) {
    const artifact = {
      handle,
      toolId: "files:read_file#00000000",
      mediaType: "text/\u202eplain",
      sizeBytes: words.length,
      lines: 1,
      lineIndex: "",
    };
    const put = await store.put(principalObjectName(name), artifact, words);
    if (!put.ok) throw new Error(put.reason.detail);
    records.push(put.value);
  }
  await principal(name).settle({
    artifacts: records,
    artifactQuota: QUOTA,
    told: [entry(browsed())],
  });
}

const path = (name: string, more = "") => `/admin/artifacts?principal=${encodeURIComponent(name)}${more}`;
const list = async (name: string): Promise<unknown> => (await ask(path(name))).json();
const free = async (name: string, more = ""): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${OPERATOR}` };
  return (await send(path(name, more), { method: "DELETE", headers })).json();
};
const held = async () => (await env.ARTIFACTS.list()).objects.filter(({ size }) => size > 0).length;

describe("/admin/artifacts", () => {
  it("is the operator's alone, and asks whose", async () => {
    expect(await answersByCaller(path("ada"))).toEqual(OPERATOR_ALONE);
    for (const bad of ["/admin/artifacts", "/admin/artifacts?principal="]) {
      expect([(await ask(bad)).status, await (await ask(bad)).json()]).toEqual([
        400,
        {
          error: "invalid",
          problems: ["principal is missing: ?principal=<name> says whose artifacts are meant"],
        },
      ]);
    }
  });

  it("lists what one principal keeps and how full that is, and no content", async () => {
    await keep("ada@example.com", handles);
    await keep("eve", [handleOf(9)]);
    const listed = await list("ada@example.com");
    expect(listed).toMatchObject({
      artifacts: 3,
      bytes: 39,
      max_artifacts: 10_000,
      max_bytes: 1_073_741_824,
    });
    const newest = memberOf(listed, "newest");
    const [first] = isJsonArray(newest) ? newest : [];
    expect(first).toMatchObject({ tool_id: "files:read_file#00000000", size_bytes: 13 });
    const members = typeof first === "object" && first !== null ? Object.keys(first) : [];
    expect(members).toEqual(["handle", "tool_id", "media_type", "size_bytes", "kept_ms", "expires_at_ms"]);
    expect(JSON.stringify(listed)).not.toContain("what was kept");
    // A person reads it in a terminal.
    expect(await textOf(await ask(path("ada@example.com")))).not.toContain("\u202e");
    expect(await list("nobody")).toMatchObject({ artifacts: 0, bytes: 0, newest: [] });
  });

  it("frees what is named, or all, bytes and handles, and nothing of another's", async () => {
    await keep("ada", handles);
    await keep("eve", handles);
    const [one, two] = handles;
    expect(await free("ada", `&handle=${one}&handle=${handleOf(8)}`)).toEqual({ freed: 1, left: 2 });
    expect(await held()).toBe(5);
    const asked = await principal("ada").admit({ artifacts: [one ?? "", two ?? ""] });
    expect(asked).toMatchObject({
      artifacts: [{ handle: two }],
      goneArtifacts: [{ handle: one, mayReturn: false }],
    });
    expect(await free("ada")).toEqual({ freed: 2, left: 0 });
    expect(await free("ada")).toEqual({ freed: 0, left: 0 });
    expect(await held()).toBe(3);
    expect(await list("eve")).toMatchObject({ artifacts: 3 });
    expect(await free("nobody")).toEqual({ freed: 0, left: 0 });
    const problems = ["handle is 27 digits, at most 100 times"];
    for (const bad of [
      "&handle=",
      "&handle=12",
      `&handle=${"9".repeat(600)}`,
      `&handle=${handleOf(9)}`.repeat(101),
    ])
      expect(await free("eve", bad)).toEqual({ error: "invalid", problems });
    // What comes again is kept again.
    await keep("ada", [handleOf(7)]);
    expect(await list("ada")).toMatchObject({ artifacts: 1 });
  });
});

describe("the fill of all principals", () => {
  it("is in the status and the metrics, as each told last, and expires with the last of it", async () => {
    await keep("ada", handles);
    await keep("eve", [handleOf(9)]);
    for (const name of ["ada", "eve"]) await runDurableObjectAlarm(stubOf(name));
    const status = async () => memberOf(await (await ask("/admin/status?render=json")).json(), "kept");
    expect(await status()).toEqual({
      principals: 2,
      artifacts: 4,
      bytes: 52,
      most_artifacts: 3,
      most_bytes: 39,
      max_artifacts: 10_000,
      max_bytes: 1_073_741_824,
    });
    const metrics = readOpenMetrics(await textOf(await ask("/metrics")));
    const samples = metrics.find(({ name }) => name === "loomgate_kept_bytes")?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels.get("of"), value])).toEqual([
      ["all", "52"],
      ["fullest", "39"],
      ["limit", "1073741824"],
    ]);
    await free("ada");
    await keep("ada", [handleOf(4)]);
    await runDurableObjectAlarm(stubOf("ada"));
    expect(await status()).toMatchObject({ principals: 2, artifacts: 2, bytes: 26 });
    // Nobody speaks of what has expired.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * DAY_MS });
    expect(await status()).toMatchObject({ principals: 0, artifacts: 0, bytes: 0, most_bytes: 0 });
    vi.useRealTimers();
  });
});
