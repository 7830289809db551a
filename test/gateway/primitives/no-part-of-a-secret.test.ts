import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "../../../src/surface.ts";
import { decodeBase64 } from "../../../src/firewall/result/base64.ts";
import { memberOf } from "../../../src/json.ts";
import { fakeId } from "../../support/fake-catalog.ts";
import { recordOf } from "../../support/fake-gateway.ts";
import { code } from "../../scrub/planted-secrets.ts";
import { natively } from "../native/natively.ts";
import {
  CATALOG,
  config,
  envelopeOf,
  LARGE,
  message,
  README,
  run,
  shownOf,
  SUMMARY_ID,
  text,
  TOOL,
} from "./kit.ts";

const CONFIGURED = "Xk7Qz2Vw9Lm4Rt6Yp8Nb3Hc";
const TOKEN = `ghp_${code(36)}`;
/** As many characters say which secret it was, and begin a search for the rest. */
const PART_CHARS = 6;

const KINDS = {
  configured: { secret: CONFIGURED, options: { secrets: [CONFIGURED] } },
  redacted: { secret: TOKEN, options: config({}, { redact: true }) },
} as const;

/** What of a secret stands in a text. */
function partsIn(all: string, secret: string): string[] {
  const parts = Array.from({ length: secret.length - PART_CHARS + 1 }, (_, at) =>
    secret.slice(at, at + PART_CHARS),
  );
  return parts.filter((part) => all.includes(part));
}

