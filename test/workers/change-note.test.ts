import { abortAllDurableObjects, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { Bindings } from "../../src/http/bindings.ts";
import { catalogReader } from "../../src/http/catalog-port.ts";
import { gatewayFor, proxyFor, selectionApiFor } from "../../src/http/gateway-ports.ts";
import { memberOf } from "../../src/json.ts";
import { tool } from "../support/catalog/rig.ts";
import { bearerFor, KEY, OPERATOR, ORIGIN } from "./http/client.ts";
import { openSession } from "./session-client.ts";
import { stubUpstreams } from "./upstreams.ts";
import { freshPrincipal, textIn } from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const upstreams = stubUpstreams();
let configs = 0;

beforeEach(async () => {
  await freshDatabase();
  upstreams.reset();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A gateway over a real catalog of one server, which has a candidate; objects lose their memory before every request. */
function gateway() {
  const configText = JSON.stringify({
    mcpServers: {
      bank: {
        url: `https://blue.example.com/mcp/${(configs += 1)}`,
        candidate: { url: "https://green.example.com/mcp" },
      },
    },
  });
  const app = createApp({
    configText,
    gateway: (c) => gatewayFor(c, catalogReader(c)),
    proxy: (c, names) => proxyFor(c, catalogReader(c), names),
    api: (c) => selectionApiFor(c, catalogReader(c)),
  });
  const bindings: Bindings = { ...env, LOOMGATE_KEY: KEY, OPERATOR_TOKEN: OPERATOR };
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    await abortAllDurableObjects();
    const context = createExecutionContext();
    const response = await app.fetch(new Request(new URL(path, ORIGIN), init), bindings, context);
    const answered = new Response(await response.text(), response);
    await waitOnExecutionContext(context);
    return answered;
  };
  const operate = async (path: string): Promise<void> => {
    const headers = { Authorization: `Bearer ${OPERATOR}` };
    expect((await send(path, { method: "POST", headers })).status).toBe(200);
  };
  const principal = freshPrincipal("reader");
  const openLooking = async (scopes?: string[]) => {
    const bearer = await bearerFor({ principal, ...(scopes === undefined ? {} : { scopes }) });
    const post = await openSession(send, bearer);
    /** Whether a browse says that the catalog has changed. */
    return async (): Promise<boolean> => {
      const params = { name: "tool_browse", arguments: { path: "/" } };
      const text = textIn(memberOf(await post("tools/call", params), "result"));
      expect(text).toContain("/bank — ");
      return text.endsWith("\nnote: the catalog has changed since your last look");
    };
  };
  return {
    openSession: openLooking,
    refresh: () => operate("/admin/refresh"),
    move: (name: string) => operate(`/admin/upstreams/bank/${name}`),
  };
}

describe("the word that the catalog has changed", () => {
  it("comes with the first browse of a session that opened before and never looked", async () => {
    upstreams.tools("blue", [tool("pay")]);
    const { openSession, refresh } = gateway();
    const warm = await openSession();
    expect(await warm()).toBe(false);
    const early = await openSession();
    upstreams.tools("blue", [tool("pay"), tool("refund")]);
    await refresh();
    expect([await early(), await early()]).toEqual([true, false]);
  });

  it("comes to a scoped bearer of what it sees, and says nothing of the rest", async () => {
    upstreams.tools("blue", [tool("pay"), tool("audit")]);
    const { openSession, refresh } = gateway();
    const scoped = await openSession(["bank:pay"]);
    const whole = await openSession();
    expect([await scoped(), await whole()]).toEqual([false, false]);
    upstreams.tools("blue", [tool("pay")]);
    await refresh();
    expect([await scoped(), await whole()]).toEqual([false, true]);
    upstreams.tools("blue", [tool("pay", { description: "Pays in another way." })]);
    await refresh();
    expect([await scoped(), await whole()]).toEqual([true, true]);
    expect([await scoped(), await whole()]).toEqual([false, false]);
  });

  it("comes with the next browse of each session, once, and with none of a session that is new", async () => {
    upstreams.tools("blue", [tool("pay")]);
    const { openSession, refresh } = gateway();
    const [ada, other] = [await openSession(), await openSession()];
    expect([await ada(), await ada(), await other()]).toEqual([false, false, false]);
    upstreams.tools("blue", [tool("pay"), tool("refund")]);
    await refresh();
    const late = await openSession();
    expect([await ada(), await ada(), await late(), await other(), await other()]).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it("is not said of a refresh that found the same, of a server that went stale, or of what is as it was again", async () => {
    upstreams.tools("blue", [tool("pay")]);
    const { openSession, refresh } = gateway();
    const [ada, other] = [await openSession(), await openSession()];
    expect([await ada(), await other()]).toEqual([false, false]);
    await refresh();
    expect(await ada()).toBe(false);
    upstreams.fails("blue", () => new Response(null, { status: 500 }));
    await refresh();
    expect(await ada()).toBe(false);
    upstreams.tools("blue", [tool("pay"), tool("refund")]);
    await refresh();
    upstreams.tools("blue", [tool("pay")]);
    await refresh();
    expect([await ada(), await other()]).toEqual([false, false]);
  });

  it("is said of a candidate with other tools when it is promoted, and not of one with the same", async () => {
    upstreams.tools("blue", [tool("pay")]);
    upstreams.tools("green", [tool("pay")]);
    const { openSession, refresh, move } = gateway();
    const ada = await openSession();
    expect(await ada()).toBe(false);
    await move("promote");
    expect(await ada()).toBe(false);
    await move("rollback");
    expect(await ada()).toBe(false);
    upstreams.tools("green", [tool("pay"), tool("refund")]);
    await refresh();
    expect(await ada()).toBe(false);
    await move("promote");
    expect([await ada(), await ada()]).toEqual([true, false]);
  });
});
