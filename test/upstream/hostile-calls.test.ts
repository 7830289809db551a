import { describe, expect, it } from "vitest";
import type { Outcome, UpstreamFailure } from "../../src/errors.ts";
import { CALLS, FINE_CALLS, HANDSHAKES } from "../support/hostile-upstream/behaviours.ts";
import { memorySinks } from "./large/memory-sinks.ts";
import { callTool, io, KEPT, withUpstream } from "./rig.ts";

const CALL = { name: "echo", args: { text: "hi" } };
/** Enough for a local answer that comes at once, and soon over for one that never comes. */
const SHORT_MS = 150;

type Expected = readonly [UpstreamFailure["reason"], Outcome, Record<string, unknown>?];

/** On a kept session the call is the first and only request, so its own outcome shows. */
const EXPECTED_CALLS: Record<keyof typeof CALLS, Expected> = {
  hangBeforeHeaders: ["timeout", "unknown"],
  hangAfterHeaders: ["timeout", "unknown"],
  hangMidBody: ["timeout", "unknown"],
  hangMidStream: ["timeout", "unknown"],
  slowDrip: ["timeout", "unknown"],
  resetBeforeHeaders: ["unreachable", "unknown"],
  resetMidBody: ["unreachable", "unknown"],
  resetMidStream: ["unreachable", "unknown"],
  unauthorized: ["unauthorized", "not_dispatched"],
  forbidden: ["forbidden", "not_dispatched"],
  sessionGone: ["http_status", "not_dispatched", { status: 404 }],
  tooManyBare: ["rate_limited", "not_dispatched", { retryAfterSeconds: null }],
  tooManySeconds: ["rate_limited", "not_dispatched", { retryAfterSeconds: 17 }],
  tooManyDate: ["rate_limited", "not_dispatched", { retryAfterSeconds: 60 }],
  tooManyNonsense: ["rate_limited", "not_dispatched", { retryAfterSeconds: null }],
  internal: ["http_status", "unknown", { status: 500 }],
  internalWithRpc: ["rpc_error", "completed", { code: -32603 }],
  badGateway: ["unreachable", "unknown"],
  unavailable: ["unreachable", "unknown"],
  requestTimeout: ["timeout", "unknown"],
  gatewayTimeout: ["timeout", "unknown"],
  teapot: ["http_status", "unknown", { status: 418 }],
  badRequestPlain: ["http_status", "unknown", { status: 400 }],
  badRequestWithOurId: ["rpc_error", "completed", { code: -32602 }],
  accepted: ["protocol", "unknown"],
  noContent: ["protocol", "unknown"],
  html: ["protocol", "unknown"],
  noContentType: ["protocol", "unknown"],
  emptyBody: ["protocol", "unknown"],
  malformed: ["protocol", "unknown"],
  jsonNull: ["protocol", "unknown"],
  wrongId: ["protocol", "unknown"],
  numericId: ["protocol", "unknown"],
  wrongIdInStream: ["protocol", "unknown"],
  resultAndError: ["protocol", "completed"],
  resultIsText: ["protocol", "completed"],
  resultIsAList: ["protocol", "completed"],
  resultIsNull: ["protocol", "completed"],
  resultIsTextInStream: ["protocol", "completed"],
  errorWithoutCode: ["protocol", "completed"],
  neitherResultNorError: ["protocol", "completed"],
  answerOfNoVersion: ["protocol", "completed"],
  endsInsideACharacter: ["protocol", "unknown"],
  emptyStream: ["protocol", "unknown"],
  primedThenEnded: ["protocol", "unknown"],
  rpcError: ["rpc_error", "completed", { code: -32603 }],
  rpcErrorInStream: ["rpc_error", "completed", { code: -32050 }],
  unknownTool: ["unknown_tool", "completed"],
  methodNotFound: ["unknown_tool", "completed"],
  invalidParams: ["rpc_error", "completed", { code: -32602 }],
  json20MB: ["too_large", "completed"],
  json50MB: ["too_large", "completed"],
  json80MB: ["too_large", "unknown"],
  event20MB: ["too_large", "completed"],
  event80MB: ["too_large", "unknown"],
  bigThenReset: ["too_large", "unknown"],
  noGzip: ["unreachable", "unknown"],
  gzipBomb: ["too_large", "unknown"],
  redirectToLoopbackName: ["refused_redirect", "not_dispatched"],
  redirectToAddress: ["refused_redirect", "not_dispatched"],
  redirectToHttp: ["refused_redirect", "not_dispatched"],
  redirectToOtherOrigin: ["refused_redirect", "not_dispatched"],
  redirectLoop: ["refused_redirect", "not_dispatched"],
  redirectNowhere: ["refused_redirect", "not_dispatched"],
  redirectFound: ["refused_redirect", "unknown"],
  redirectSeeOther: ["refused_redirect", "unknown"],
  illegalSessionId: ["protocol", "unknown"],
};

