import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { JOURNAL_LEASE_MAX_MS } from "../../src/limits.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { errorIn, freshPrincipal, type RigSettings, textIn, workerRig } from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const TOOL = { namespace: "bank", name: "history", description: "All transactions." };
const ID = fakeId(TOOL);
const MIB = 1_048_576;
const KEPT = /kept (\S+) (\d+) bytes: tool_view (\{.*?\}\})/g;

beforeEach(async () => {
  await freshDatabase();
});

interface Options extends RigSettings {
  readonly answer: (id: unknown) => Response;
  readonly bucket?: R2Bucket;
}

function worker({ answer, bucket, ...settings }: Options) {
  const { fetch, bodies } = bankUpstream(answer);
  const bindings = bucket === undefined ? {} : { bindings: { ARTIFACTS: bucket } };
  const { openSession } = workerRig({ ...settings, ...bindings, tools: [TOOL], fetch });
  const client = async (principal = freshPrincipal("keeper")) => {
    const { call } = await openSession(await bearerFor({ principal }));
    return {
      execute: () => call("tool_execute", { tool_id: ID, args: {} }),
      view: (handle: string, selector: object) => call("tool_view", { handle, selector }),
    };
  };
  return { client, bodies };
}

const lines = (count: number): string =>
  Array.from(
    { length: count },
    (_, line) => `${line} ${"a transaction and what it was for ".repeat(3)}`,
  ).join("\n");

/** As MCP servers answer by default: a stream whose one event is the answer, in pieces of any size. */
function streamed(id: unknown, value: unknown): Response {
  const bytes = new TextEncoder().encode(
    `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: value })}\n\n`,
  );
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += 65_535)));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function keptIn(
  answer: unknown,
): { readonly type: string; readonly size: number; readonly handle: string }[] {
  const content = memberOf(answer, "content");
  const texts = isJsonArray(content) ? content.map((part) => String(memberOf(part, "text"))) : [];
  return [...texts.join("\n").matchAll(KEPT)].map(([, type = "", size = "", call = "{}"]) => ({
    type,
    size: Number(size),
    handle: String(memberOf(JSON.parse(call), "handle")),
  }));
}

const stored = async (): Promise<string[]> => (await env.ARTIFACTS.list()).objects.map(({ key }) => key);

/** A bucket that fails from its so-manieth write on. */
function refusingBucket(from: number): R2Bucket {
  let writes = 0;
  const refuse = (): void => {
    writes += 1;
    if (writes >= from)
      throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
  };
  return new Proxy(env.ARTIFACTS, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        if (name === "put" || name === "createMultipartUpload") refuse();
        return Reflect.apply(method, target, args);
      };
    },
  });
}

describe("a result that is kept", () => {
  const whole = lines(110_000);
  const sizeBytes = new TextEncoder().encode(whole).length;

  it.each([
    ["in one body", (id: unknown) => result(id, text(whole))],
    ["as a stream", (id: unknown) => streamed(id, text(whole))],
  ])("may be larger than what is held, and every line of it is found: %s", async (_, answer) => {
    expect(sizeBytes).toBeGreaterThan(10 * MIB);
    const { execute, view } = await worker({ answer }).client();
    const answered = await execute();
    const [kept] = keptIn(answered);
    expect(kept).toMatchObject({ type: "text/plain", size: sizeBytes });
    const handle = kept?.handle ?? "";
    const all = whole.split("\n");
    for (const line of [0, 1, 54_321, 109_999]) {
      expect(textIn(await view(handle, { type: "lines", start: line, end: line + 1 }))).toBe(
        line === 109_999 ? all[line] : `${all[line]}\n`,
      );
    }
    expect(textIn(await view(handle, { type: "lines", start: -1 }))).toBe(all.at(-1));
    const middle = await view(handle, { type: "bytes", offset: Math.floor(sizeBytes / 2), length: 100 });
    expect(whole.includes(textIn(middle))).toBe(true);
  });

  it("that comes again is stored once", async () => {
    const { execute } = await worker({ answer: (id) => streamed(id, text(whole)) }).client();
    const first = keptIn(await execute());
    const keys = await stored();
    expect(keptIn(await execute())).toEqual(first);
    expect(await stored()).toEqual(keys);
  });

  it("is nobody else's, by its handle or by a part of it", async () => {
    const { client } = worker({ answer: (id) => result(id, text(lines(2_000))) });
    const [ada, eve] = [await client(), await client()];
    const mine = keptIn(await ada.execute())[0]?.handle ?? "";
    const theirs = keptIn(await eve.execute())[0]?.handle ?? "";
    expect(mine).not.toBe(theirs);
    const selector = { type: "head", chars: 10 };
    expect(errorIn(await ada.view(mine, selector))).toBeUndefined();
    const forged = [
      mine.slice(0, -1),
      `${mine}0`,
      mine.replace(/^./, (digit) => String((Number(digit) + 1) % 10)),
      theirs,
    ];
    const answers = await Promise.all(forged.map((handle) => ada.view(handle, selector)));
    expect(answers.map((answer) => memberOf(errorIn(answer), "error"))).toEqual(
      forged.map(() => "VIEW_FAILED"),
    );
    // What is another's looks like what never was.
    const withoutPath = (answer: unknown): unknown => ({ ...Object(errorIn(answer)), path: "" });
    expect(withoutPath(answers[3])).toEqual(withoutPath(answers[2]));
  });
});

