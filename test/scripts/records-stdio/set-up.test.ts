import { describe, expect, it, vi } from "vitest";
import { BEARER } from "./kit/adapter.ts";
import { json } from "./kit/records-endpoint.ts";
import { adapter, call, endpoint, idOf, rawEndpoint, result } from "./kit/setting.ts";

describe("the end", () => {
  it("waits for what is under way when the input ends", async () => {
    const { url } = await endpoint((message, response) => {
      setTimeout(() => json(response, result(idOf(message))), 200);
    });
    const run = adapter(["--url", url]).send(call(1));
    expect(await run.finish()).toBe(0);
    expect(run.lines).toEqual([result(1)]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("comes with %s, whatever is under way", async (signal) => {
    const { url, posts } = await endpoint(() => undefined);
    const run = adapter(["--url", url]).send(call(1));
    await vi.waitFor(() => expect(posts).toHaveLength(2), 10_000);
    run.child.kill(signal);
    expect(await run.exited).toBe(0);
    expect(run.out).toBe("");
  });

  it("comes when nobody reads", async () => {
    const { url } = await endpoint((message, response) => json(response, result(idOf(message))));
    const run = adapter(["--url", url]);
    run.child.stdout.destroy();
    run.send(call(1));
    expect(await run.exited).toBe(0);
  });
});

describe("set-up", () => {
  async function refused(
    status: number,
    bearer: string,
    error: object = { code: "c", message: `no ${bearer}` },
  ) {
    const started = await rawEndpoint((_, response) => json(response, { error }, status));
    const run = adapter(["--url", started.url], { LOOMGATE_RECORDS_TOKEN: bearer }).send(call(1));
    const code = await run.exited;
    expect(run.out).toBe("");
    expect(run.err).not.toContain(bearer);
    expect(started.posts).toHaveLength(1);
    return [code, /^loomgate-records: (\w+)/.exec(run.err)?.[1]];
  }
  const expired = `lg_client_${Buffer.from('{"e":1}').toString("base64url")}_${"m".repeat(43)}`;

  it.each([
    [401, BEARER, 78, "credential_invalid"],
    [401, expired, 78, "credential_expired"],
    [403, BEARER, 78, "credential_invalid"],
    // The operator's secret has a form of its own.
    [403, "an-operators-secret", 77, "owner_credential_refused"],
    [401, "an-operators-secret", 78, "credential_invalid"],
    [404, BEARER, 78, "not_connected"],
    [500, BEARER, 78, "not_connected"],
    [302, BEARER, 78, "not_connected"],
  ])("%i to %s ends with %i, %s, after one try", async (status, bearer, code, reason) => {
    expect(await refused(status, bearer)).toEqual([code, reason]);
  });

  it("ends with 78 where nothing listens, and where something else does", async () => {
    const run = adapter(["--url", "http://127.0.0.1:1"]);
    expect([await run.exited, run.out]).toEqual([78, ""]);
    const page = await rawEndpoint((_, response) => response.end("<html>"));
    const other = adapter(["--url", page.url]);
    expect([await other.exited, other.out]).toEqual([78, ""]);
    expect(other.err).toContain("not_connected");
  });

  it("ends with 77 for an owner's credential before anything is sent", async () => {
    const { url, posts } = await rawEndpoint((_, response) => response.end());
    for (const environment of [
      { LOOMGATE_RECORDS_TOKEN: "lg_owner_x_y" },
      { LOOMGATE_RECORDS_TOKEN: BEARER, PDPP_OWNER_TOKEN: "an-owners" },
    ]) {
      const run = adapter(["--url", url], environment);
      expect([await run.exited, run.out]).toEqual([77, ""]);
      expect(run.err).not.toMatch(/lg_owner_x_y|an-owners/);
    }
    expect(posts).toEqual([]);
  });

  it("ends with 64 and helps on standard error", async () => {
    const run = adapter(["--profile", "core"]);
    expect([await run.exited, run.out]).toEqual([64, ""]);
    expect(run.err).toContain("usage: LOOMGATE_RECORDS_TOKEN=");
    const help = adapter(["--help"]);
    expect([await help.exited, help.out]).toEqual([0, ""]);
    expect(help.err).toMatch(/^usage: /);
  });
});