const EXPECTED = new Map<string, Expected>(Object.entries(EXPECTED_CALLS));

const HANGS: ReadonlySet<string> = new Set(
  "hangBeforeHeaders hangAfterHeaders hangMidBody hangMidStream slowDrip".split(" "),
);

describe("a call to a hostile upstream", () => {
  it.each(Object.entries(CALLS))(
    "%s ends in its typed outcome, with nothing left open",
    async (name, behave) => {
      const [reason, outcome, extra = {}] = EXPECTED.get(name) ?? [];
      await withUpstream(behave, async (_, target) => {
        const timeoutMs = HANGS.has(name) ? SHORT_MS : target.timeoutMs;
        const { answer } = await callTool({ ...target, timeoutMs }, KEPT, CALL, io());
        if (answer.ok) throw new Error("an answer where none can be");
        expect(answer.reason).toMatchObject({ reason, outcome, ...extra });
        expect(answer.reason.detail).not.toBe("");
      });
    },
  );

  it.each([
    ["json20MB", "an answer of 20 MB", 1],
    ["json50MB", "an answer of 50 MB", 1],
    ["json80MB", "too_large, unknown", 0],
    ["event20MB", "an answer of 20 MB", 1],
    ["event80MB", "too_large, unknown", 0],
    ["bigThenReset", "protocol, unknown", 0],
    ["gzipBomb", "too_large, unknown", 0],
    ["malformed", "protocol, unknown", 0],
    ["resetMidStream", "unreachable, unknown", 0],
  ] as const)("%s, where large payloads go to a store, is %s", async (name, expected, kept) => {
    await withUpstream(CALLS[name], async (_, target) => {
      const sinks = memorySinks();
      const { answer } = await callTool(target, KEPT, { ...CALL, sinks }, io());
      const [payload] = sinks.opened;
      const text = `an answer of ${Math.floor((payload?.bytes ?? 0) / (1_024 * 1_024))} MB`;
      expect(answer.ok ? text : `${answer.reason.reason}, ${answer.reason.outcome}`).toBe(expected);
      expect(sinks.kept().length).toBe(kept);
    });
  });

  it.each(Object.entries(FINE_CALLS))("%s is unusual and right: its answer arrives", async (_, behave) => {
    await withUpstream(behave, async (_, target) => {
      const { answer, session } = await callTool(target, KEPT, CALL, io());
      expect(answer).toEqual({ ok: true, value: { content: [{ type: "text", text: "fine ✓" }] } });
      expect(session).toEqual(KEPT);
    });
  });

  it("refused and vanished addresses never count as sent", async () => {
    let url = "";
    await withUpstream(undefined, async (upstream) => {
      url = upstream.url;
    });
    const target = { name: "kit", headers: {}, timeoutMs: 5_000 };
    const gone = await callTool({ ...target, url }, KEPT, CALL, io());
    expect(gone.answer).toMatchObject({ reason: { reason: "unreachable", outcome: "not_dispatched" } });
    const closed = await callTool({ ...target, url }, KEPT, CALL, io({ allowLoopback: false }));
    expect(closed.answer).toMatchObject({ reason: { reason: "refused_address", outcome: "not_dispatched" } });
    const broken = await callTool({ ...target, url: "not a url" }, KEPT, CALL, io());
    expect(broken).toMatchObject({ answer: { reason: { reason: "refused_address" } }, session: KEPT });
  });
});

describe("a handshake with a hostile upstream", () => {
  const reasons: Record<keyof typeof HANDSHAKES, UpstreamFailure["reason"]> = {
    unknownVersion: "protocol",
    illegalSessionId: "protocol",
    longSessionId: "protocol",
    noServerInfo: "protocol",
    unauthorized: "unauthorized",
    down: "unreachable",
    hangs: "timeout",
    notFound: "http_status",
    initializedRefused: "http_status",
  };
  const expected = new Map<string, string>(Object.entries(reasons));

  it.each(Object.entries(HANDSHAKES))(
    "%s: the call was not dispatched, and no session is kept",
    async (name, behave) => {
      await withUpstream(behave, async (upstream, target) => {
        const timeoutMs = name === "hangs" ? SHORT_MS : target.timeoutMs;
        const { answer, session } = await callTool({ ...target, timeoutMs }, undefined, CALL, io());
        expect(answer).toMatchObject({
          ok: false,
          reason: { reason: expected.get(name), outcome: "not_dispatched" },
        });
        expect(session).toBeNull();
        expect(upstream.count("tools/call")).toBe(0);
        const opened = name === "unknownVersion" || name === "initializedRefused";
        expect(upstream.count("DELETE"), "an opened session is ended").toBe(opened ? 1 : 0);
      });
    },
  );
});