describe("a quota of kept results", () => {
  const answer = (id: unknown) => result(id, text(`${String(id)} ${lines(2_000)}`));

  it("that is full refuses calls before they run, and says so", async () => {
    const artifacts = { max_bytes: 500_000, on_full: "refuse" };
    const { client, bodies } = worker({ answer, gateway: { artifacts } });
    const { execute } = await client();
    const codes: unknown[] = [];
    for (let round = 0; round < 5; round += 1) codes.push(memberOf(errorIn(await execute()), "error"));
    const ran = bodies.length;
    expect(ran).toBeLessThan(5);
    expect(codes.slice(0, ran).every((code) => code === undefined)).toBe(true);
    expect(codes.slice(ran).every((code) => code === "RATE_LIMITED")).toBe(true);
    const refused = errorIn(await execute());
    expect(memberOf(memberOf(refused, "details"), "scope")).toBe("artifacts");
    expect(memberOf(refused, "retryable")).toBe(true);
    expect(bodies.length).toBe(ran);
  });

  it("that is full lets the oldest give way, says so, and deletes their bytes once no call can rely on them", async () => {
    const artifacts = { max_bytes: 500_000 };
    const { client } = worker({ answer, gateway: { artifacts } });
    const { execute, view } = await client();
    const handles: string[] = [];
    for (let round = 0; round < 6; round += 1) handles.push(keptIn(await execute())[0]?.handle ?? "");
    const selector = { type: "head", chars: 3 };
    const gone = errorIn(await view(handles[0] ?? "", selector));
    expect(memberOf(gone, "error")).toBe("VIEW_FAILED");
    expect(memberOf(memberOf(gone, "details"), "problem")).toContain("newer results needed the room");
    expect(errorIn(await view(handles[5] ?? "", selector))).toBeUndefined();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + JOURNAL_LEASE_MAX_MS });
    await execute();
    vi.useRealTimers();
    const held = (await env.ARTIFACTS.list()).objects.filter(({ size }) => size > 0);
    expect(held.length).toBeLessThan(5);
    expect(errorIn(await view(handles[5] ?? "", selector))).toBeUndefined();
  });

  it("is the principal's, whichever session asks", async () => {
    const artifacts = { max_bytes: 300_000, on_full: "refuse" };
    const { client, bodies } = worker({ answer, gateway: { artifacts } });
    const principal = freshPrincipal("keeper");
    await (await client(principal)).execute();
    await (await client(principal)).execute();
    const before = bodies.length;
    expect(memberOf(errorIn(await (await client(principal)).execute()), "error")).toBe("RATE_LIMITED");
    expect(errorIn(await (await client()).execute())).toBeUndefined();
    expect(bodies.length).toBe(before + 1);
  });
});

describe("a bucket that refuses", () => {
  it.each([
    ["a small write", lines(2_000), 1],
    ["the first part of a large one", lines(110_000), 1],
    ["the handle of a large one", lines(110_000), 2],
  ])("loses no answer: %s", async (_, words, from) => {
    const { execute } = await worker({
      answer: (id) => result(id, text(words)),
      bucket: refusingBucket(from),
    }).client();
    const answered = await execute();
    expect(errorIn(answered)).toBeUndefined();
    expect(textIn(answered).startsWith(words.slice(0, 3_000))).toBe(true);
    const parts = memberOf(answered, "content");
    const said = isJsonArray(parts) ? parts.map((part) => String(memberOf(part, "text"))).join("\n") : "";
    expect(said).toContain(
      `not kept text/plain ${new TextEncoder().encode(words).length} bytes: the artifact store did not answer`,
    );
    expect(memberOf(memberOf(memberOf(answered, "_meta"), "loomgate/envelope"), "status")).toBe("partial");
  });
});

describe("what is small", () => {
  it("touches no bucket and writes no row for what it might have kept", async () => {
    const { execute } = await worker({
      answer: (id) => result(id, text("ok")),
      bucket: refusingBucket(0),
    }).client();
    expect(textIn(await execute())).toBe("ok");
    expect(await stored()).toEqual([]);
  });
});