/** Everything of an answer, its blobs decoded too. */
function saidBy(answer: unknown): string {
  const said: string[] = [JSON.stringify(answer)];
  const walk = (value: unknown): void => {
    if (typeof value === "string") {
      const bytes = value.length % 4 === 0 ? decodeBase64(value) : undefined;
      if (bytes?.ok === true) said.push(new TextDecoder().decode(bytes.value));
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  walk(answer);
  return said.join("\n");
}

function everything(
  answer: unknown,
  { artifacts, caller }: Pick<ReturnType<typeof run>, "artifacts" | "caller">,
) {
  const kept = [...artifacts.objects.values()].flatMap(({ record, bytes }) => [
    JSON.stringify(record),
    new TextDecoder().decode(bytes),
  ]);
  return [saidBy(answer), ...kept, JSON.stringify([...caller.rows])].join("\n");
}

const SPOTS = ["uri", "name", "mimeType", "role", "description", "title", "text", "blob", "_meta"] as const;
type Spot = (typeof SPOTS)[number];

interface Case {
  readonly spot: Spot;
  readonly before: string;
  readonly after: string;
  readonly filler: string;
  readonly things: number;
  readonly isLarge: boolean;
  readonly isBlob: boolean;
}

/** Every place before and behind what is cut anywhere: 32, 120, and 8 times as much. */
const cases = fc.record({
  spot: fc.constantFrom(...SPOTS),
  before: fc
    .tuple(
      fc.oneof(fc.integer({ min: 5, max: 35 }), fc.integer({ min: 90, max: 125 }), fc.nat(1_100)),
      fc.constantFrom("x", "/", "é ", "\u001b[0m", "\u{1f600}"),
    )
    .map(([count, unit]) => `a:${unit.repeat(count)}`.slice(0, count + 2)),
  after: fc.constantFrom("", "/", " and more", "/x".repeat(200)),
  filler: fc.constantFrom("", "y"),
  things: fc.constantFrom(1, 2, 3, 12),
  isLarge: fc.boolean(),
  isBlob: fc.boolean(),
});

const base64 = (value: string): string => Buffer.from(value).toString("base64");

function planted(
  { spot, before, after, filler, things, isLarge, isBlob }: Case,
  secret: string,
  isRead: boolean,
) {
  const said = (one: Spot, otherwise: string) => (one === spot ? `${before}/${secret}/${after}` : otherwise);
  const payload = `${said("text", "fine")}${filler}${isLarge ? `\n${LARGE}` : ""}`;
  const words = (at: number) => ({
    uri: said("uri", `file:///${at}`),
    name: said("name", "n"),
    title: said("title", "t"),
    mimeType: said("mimeType", at === 1 ? "image/png" : "text/plain"),
    _meta: { note: said("_meta", "m") },
  });
  // What is said to be a picture is none that anybody reads.
  const carried = (at: number) =>
    at === 1
      ? { blob: base64("a picture") }
      : isBlob || spot === "blob"
        ? { blob: base64(`${said("blob", "b")} ${payload}`) }
        : { text: payload };
  const content = (at: number) => ({ ...words(at), ...carried(at) });
  const contents = Array.from({ length: things }, (_, at) => content(at));
  const parts = (at: number) =>
    at % 3 === 0
      ? { ...text(payload), _meta: { note: said("_meta", "m") } }
      : at % 3 === 1
        ? { type: "resource", resource: content(at) }
        : { type: "resource_link", ...words(at), description: said("description", "d") };
  const messages = contents.map((_, at) =>
    message(
      at % 2 === 0 ? said("role", "user") : "assistant",
      at % 4 === 3 ? [parts(at), parts(1)] : parts(at),
    ),
  );
  return recordOf({
    ...(isRead ? { contents } : { messages }),
    description: said("description", "d"),
    _meta: { note: said("_meta", "m") },
  });
}

describe.each(["configured", "redacted"] as const)("no part of a secret that is %s", (kind) => {
  const { secret, options } = KINDS[kind];

  it("is left by a read or a prompt, wherever the server said it, however long, in either render", async () => {
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.constantFrom("porcelain", "json"),
        fc.boolean(),
        async (given, render, isRead) => {
          const made = run({ result: planted(given, secret, isRead), ...options });
          const answer: ToolAnswer | undefined = isRead
            ? await made.read(README.uri, { render })
            : await made.get({ repo: "r" }, { render });
          expect(answer?.isError).toBeUndefined();
          expect(partsIn(everything(answer, made), secret)).toEqual([]);
        },
      ),
      { numRuns: 250 },
    );
  });

  it("is left on the proxy", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.boolean(), async (given, isRead) => {
        const made = natively({
          catalog: CATALOG,
          config: { mcpServers: { fs: { url: "https://fs.example/mcp", redact: kind === "redacted" } } },
          ...(kind === "configured" ? { secrets: [secret] } : {}),
          answer: () => ({ ok: true, value: planted(given, secret, isRead) }),
        });
        const answer = await (isRead
          ? made.ask("resources/read", { uri: README.uri })
          : made.ask("prompts/get", { name: SUMMARY_ID, arguments: { repo: "r" } }));
        expect(partsIn(everything(answer, made), secret)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("one text with a configured secret and another that looks like one", () => {
  const both = base64(`a ${CONFIGURED} b ${TOKEN} c`);
  const resource = { uri: "a:b", mimeType: "text/plain", blob: both };
  const embedded = { type: "resource", resource };
  const results = {
    tool: { content: [embedded] },
    read: { contents: [resource] },
    "read of several": { contents: [resource, { uri: "a:c", text: "x" }] },
    "read of many": { contents: [resource, { uri: "a:c", text: LARGE }] },
    prompt: { messages: [message("user", embedded)] },
    "prompt of lists": { messages: [message("user", [embedded])] },
  };

  it.each(Object.entries(results))(
    "loses both of them in base64, and stays a text: %s",
    async (_, result) => {
      const made = run({ ...config({}, { redact: true }), secrets: [CONFIGURED], result });
      const answer = await ("content" in result
        ? made.call("tool_execute", { tool_id: fakeId(TOOL) })
        : "contents" in result
          ? made.read()
          : made.get());
      const all = everything(answer, made);
      expect(partsIn(all, CONFIGURED)).toEqual([]);
      expect(partsIn(all, TOKEN)).toEqual([]);
      expect(all).toMatch(/a \S+ b \S+ c/);
      expect(memberOf(envelopeOf(answer)["provenance"], "redactions")).toBe(1);
    },
  );
});

describe("a secret with an escape sequence in it", () => {
  it.each(["fine", LARGE])("is none in the lines that are made of it", async (payload) => {
    const uri = `${"x".repeat(100)}${CONFIGURED.slice(0, 12)}\u001b[0m${CONFIGURED.slice(12)}`;
    const contents = [
      { uri, text: payload },
      { uri: "a:b", text: "x" },
    ];
    const answer = await run({ result: { contents }, secrets: [CONFIGURED] }).read();
    const [first] = shownOf(answer);
    expect(String(first)).toContain("x".repeat(100));
    expect(partsIn(String(first), CONFIGURED)).toEqual([]);
  });
});

describe("the roles of a dialogue", () => {
  it("are named alike above each message and in what is said of them, and none is taken for another", async () => {
    const role = `${"r".repeat(20)}/${CONFIGURED}`;
    const result = {
      messages: [message(role, text(LARGE)), message("assistant", text("b")), message(role, text("c"))],
    };
    const made = run({ result, secrets: [CONFIGURED] });
    const answer = await made.get();
    const all = JSON.stringify(answer);
    const shown = /3 messages: 2 (\S+), 1 assistant/.exec(all)?.[1] ?? "";
    expect(shown.startsWith("r".repeat(20))).toBe(true);
    const kept = [...made.artifacts.objects.values()].map(({ bytes }) => new TextDecoder().decode(bytes));
    expect(kept.join("\n")).toContain(`${shown}:\n`);
  });
});
